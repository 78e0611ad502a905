public import AssayCore
public import FoundationEssentials

/// Composes records of judged evidence, for captures. Reading a record gives the same input.

extension EvidenceRecord {
    /// Composes the record of an attestation.
    ///
    /// - Parameters:
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil to select the app by its App ID.
    ///   - account: the account of the session; nil for none.
    public init(
        _ input: AttestationInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) {
        self.init(
            id: id, kind: EvidenceKind.appAttestAttestation, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject([
                ("keyId", .base64(input.keyID)), ("attestation", .base64(input.attestation)),
                input.clientData.field("challenge"),
            ]),
            expect: nil)
    }

    /// Composes the record of an assertion.
    ///
    /// - Parameters:
    ///   - suppliedKey: the key and its counter, if no ledger stores them.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil to select the app by its App ID.
    ///   - account: the account of the session; nil for none.
    public init(
        _ input: AssertionInput, suppliedKey: AssertionKeys.Supplied? = nil, id: String? = nil, app: String? = nil,
        account: String? = nil,
        receivedAt: Date
    ) {
        var evidence: [(String, RecordValue.Content)] = [
            ("keyId", .base64(input.keyID)), ("assertion", .base64(input.assertion)),
            input.clientData.field("clientData"),
        ]
        if let challenge = input.challenge { evidence.append(("challenge", .base64(challenge))) }
        if let suppliedKey { evidence.append(suppliedKey.recordMember) }
        self.init(
            id: id, kind: EvidenceKind.appAttestAssertion, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(evidence),
            expect: nil)
    }

    /// Composes the record of a receipt from Apple's server.
    ///
    /// - Parameters:
    ///   - id: the name of the record in verdicts and reports.
    ///   - app: the policy's app; nil to select the app by its App ID.
    ///   - account: the account of the session; nil for none.
    public init(_ input: ReceiptInput, id: String? = nil, app: String? = nil, receivedAt: Date) {
        self.init(
            id: id, kind: EvidenceKind.appAttestReceipt, app: app, receivedAt: receivedAt,
            evidence: RecordObject([("keyId", .base64(input.keyID)), ("receipt", .base64(input.receipt))]),
            expect: nil)
    }
}

extension AssertionKeys.Supplied {
    /// The field `key` of a record.
    var recordMember: (String, RecordValue.Content) {
        let key: [(String, RecordValue.Content)] = [
            ("publicKey", .base64(publicKey)), ("counter", .number("\(counter)")),
        ]
        return ("key", .object(RecordObject(key)))
    }
}

extension ClientDataInput {
    /// The field of a record: `name` for data, `clientDataHash` for a hash.
    fileprivate func field(_ name: String) -> (String, RecordValue.Content) {
        switch self {
        case .data(let data): (name, .base64(data))
        case .hash(let hash): ("clientDataHash", .base64(hash))
        }
    }
}

extension RecordValue.Content {
    fileprivate static func base64(_ bytes: [UInt8]) -> RecordValue.Content {
        .text(Base64.encode(bytes, .standard))
    }
}
