import Assay
public import AssayCore
import AssayPrimitives

/// What becomes of the evidence of captured records.
public enum CaptureFields: Sendable {
    /// It is kept as it came.
    case keep
    /// What tells something about a person, or lets its holder act for one, is left out or replaced by its digest; see
    /// `EvidenceRecord.redacted()`.
    case redact
    /// All of it is sealed for a key. The host that captures cannot read what it wrote; kind, app, time, name and
    /// expectation stay in clear.
    case seal(to: CapturePublicKey)
}

extension EvidenceRecord {
    /// The record without the fields of ``Assay/Verifier/sensitiveFields``.
    ///
    /// - `clientData` of an assertion becomes `clientDataHash`, its SHA-256 digest. Everything but what is in the client
    ///   data can be judged: a policy that looks for the challenge in it rejects the record. A digest hides a request only
    ///   as far as nobody can guess it.
    /// - `token` of Play Integrity is left out, and the record cannot be judged: nothing can stand in for a token. Google's
    ///   answer in `decoded` stays.
    ///
    /// - Throws: ``CaptureError`` for a kind that no engine judges: what of it is sensitive is not known.
    public func redacted() throws(CaptureError) -> EvidenceRecord {
        guard Verifier.kinds.contains(kind) else {
            throw CaptureError(
                .record, "no engine judges \(kind.name.excerpt), so it is not known which of its fields are sensitive")
        }
        let sensitive = Verifier.sensitiveFields.filter { $0.kind == kind }
        let members = evidence.members.compactMap { member -> RecordObject.Member? in
            guard let field = sensitive.first(where: { $0.name.isByteEqual(to: member.name) }) else { return member }
            switch field.substitute {
            case .none: return nil
            case .sha256(let name):
                // What is no base64 has no bytes to be hashed, and must not stay for that.
                guard evidence[name] == nil, case .text(let text) = member.value.content,
                    let bytes = try? Base64.decode(text, .standard)
                else { return nil }
                let digest = RecordValue.Content.text(Base64.encode(Digest.sha256(bytes), .standard))
                return RecordObject.Member(
                    name: name, offset: member.offset, value: RecordValue(digest, offset: member.value.offset))
            }
        }
        return with(RecordObject(members, offset: evidence.offset))
    }

    /// The line that is captured of a record, with its line feed.
    package func captureLine(_ fields: CaptureFields) throws(CaptureError) -> [UInt8] {
        guard (id?.utf8.count ?? 0) <= InputLimits.recordID, kind.name.utf8.count <= InputLimits.recordName,
            (app?.utf8.count ?? 0) <= InputLimits.recordName
        else { throw CaptureError(.record, "the id, the kind or the app of the record is too long to be read again") }
        let line: String
        switch fields {
        case .keep: line = jsonLine
        case .redact: line = try redacted().jsonLine
        case .seal(let key): line = try sealedLine(for: key)
        }
        guard line.utf8.count <= InputLimits.record else {
            throw CaptureError(
                .record, "the record has \(line.utf8.count) bytes, and at most \(InputLimits.record) can be read again")
        }
        return Array(line.utf8) + [UInt8(ascii: "\n")]
    }
}
