extension JSONWebKey {
    /// Reads a public key of P-256 to which a JWE is to be encrypted with `ECDH-ES` (RFC 7518 section 6.2.1).
    ///
    /// - Returns: the uncompressed point, 65 bytes.
    /// - Throws: ``DecodeError`` for a private key, another type or curve, a point that is not on the curve, and for `use`, `alg` and
    ///   `key_ops` that do not allow key agreement.
    package static func agreementPoint(_ object: RecordObject) throws(DecodeError) -> [UInt8] {
        for (name, expected) in [("use", "enc"), ("alg", "ECDH-ES")] {
            guard let value = object[name] else { continue }
            guard case .text(let found) = value.content, found.isByteEqual(to: expected) else {
                throw DecodeError(
                    .unexpectedValue, at: value.offset, field: name,
                    "expected \"\(expected)\", which the key is used for here")
            }
        }
        if let value = object["key_ops"] {
            // RFC 7518 has none for the public key of an agreement.
            guard case .array(let operations) = value.content, operations.isEmpty else {
                throw DecodeError(
                    .unexpectedValue, at: value.offset, field: "key_ops",
                    "expected none or an empty list: the public key of an agreement has no operation")
            }
        }
        let others = object.members.filter { !["use", "alg", "key_ops"].containsBytes(of: $0.name) }
        guard let key = try JSONWebKey(RecordObject(others, offset: object.offset)).key?.p256 else {
            throw DecodeError(.unexpectedValue, at: object.offset, field: "kty", "expected EC with the curve P-256")
        }
        return key.x963Representation
    }
}
