package import AssayCore
package import FoundationEssentials

/// The status list that a verdict rests on, in a record `"statusList": {"digest": "...", "fetchedAt": "2026-11-24T12:00:00Z"}`.
package struct AttestationStatusReference: Sendable, Equatable {
    /// The field of a record's evidence.
    package static let recordField = "statusList"

    /// SHA-256 of the list, 32 bytes.
    package let digest: [UInt8]
    /// When the list was fetched or last confirmed; nil if that is not known.
    package let fetchedAt: Date?

    package init(digest: [UInt8], fetchedAt: Date?) {
        self.digest = digest
        self.fetchedAt = fetchedAt
    }

    /// Reads the optional field of a record's evidence.
    package init?(in fields: RecordFields) throws(RecordError) {
        guard let value = fields[Self.recordField] else { return nil }
        let members = try RecordFields(value, path: fields.path(of: Self.recordField))
        try members.requireOnly(["digest", "fetchedAt"])
        let digest = try members.bytes("digest")
        guard digest.count == 32 else {
            throw members.error("digest", "expected 32 bytes, SHA-256 of the list, found \(digest.count)")
        }
        var fetchedAt: Date?
        if let time = members["fetchedAt"] {
            guard case .text(let text) = time.content, let date = RFC3339.parse(text) else {
                throw members.error("fetchedAt", "expected an RFC 3339 time, found \(time.excerpt)")
            }
            fetchedAt = date
        }
        self.init(digest: digest, fetchedAt: fetchedAt)
    }

    /// The field of a record's evidence.
    package var recordMember: (String, RecordValue.Content) {
        var members: [(String, RecordValue.Content)] = [("digest", .text(Base64.encode(digest, .standard)))]
        if let fetchedAt { members.append(("fetchedAt", .text(RFC3339.format(fetchedAt)))) }
        return (Self.recordField, .object(RecordObject(members)))
    }
}

extension AttestationStatusList: ConsultedDocument {
    package static var folder: String { "status-lists" }

    package var bytes: [UInt8] { json }

    package init(bytes: [UInt8]) throws(DecodeError) { try self.init(json: bytes, fetchedAt: nil) }

    /// The name of this list in verdicts and records.
    package var reference: AttestationStatusReference {
        AttestationStatusReference(digest: digest, fetchedAt: fetchedAt)
    }
}
