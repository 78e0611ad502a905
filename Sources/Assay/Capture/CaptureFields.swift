public import AssayCore
import AssayPrimitives

/// The protection of the evidence in captured records.
public enum CaptureFields: Sendable {
    /// Stores evidence as received.
    case keep
    /// Removes sensitive fields or replaces them by their digest; see `EvidenceRecord.redacted()`.
    case redact
    /// Encrypts evidence, account, device token and device bits, unreadable for the capturing host. Kind, app, time, ID and
    /// expectation stay readable.
    case seal(to: CapturePublicKey)
}

/// The options of a capture.
public struct CaptureOptions: Sendable {
    /// The protection of evidence.
    public var fields = CaptureFields.keep
    /// What records contain of network addresses; usually `addresses` of the policy. Tokens and header fields with addresses stay as
    /// they are, since a change would make them false.
    public var addresses = AddressRule.keep
    /// The maximum size of a file in bytes, unless one record is larger.
    public var maximumBytes = 64 * 1024 * 1024
    /// The maximum time between the first and the last record of a file, in seconds.
    public var maximumAge = 3600.0
    /// How many capture files the folder keeps, including the current one; nil for all. Removes the oldest files by the
    /// time in their names, including those of other processes.
    public var maximumFiles: Int?
    /// The maximum total size of the folder's capture files without the current one, in bytes; nil for no limit.
    public var maximumTotalBytes: Int?
    /// How long records are kept, in seconds; nil for ever. Removes capture files whose first record is older, including those of other
    /// processes, when a file begins.
    public var keepFor: Double?

    /// Evidence as received, in files of at most 64 MiB and one hour, without removal.
    public init() {}

    /// Decides which keys ``SampledCapture`` captures: the first bytes of the digest of the public key, which clients do not know.
    package var salt: UInt64 {
        guard case .seal(let key) = fields else { return SampledCapture.mixers.0 }
        return Digest.sha256(Array(key.text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    func validate() throws(CaptureError) {
        guard maximumBytes > 0, maximumAge > 0, maximumFiles ?? 1 > 0, maximumTotalBytes ?? 1 > 0,
            keepFor ?? 1 > 0
        else {
            throw CaptureError(.option, "the limits of captures are greater than zero")
        }
    }
}

extension EvidenceRecord {
    /// The record without its sensitive fields, and without fields that its kind does not have.
    ///
    /// - A request loses its target, fields, body and address, and can no longer be judged.
    /// - `certificates` of an Android key attestation are removed if they have an IMEI, a MEID, a serial number of the device or its
    ///   unique ID, or a tag that may be one. The record can then no longer be judged.
    /// - `clientData` of an assertion becomes `clientDataHash`, its SHA-256 digest. The record can still be judged, but
    ///   a policy that reads the challenge from the client data rejects it. A digest does not hide a guessable request.
    /// - `account` becomes `sha256:` and its SHA-256 digest in base64url: equal accounts stay equal. A digest does not hide an account
    ///   that can be guessed.
    /// - `deviceToken` is removed: with it and the key of the team, Apple can be asked about the device. `deviceBits` stays.
    /// - `property` is removed: an app may put a person's name there.
    /// - `token` of Play Integrity is removed, and the record can no longer be judged. Google's answer `decoded` stays.
    ///
    /// `redacted` in the record names what was removed or replaced. Replays report a record that cannot be judged without it as
    /// `redacted`, and never as false evidence.
    /// - Throws: ``CaptureError`` for a kind that no engine judges: its sensitive fields are unknown.
    public func redacted() throws(CaptureError) -> EvidenceRecord { try redacted(knowing: .standard) }

    /// The record without the fields that an engine of a registry declares as sensitive.
    package func redacted(knowing engines: EngineRegistry) throws(CaptureError) -> EvidenceRecord {
        guard let engine = engines.engine(for: kind) else {
            throw CaptureError(
                .record, "unknown kind \(kind.name.excerpt): which of its fields are sensitive is not known")
        }
        let sensitive = engine.sensitiveFields.filter { $0.kind == kind }
        let retained = engine.retainedFields(of: kind)
        var redacted = redacted
        func note(_ path: String) { if !redacted.containsBytes(of: path) { redacted.append(path) } }
        let members = evidence.members.compactMap { member -> RecordObject.Member? in
            guard let field = sensitive.first(where: { $0.name.isByteEqual(to: member.name) }) else {
                if retained.containsBytes(of: member.name) { return member }
                // The name may be sensitive too.
                note(Self.unknownFields)
                return nil
            }
            guard field.isSensitive(member.value) else { return member }
            note(Self.evidencePath + field.name)
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
        var record = with(RecordObject(members, offset: evidence.offset))
        if let account, !redacted.containsBytes(of: Self.accountPath) || !account.hasPrefix(Self.digest) {
            note(Self.accountPath)
            record.account = Self.digest + Base64.encode(Digest.sha256(Array(account.utf8)), .url)
        }
        if deviceToken != nil { note("deviceToken") }
        record.deviceToken = nil
        if property != nil { note("property") }
        record.property = nil
        record.redacted = redacted
        return record
    }

    private static let evidencePath = "evidence."
    private static let unknownFields = "evidence.*"
    private static let accountPath = "account"
    private static let digest = "sha256:"

    /// The redacted fields without which the record cannot be judged. A digest stands for its field, and Apple's bits for a token.
    package func indispensableFields(knowing engines: EngineRegistry) -> [String] {
        guard !redacted.isEmpty else { return [] }
        let fields = engines.engine(for: kind)?.sensitiveFields.filter { $0.kind == kind } ?? []
        return redacted.filter { path in
            guard path.utf8.starts(with: Self.evidencePath.utf8) else { return false }
            guard let field = fields.first(where: { path.isByteEqual(to: Self.evidencePath + $0.name) }),
                case .sha256(let name) = field.substitute
            else { return true }
            return evidence[name] == nil
        }
    }

    /// The redacted field on which a rejection rests; nil if the verdict holds for the whole record as well.
    package func redactedField(behind verdict: Verdict, knowing engines: EngineRegistry) -> String? {
        guard !redacted.isEmpty, verdict.outcome == .reject, let failed = verdict.failed.first else { return nil }
        if redacted.containsBytes(of: Self.accountPath), failed.name.hasSuffix(".account") { return Self.accountPath }
        return engines.engine(for: kind)?.sensitiveFields.first { field in
            field.kind == kind && field.checks.contains(failed)
                && redacted.containsBytes(of: Self.evidencePath + field.name)
        }.map { Self.evidencePath + $0.name }
    }

    /// The record with what a rule shows of its address.
    func showing(_ addresses: AddressRule) -> EvidenceRecord {
        if let carried { return carrying(carried.showing(addresses).evidence) }
        guard case .text(let address)? = evidence["address"]?.content else { return self }
        let shown = addresses.text(of: address)
        guard shown != address else { return self }
        return with(
            RecordObject(
                evidence.members.compactMap { member in
                    guard member.name.isByteEqual(to: "address") else { return member }
                    return shown.map {
                        RecordObject.Member(
                            name: member.name, offset: member.offset,
                            value: RecordValue(.text($0), offset: member.value.offset))
                    }
                }, offset: evidence.offset))
    }

    /// The captured line of the record, including its line feed.
    package func captureLine(_ fields: CaptureFields) throws(CaptureError) -> [UInt8] {
        guard (id?.utf8.count ?? 0) <= InputLimits.recordID, kind.name.utf8.count <= InputLimits.recordName,
            (app?.utf8.count ?? 0) <= InputLimits.recordName, (account?.utf8.count ?? 1) <= InputLimits.account,
            account != ""
        else {
            throw CaptureError(
                .record,
                "the id, the kind, the app or the account of the record is too long or empty, and could not be read again"
            )
        }
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
