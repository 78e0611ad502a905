public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Composes records of judged evidence, for captures. A record is read back as the same input.

extension EvidenceRecord {
    /// Composes the record of a token.
    ///
    /// A bound value that was missing or repeated in the request becomes empty in the record, and fails the same check.
    /// - Parameters:
    ///   - input: the judged evidence.
    ///   - id: the name of the record in verdicts and reports, such as that of the request.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - receivedAt: when the evidence was received.
    public init(_ input: ApproovTokenInput, id: String? = nil, app: String? = nil, receivedAt: Date) {
        var fields: [(String, RecordValue.Content)]
        switch input.evidence {
        case .token(let token): fields = [("token", .text(token))]
        case .loggable(let text): fields = [("loggable", .text(text))]
        }
        if !input.binding.isEmpty {
            let values = input.binding.map { value in
                if case .value(let text) = value {
                    RecordValue(.text(text), offset: 0)
                } else {
                    RecordValue(.text(""), offset: 0)
                }
            }
            fields.append(("binding", .array(values)))
        }
        if let address = input.address { fields.append(("address", .text(address))) }
        self.init(
            id: id, kind: EvidenceKind.approovToken, app: app, receivedAt: receivedAt, evidence: RecordObject(fields),
            expect: nil)
    }

    /// Composes the record of a message.
    ///
    /// - Parameters:
    ///   - input: the judged evidence.
    ///   - id: the name of the record in verdicts and reports, such as that of the request.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - receivedAt: when the evidence was received.
    /// - Throws: ``DecodeError`` when the input does not have the body, which is needed to judge the message again.
    public init(
        _ input: ApproovMessageInput, id: String? = nil, app: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        guard case .bytes(let body) = input.body else {
            throw DecodeError(.missing, at: 0, field: "body", "the body was read as it came, and not kept")
        }
        let headers = input.fields.map { field in
            RecordValue(
                .array([RecordValue(.text(field.name), offset: 0), RecordValue(.text(field.value), offset: 0)]),
                offset: 0)
        }
        var fields: [(String, RecordValue.Content)] = [
            ("method", .text(input.method)), ("targetURI", .text(input.targetURI)), ("headers", .array(headers)),
            ("body", .text(Base64.encode(body, .standard))),
        ]
        if let address = input.address { fields.append(("address", .text(address))) }
        self.init(
            id: id, kind: EvidenceKind.approovMessage, app: app, receivedAt: receivedAt, evidence: RecordObject(fields),
            expect: nil)
    }

    /// Composes the record of a measurement proof.
    ///
    /// A record with the measurements, or with a signed token that carries them, holds the key of proofs as text in memory
    /// that is never wiped: seal captures of such records.
    /// - Parameters:
    ///   - input: the judged evidence.
    ///   - id: the name of the record in verdicts and reports, such as that of the device.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - receivedAt: when the evidence was received.
    public init(_ input: ApproovProofInput, id: String? = nil, app: String? = nil, receivedAt: Date) {
        var fields: [(String, RecordValue.Content)] = [
            ("nonce", .text(Base64.encode(input.nonce, .standard))),
            ("proof", .text(Base64.encode(input.proof, .standard))),
        ]
        switch input.source {
        case .token(let token): fields.append(("token", .text(token)))
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
            id: id, kind: EvidenceKind.approovProof, app: app, receivedAt: receivedAt, evidence: RecordObject(fields),
            expect: nil)
    }
}
