package import Assay
public import AssayCore
import AssayPrimitives

/// How the evidence of captured records is protected.
public enum CaptureFields: Sendable {
    /// Evidence is stored as received.
    case keep
    /// Sensitive fields are removed or replaced by their digest; see `EvidenceRecord.redacted()`.
    case redact
    /// Evidence is encrypted for a key. The capturing host cannot read it; kind, app, time, ID and expectation stay in clear.
    case seal(to: CapturePublicKey)
}

/// How records are captured.
public struct CaptureOptions: Sendable {
    /// How evidence is protected.
    public var fields = CaptureFields.keep
    /// The most bytes of a file, unless one record is larger.
    public var maximumBytes = 64 * 1024 * 1024
    /// How many seconds after its first record a file takes its last one.
    public var maximumAge = 3600.0
    /// How many capture files the folder keeps, the current one included; nil for all. The oldest are removed, by the time in
    /// their names, also those of other processes.
    public var maximumFiles: Int?
    /// How many bytes the capture files of the folder may have together, without the current one; nil for any number.
    public var maximumTotalBytes: Int?

    /// Evidence as received, in files of at most 64 MiB and an hour, all of which are kept.
    public init() {}

    func validate() throws(CaptureError) {
        guard maximumBytes > 0, maximumAge > 0, maximumFiles ?? 1 > 0, maximumTotalBytes ?? 1 > 0 else {
            throw CaptureError(.option, "the limits of captures are greater than zero")
        }
    }
}

extension EvidenceRecord {
    /// The record without the fields of `Verifier.sensitiveFields`.
    ///
    /// - `clientData` of an assertion becomes `clientDataHash`, its SHA-256 digest. The record can still be judged, except by a
    ///   policy that reads the challenge from the client data, which rejects it. A digest hides only a request that cannot be
    ///   guessed.
    /// - `token` of Play Integrity is removed, and the record cannot be judged any more. Google's answer in `decoded` stays.
    ///
    /// - Throws: ``CaptureError`` for a kind of no engine: its sensitive fields are unknown.
    public func redacted() throws(CaptureError) -> EvidenceRecord { try redacted(knowing: .standard) }

    /// The record without the fields that an engine of a registry names as sensitive.
    package func redacted(knowing engines: EngineRegistry) throws(CaptureError) -> EvidenceRecord {
        guard let engine = engines.engine(for: kind) else {
            throw CaptureError(
                .record, "no engine judges \(kind.name.excerpt), so it is not known which of its fields are sensitive")
        }
        let sensitive = engine.sensitiveFields.filter { $0.kind == kind }
        let members = evidence.members.compactMap { member -> RecordObject.Member? in
            guard let field = sensitive.first(where: { $0.name.isByteEqual(to: member.name) }) else { return member }
            switch field.substitute {
            case .none: return nil
            case .sha256(let name):
                // A malformed value has no digest: remove it.
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

    /// The captured line of the record, with its line feed.
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
