import AssayPrimitives

/// The digest of a standard token in the ledger.
enum StandardDigest {
    static func token(_ token: String) -> [UInt8] {
        Digest.sha256(Array("assay play-integrity.standard token\0".utf8)[...], Array(token.utf8)[...])
    }

    /// The digest of a payload without a known token. Covers its values, not its text.
    ///
    /// White space, escapes, member order, members that are `null`, and the form of 64-bit integers (string or number) do not change
    /// the digest. Hashes every value with its type and length: different values never give the same input.
    static func payload(_ payload: RecordObject) -> [UInt8] {
        var bytes = Array("assay play-integrity.standard payload\0".utf8)
        bytes.reserveCapacity(2048)
        append(payload, to: &bytes)
        return Digest.sha256(bytes)
    }

    private static func append(_ object: RecordObject, to bytes: inout [UInt8]) {
        let members = object.withoutNulls.members
        append(count: members.count, kind: "o", to: &bytes)
        // By index: sorted members would be copied.
        for index in members.indices.sorted(by: {
            members[$0].name.utf8.lexicographicallyPrecedes(members[$1].name.utf8)
        }) {
            append(text: members[index].name, kind: "k", to: &bytes)
            append(members[index].value, to: &bytes)
        }
    }

    private static func append(_ value: RecordValue, to bytes: inout [UInt8]) {
        switch value.content {
        case .null: append(count: 0, kind: "z", to: &bytes)
        case .flag(let flag): append(count: flag ? 1 : 0, kind: "b", to: &bytes)
        case .number(let text), .text(let text): append(text: text, kind: "t", to: &bytes)
        case .array(let elements):
            append(count: elements.count, kind: "a", to: &bytes)
            for element in elements { append(element, to: &bytes) }
        case .object(let object): append(object, to: &bytes)
        }
    }

    private static func append(text: String, kind: Unicode.Scalar, to bytes: inout [UInt8]) {
        append(count: text.utf8.count, kind: kind, to: &bytes)
        bytes += text.utf8
    }

    private static func append(count: Int, kind: Unicode.Scalar, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: kind))
        withUnsafeBytes(of: UInt64(count).bigEndian) { bytes += $0 }
    }
}
