public import AssayCore
import AssayPrimitives

/// The evidence of a record: what the app saw, and the evidence that carries it.
struct CertificateInput {
    let seen: SeenCertificate
    let carried: EvidenceRecord
    /// What the host's addresses presented when the record was captured; nil for a record that was not. Only replays use it.
    let presented: PresentedLeaves?

    private static let fieldNames = ["host", "certificate", "chain", "challenge", bindingField, presentedField]
    fileprivate static let (bindingField, presentedField) = ("binding", "presented")

    /// Reads `host`, `challenge`, `certificate` or `chain` or neither, `binding` with `kind` and `evidence`, and the `presented` of a capture.
    static func read(_ evidence: RecordObject) throws(RecordError) -> CertificateInput {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(fieldNames)
        guard let host = try fields.text("host", atMost: 4096) else { throw fields.missing("host") }
        guard let challenge = try fields.text("challenge", atMost: 4096) else { throw fields.missing("challenge") }
        let chain: [[UInt8]]
        switch (try fields.optionalBytes("certificate"), fields["chain"]) {
        case (let leaf?, nil): chain = [leaf]
        case (nil, .some): chain = try fields.byteStrings("chain")
        case (nil, nil): chain = []
        case (.some, .some): throw fields.error("chain", "certificate and chain exclude each other")
        }
        guard let binding = fields[bindingField] else { throw fields.missing(bindingField) }
        return CertificateInput(
            seen: SeenCertificate(host: host, chain: chain, challenge: challenge),
            carried: try carried(binding, path: fields.path(of: bindingField)),
            presented: try presented(fields))
    }

    private static func carried(_ value: RecordValue, path: String) throws(RecordError) -> EvidenceRecord {
        let fields = try RecordFields(value, path: path)
        try fields.requireOnly(["kind", "evidence"])
        guard let kind = try fields.text("kind", atMost: InputLimits.recordName) else { throw fields.missing("kind") }
        guard let evidence = fields["evidence"] else { throw fields.missing("evidence") }
        return EvidenceRecord(
            id: nil, kind: EvidenceKind(kind), app: nil, receivedAt: nil,
            evidence: try RecordFields(evidence, path: fields.path(of: "evidence")).object.withoutNulls, expect: nil)
    }

    private static func presented(_ fields: RecordFields) throws(RecordError) -> PresentedLeaves? {
        guard let value = fields[presentedField] else { return nil }
        guard case .array(let elements) = value.content else {
            throw fields.error(presentedField, "expected a list of objects, found \(value.kindName)")
        }
        var leaves: [PresentedLeaves.Leaf] = []
        for element in elements {
            let leaf = try RecordFields(element, path: fields.path(of: presentedField))
            try leaf.requireOnly(["leaf", "pin"])
            leaves.append(PresentedLeaves.Leaf(digest: try leaf.bytes("leaf"), pin: try leaf.bytes("pin")))
        }
        return PresentedLeaves(leaves)
    }
}

extension RecordFields {
    /// The bytes of a list of base64 texts.
    fileprivate func byteStrings(_ name: String) throws(RecordError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for text in try texts(name) {
            do throws(DecodeError) { all.append(try Base64.decode(text, .standard)) } catch {
                throw self.error(name, "expected standard base64 with padding: \(error.message)")
            }
        }
        return all
    }
}

extension EvidenceRecord {
    /// This evidence as that of the record that carries it.
    func carried(for app: String, _ carrier: EvidenceRecord) -> EvidenceRecord {
        var record = self
        (record.app, record.account, record.receivedAt) = (app, carrier.account, carrier.receivedAt)
        return record
    }

    /// The evidence that the record carries; nil for none, or for a record that cannot be read.
    package var carried: EvidenceRecord? {
        guard kind == .mitmCertificate, let input = try? CertificateInput.read(evidence) else { return nil }
        return input.carried
    }

    /// The record with other carried evidence.
    func carrying(_ carried: RecordObject) -> EvidenceRecord {
        var record = self
        record.evidence = RecordObject(
            evidence.members.map { member in
                guard member.name.isByteEqual(to: CertificateInput.bindingField),
                    case .object(let binding) = member.value.content
                else { return member }
                let members = binding.members.map { part in
                    part.name.isByteEqual(to: "evidence")
                        ? RecordObject.Member(
                            name: part.name, offset: part.offset,
                            value: RecordValue(.object(carried), offset: part.value.offset)) : part
                }
                return RecordObject.Member(
                    name: member.name, offset: member.offset,
                    value: RecordValue(
                        .object(RecordObject(members, offset: binding.offset)), offset: member.value.offset))
            }, offset: evidence.offset)
        return record
    }

    /// Composes the record of a certificate that an app saw.
    ///
    /// - Parameters:
    ///   - seen: host, certificates and challenge as the app sent them.
    ///   - record: the evidence that covers them, of the same app and device. The new record has its name, app, account, device token
    ///     and time.
    public init(_ seen: SeenCertificate, carriedBy record: EvidenceRecord) {
        var members: [(String, RecordValue.Content)] = [
            ("host", .text(seen.host)), ("challenge", .text(seen.challenge)),
        ]
        let texts = seen.chain.map { Base64.encode($0, .standard) }
        if texts.count == 1 { members.append(("certificate", .text(texts[0]))) }
        if texts.count > 1 { members.append(("chain", .array(texts.map { RecordValue(.text($0), offset: 0) }))) }
        let binding = RecordObject([("kind", .text(record.kind.name)), ("evidence", .object(record.evidence))])
        members.append((CertificateInput.bindingField, .object(binding)))
        self.init(
            id: record.id, kind: .mitmCertificate, app: record.app, account: record.account,
            deviceToken: record.deviceToken, deviceBits: record.deviceBits, receivedAt: record.receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}

// MARK: Captures

extension CertificateEngine {
    /// The carried evidence: which of its fields are sensitive depends on its kind.
    package static let sensitiveFields = [
        SensitiveField(
            CertificateInput.bindingField, of: .mitmCertificate, substitute: .none,
            reveals: "what evidence of the carried kind reveals")
    ]

    /// What the app saw and what the host presented, which name no person.
    package static func retainedFields(of kind: EvidenceKind) -> [String] {
        ["host", "certificate", "chain", "challenge", CertificateInput.presentedField]
    }

    /// The evidence with what the host presented, and never with what the evidence says of that.
    package static func captured(_ evidence: RecordObject, judged verdict: Verdict) -> RecordObject {
        var record = EvidenceRecord(
            id: nil, kind: .mitmCertificate, app: nil, receivedAt: nil, evidence: evidence, expect: nil)
        if let carried = record.carried, let engine = EngineRegistry.standard.engine(for: carried.kind) {
            record = record.carrying(engine.captured(carried.evidence, judged: verdict))
        }
        var members = record.evidence.members.filter {
            !$0.name.isByteEqual(to: CertificateInput.presentedField)
        }
        if let presented = verdict.certificate?.presented {
            let leaves = presented.leaves.map { leaf in
                RecordValue(
                    .object(
                        RecordObject([
                            ("leaf", .text(Base64.encode(leaf.digest, .standard))),
                            ("pin", .text(Base64.encode(leaf.pin, .standard))),
                        ])), offset: 0)
            }
            members += RecordObject([(CertificateInput.presentedField, .array(leaves))]).members
        }
        return RecordObject(members, offset: evidence.offset)
    }

    /// That of the carried evidence.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        record.carried.flatMap(EngineRegistry.standard.orderingKey)
    }

    package static let dimensions = [SubjectDimension("host", "Host of the certificate")]
}
