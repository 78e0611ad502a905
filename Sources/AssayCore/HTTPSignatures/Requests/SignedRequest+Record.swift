package import AssayPrimitives

extension SignedRequest {
    /// The fields of a request in a record, besides `bodyDigest`.
    package static let recordFields = ["method", "targetURI", "headers", "body", "address"]
    /// The field with the digests of a body that the record does not contain.
    package static let digestField = "bodyDigest"
    /// The maximum length of an address in bytes. The longest IPv6 address has 45.
    private static let addressLimit = 64

    /// Reads `method`, `targetURI`, `headers` (a list of pairs of name and value), and optionally `address` and either
    /// `body` or `bodyDigest` (`sha-256`, `sha-512` or both, in the form of Content-Digest). The caller must reject
    /// unknown fields.
    package init(_ record: RecordFields) throws(RecordError) {
        guard let method = try record.text("method") else { throw record.missing("method") }
        guard let targetURI = try record.text("targetURI") else { throw record.missing("targetURI") }
        guard let headers = record["headers"] else { throw record.missing("headers") }
        guard case .array(let elements) = headers.content else {
            throw record.error("headers", "expected a list of pairs of name and value, found \(headers.kindName)")
        }
        var fields: [Field] = []
        fields.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .array(let pair) = element.content, pair.count == 2, case .text(let name) = pair[0].content,
                case .text(let value) = pair[1].content
            else {
                throw RecordError(
                    field: "\(record.path(of: "headers"))[\(index)]", offset: element.offset,
                    "expected a list of two strings, name and value")
            }
            fields.append(Field(name, value))
        }
        self.init(
            method: method, targetURI: targetURI, fields: fields, body: try Self.body(record),
            address: try record.text("address", atMost: Self.addressLimit))
    }

    private static func body(_ record: RecordFields) throws(RecordError) -> Body {
        let bytes = try record.optionalBytes("body")
        guard let value = record[digestField] else { return .bytes(bytes ?? []) }
        guard bytes == nil else { throw record.error(digestField, "body and \(digestField) exclude each other") }
        let digests = try RecordFields(value, path: record.path(of: digestField))
        let algorithms = ContentDigest.Algorithm.allCases
        try digests.requireOnly(algorithms.map(\.rawValue))
        func digest(_ algorithm: ContentDigest.Algorithm) throws(RecordError) -> [UInt8]? {
            guard let digest = try digests.optionalBytes(algorithm.rawValue) else { return nil }
            guard digest.count == algorithm.length else {
                throw digests.error(
                    algorithm.rawValue, "expected \(algorithm.length) bytes, found \(digest.count)")
            }
            return digest
        }
        let (sha256, sha512) = (try digest(.sha256), try digest(.sha512))
        guard sha256 != nil || sha512 != nil else {
            throw record.error(
                digestField, "expected \(algorithms.map(\.rawValue).joined(separator: " or ")), found neither")
        }
        return .digests(sha256: sha256, sha512: sha512)
    }

    /// The fields of a record. Reading them gives the same request.
    ///
    /// - Throws: ``DecodeError`` if neither the body nor its digests are known: a later judgement needs one of them.
    package func recordMembers() throws(DecodeError) -> [(String, RecordValue.Content)] {
        func list(_ contents: [RecordValue.Content]) -> RecordValue.Content {
            .array(contents.map { RecordValue($0, offset: 0) })
        }
        var members: [(String, RecordValue.Content)] = [
            ("method", .text(method)), ("targetURI", .text(targetURI)),
            ("headers", list(fields.map { list([.text($0.name), .text($0.value)]) })),
        ]
        switch body {
        case .bytes(let bytes): members.append(("body", .text(Base64.encode(bytes, .standard))))
        case .digests(let sha256, let sha512):
            let digests = [(ContentDigest.Algorithm.sha256, sha256), (.sha512, sha512)].compactMap {
                algorithm, digest in
                digest.map { (algorithm.rawValue, RecordValue.Content.text(Base64.encode($0, .standard))) }
            }
            guard !digests.isEmpty else { fallthrough }
            members.append((Self.digestField, .object(RecordObject(digests))))
        case .unread:
            throw DecodeError(.missing, at: 0, field: "body", "the body was read as it came, and not kept")
        }
        if let address { members.append(("address", .text(address))) }
        return members
    }
}

extension SignedRequest {
    /// The fields of a request that captures omit. A record cannot be judged without them.
    package static func sensitiveFields(of kind: EvidenceKind) -> [SensitiveField] {
        [
            SensitiveField(
                "targetURI", of: kind, substitute: .none,
                reveals: "the target of the request, such as a person in its path or query"),
            SensitiveField(
                "headers", of: kind, substitute: .none,
                reveals: "the fields of the request, such as the session of a user"),
            SensitiveField("body", of: kind, substitute: .none, reveals: "the content of the request"),
            SensitiveField(
                digestField, of: kind, substitute: .none,
                reveals: "the content of the request, where that can be guessed"),
            SensitiveField("address", of: kind, substitute: .none, reveals: "the address of the device"),
        ]
    }
}
