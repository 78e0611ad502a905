public import AssayCore
public import FoundationEssentials

/// A classic integrity token that was minted with test keys.
public struct MintedClassicToken: Sendable {
    /// The token: a compact JWE, where the blueprint did not change that.
    public let token: String
    /// The package name of the app that asked for it.
    package let packageName: String
    /// The bytes that the app's nonce stands for.
    package let nonce: [UInt8]
    /// The payload in it, encoded.
    package let payload: [UInt8]
    /// The time of the request.
    package let mintedAt: Date

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - packageName: The package name that the server expects, and nil for the true one.
    ///   - nonce: The text of the nonce that the server expects, and nil for base64url of the true one.
    ///   - app: The policy's app, and nil to have it found.
    ///   - receivedAt: When the server got it, and nil for the time of the request.
    ///   - expect: What the record's verdict has to be.
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

/// An answer of Google's decode calls that no server of Google gave.
public struct MintedStandardAnswer: Sendable {
    /// The answer.
    package let answer: JSONItem
    /// The package name of the app that asked for the token.
    package let packageName: String
    /// The text that the app handed over.
    package let requestHash: String
    /// The time of the request.
    package let mintedAt: Date

    /// The body of the answer: JSON in UTF-8.
    public var body: [UInt8] { answer.encoded }

    /// The evidence record, which carries the answer decoded. Parameters as of ``MintedClassicToken``.
    ///
    /// - Parameter requestHash: The text that the server expects, and nil for the true one.
    /// - Throws: ``MintingError`` when the answer is text that need not be JSON.
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
