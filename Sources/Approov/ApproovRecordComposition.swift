public import AssayCore
public import FoundationEssentials

/// Composes records of judged evidence for captures. Reading a record gives the same input again.

extension EvidenceRecord {
    /// Composes the record of a token.
    ///
    /// A missing or repeated token or bound value becomes empty in the record, and fails the same check.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the only one with a section for Approov.
    public init(
        _ input: ApproovTokenInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) {
        var fields: [(String, RecordValue.Content)]
        switch input.evidence {
        case .token(let token): fields = [("token", .text(token))]
        case .loggable(let text): fields = [("loggable", .text(text))]
        case .missing, .repeated: fields = [("token", .text(""))]
        }
        fields += Self.fields(of: input.binding, input.address)
        self.init(
            id: id, kind: EvidenceKind.approovToken, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(fields),
            expect: nil)
    }

    /// Composes the record of a message.
    ///
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the only one with a section for Approov.
    /// - Throws: ``DecodeError`` if the input lacks the body, which a later judgement needs.
    public init(
        _ input: ApproovMessageInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        guard case .bytes = input.body else {
            throw DecodeError(.missing, at: 0, field: "body", "the body was read as it came, and not kept")
        }
        let fields = try input.recordMembers()
        self.init(
            id: id, kind: EvidenceKind.approovMessage, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(fields),
            expect: nil)
    }

    /// Composes the record of a signed text.
    ///
    /// A missing or repeated bound value becomes empty in the record, and fails the same check.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the request ID.
    ///   - app: The policy's app; nil for the only one with a section for Approov.
    public init(
        _ input: ApproovTextInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) {
        let fields: [(String, RecordValue.Content)] = [
            ("token", .text(input.token)), ("text", .text(input.text)), ("signature", .text(input.signature)),
        ]
        self.init(
            id: id, kind: EvidenceKind.approovText, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(fields + Self.fields(of: input.binding, input.address)), expect: nil)
    }

    /// The fields for the bound values and the address of a request.
    private static func fields(
        of binding: [ApproovBoundValue], _ address: String?
    ) -> [(String, RecordValue.Content)] {
        var fields: [(String, RecordValue.Content)] = []
        if !binding.isEmpty {
            let values = binding.map { value in
                if case .value(let text) = value {
                    RecordValue(.text(text), offset: 0)
                } else {
                    RecordValue(.text(""), offset: 0)
                }
            }
            fields.append(("binding", .array(values)))
        }
        if let address { fields.append(("address", .text(address))) }
        return fields
    }

    /// Composes the record of a measurement proof.
    ///
    /// If the proof has the measurements, or a signed token with them, the record contains the proof key as text in
    /// memory that is never wiped. Seal captures of such records.
    /// - Parameters:
    ///   - id: The name of the record in verdicts and reports, such as the device ID.
    ///   - app: The policy's app; nil for the only one with a section for Approov.
    public init(
        _ input: ApproovProofInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) {
        var fields: [(String, RecordValue.Content)] = [
            ("nonce", .text(Base64.encode(input.nonce, .standard))),
            ("proof", .text(Base64.encode(input.proof, .standard))),
        ]
        switch input.source {
        case .token(let token): fields.append(("token", .text(token)))
        case .sealed(let sealed): fields.append(("sealed", .text(sealed)))
        case .measurements(let measurements):
            let parts: [(String, SecretBytes?)] = [
                ("mpk", measurements.proofKey), ("imh", measurements.integrity), ("dmh", measurements.device),
            ]
            let members = parts.compactMap { name, secret in
                secret.map { secret in
                    (name, RecordValue.Content.text(secret.withUnsafeBytes { Base64.encode(Array($0), .standard) }))
                }
            }
            fields.append(("measurements", .object(RecordObject(members))))
        }
        if let measurement = input.measurement { fields.append(("measurement", .text(measurement.rawValue))) }
        self.init(
            id: id, kind: EvidenceKind.approovProof, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(fields),
            expect: nil)
    }
}
