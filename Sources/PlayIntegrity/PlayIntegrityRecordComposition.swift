public import AssayCore
public import FoundationEssentials

/// Composes records of judged evidence for captures. Reading a record gives the same input again.

extension EvidenceRecord {
    /// Composes the record of a classic token.
    ///
    /// If Google decodes the app's classic tokens, only a record with its answer can be replayed, as for a standard
    /// token.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the one with the package name.
    /// - Throws: ``DecodeError`` if Google's answer is not a JSON object, or nonce, challenge or hash have no allowed form: a record
    ///   cannot contain them.
    public init(
        _ input: ClassicIntegrityInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        if let problem = input.problem { throw problem }
        var fields: [(String, RecordValue.Content)] = [
            ("packageName", .text(input.packageName)), try input.evidence.recordField(),
        ]
        if let boundTo = input.boundTo {
            fields.append(("challenge", .text(Base64.encode(boundTo.challenge, .standard))))
            fields.append(("requestHash", .text(Base64.encode(boundTo.requestHash, .standard))))
        } else {
            // Padding keeps the shortest nonces at the minimum length.
            fields.append(("nonce", .text(Base64.encode(input.nonce, .standard))))
        }
        self.init(
            id: id, kind: EvidenceKind.playIntegrityClassic, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(fields), expect: nil)
    }

    /// Composes the record of a standard token.
    ///
    /// A record with the token can be judged again only with another call to Google. For replays, capture the answer
    /// instead: decode the token first with ``IntegrityTokenDecoder/answer(on:packageName:form:)``, and judge the
    /// answer.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the one with the package name.
    /// - Throws: ``DecodeError`` if Google's answer is not a JSON object, which a record cannot contain.
    public init(
        _ input: StandardIntegrityInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        self.init(
            id: id, kind: EvidenceKind.playIntegrityStandard, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject([
                ("packageName", .text(input.packageName)), ("requestHash", .text(input.requestHash)),
                try input.evidence.recordField(),
            ]),
            expect: nil)
    }
}

extension StandardIntegrityInput.Evidence {
    fileprivate func recordField() throws(DecodeError) -> (String, RecordValue.Content) {
        switch self {
        case .token(let token): ("token", .text(token))
        case .decoded(let answer): ("decoded", .object(try answer.object()))
        }
    }
}
