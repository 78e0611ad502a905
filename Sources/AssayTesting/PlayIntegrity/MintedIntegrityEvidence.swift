public import AssayCore
public import FoundationEssentials

/// A classic integrity token, minted with test keys.
public struct MintedClassicToken: Sendable {
    /// The token: a compact JWE, unless the blueprint changed it.
    public let token: String
    /// The package name of the app that requested the token.
    package let packageName: String
    /// The decoded bytes of the app's nonce.
    package let nonce: [UInt8]
    /// The encoded payload.
    package let payload: [UInt8]
    /// The time of the request.
    package let mintedAt: Date

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - packageName: The package name that the server expects; nil for the true one.
    ///   - nonce: The nonce text that the server expects; nil for base64url of the true one.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - receivedAt: The time of receipt; nil for the time of the request.
    ///   - expect: The expected verdict.
    public func record(
        id: String, packageName: String? = nil, nonce: String? = nil, app: String? = nil, receivedAt: Date? = nil,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: EvidenceKind("play-integrity.classic"), app: app, receivedAt: receivedAt ?? mintedAt,
            evidence: RecordObject([
                ("packageName", .text(packageName ?? self.packageName)), ("token", .text(token)),
                ("nonce", .text(nonce ?? Base64URL.text(self.nonce))),
            ]),
            expect: expect)
    }
}

/// A minted answer in the form of Google's decode calls.
public struct MintedStandardAnswer: Sendable {
    package let answer: JSONItem
    /// The package name of the app that requested the token.
    package let packageName: String
    /// The request hash that the app passed.
    package let requestHash: String
    /// The time of the request.
    package let mintedAt: Date

    /// The body of the answer: JSON in UTF-8.
    public var body: [UInt8] { answer.encoded }

    /// The evidence record with the decoded answer. Other parameters as for ``MintedClassicToken``.
    ///
    /// - Parameter requestHash: The text that the server expects; nil for the true one.
    /// - Throws: ``MintingError`` if the answer is raw text, which may not be JSON.
    public func record(
        id: String, packageName: String? = nil, requestHash: String? = nil, app: String? = nil,
        receivedAt: Date? = nil, expect: EvidenceRecord.Expectation? = nil
    ) throws(MintingError) -> EvidenceRecord {
        guard let decoded = answer.recordContent else {
            throw MintingError("an answer with text as it stands fits into no record")
        }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("play-integrity.standard"), app: app, receivedAt: receivedAt ?? mintedAt,
            evidence: RecordObject([
                ("packageName", .text(packageName ?? self.packageName)),
                ("requestHash", .text(requestHash ?? self.requestHash)), ("decoded", decoded),
            ]),
            expect: expect)
    }
}
