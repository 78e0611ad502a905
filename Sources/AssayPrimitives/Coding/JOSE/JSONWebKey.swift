/// One verification key, of a JWK Set or of a header (RFC 7517 section 4, RFC 7518 section 6).
package struct JSONWebKey: Sendable {
    /// `kid`.
    let keyID: String?
    /// Whether the key is a shared secret; nil for an unknown key type.
    let isSymmetric: Bool?
    /// The key; nil for an unknown key type or curve.
    package let key: JWSKey?

    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth"]

    /// Reads a key.
    /// - Throws: ``DecodeError``, whose field is the invalid member.
    package init(_ object: RecordObject) throws(DecodeError) {
        let type = try JSONWebKey.requiredText("kty", in: object)
        keyID = try JSONWebKey.text("kid", in: object)
        for member in object.members where JSONWebKey.privateMembers.containsBytes(of: member.name) {
            throw DecodeError(
                .unexpected, at: member.offset, field: member.name, "a private key; only public ones verify")
        }
        if type.isByteEqual(to: "RSA") {
            isSymmetric = false
            let modulus = try JSONWebKey.bytes("n", in: object)
            let exponent = try JSONWebKey.bytes("e", in: object)
            key = try JSONWebKey.naming("n, e", object) { () throws(DecodeError) in
                .rs256(try RSAPublicKey(modulus: modulus, exponent: exponent))
            }
        } else if type.isByteEqual(to: "EC") {
            isSymmetric = false
            let curve = try JSONWebKey.requiredText("crv", in: object)
            key = curve.isByteEqual(to: "P-256") ? try JSONWebKey.p256(object) : nil
        } else if type.isByteEqual(to: "oct") {
            isSymmetric = true
            var secret = try JSONWebKey.bytes("k", in: object)
            defer { SecretBytes.wipe(&secret) }
            key = try JSONWebKey.naming("k", object) { () throws(DecodeError) in try .hs256(SecretBytes(secret)) }
        } else {
            isSymmetric = nil
            key = nil
        }
        if let key { try JSONWebKey.requireUse(key.algorithm, isSymmetric: isSymmetric == true, in: object) }
    }

    private static func p256(_ object: RecordObject) throws(DecodeError) -> JWSKey {
        let x = try bytes("x", in: object)
        let y = try bytes("y", in: object)
        return try naming("x, y", object) { () throws(DecodeError) in
            // RFC 7518 section 6.2.1.2: coordinates have their full length.
            guard x.count == 32, y.count == 32 else {
                throw DecodeError(
                    .unexpectedLength, at: 0, "\(x.count) and \(y.count) bytes, coordinates of P-256 have 32 each")
            }
            return try .es256(ECDSAPublicKey(x963: [0x04] + x + y, curve: .p256))
        }
    }

    /// Throws if `alg`, `use` or `key_ops` is present and does not allow verification with this algorithm.
    private static func requireUse(
        _ algorithm: String, isSymmetric: Bool, in object: RecordObject
    ) throws(DecodeError) {
        for (name, expected) in [("alg", algorithm), ("use", "sig")] {
            guard let found = try text(name, in: object), !found.isByteEqual(to: expected) else { continue }
            throw DecodeError(
                .unexpectedValue, at: object[name]?.offset ?? object.offset, field: name,
                "expected \"\(expected)\", found \"\(found.excerpt)\"")
        }
        guard let operations = object["key_ops"] else { return }
        guard case .array(let elements) = operations.content else {
            throw DecodeError(
                .unexpectedType, at: operations.offset, field: "key_ops",
                "expected an array, found \(operations.kindName)")
        }
        // The holder of a shared secret can both sign and verify.
        let allowed = isSymmetric ? ["sign", "verify"] : ["verify"]
        var seen: [String] = []
        for element in elements {
            guard case .text(let operation) = element.content, allowed.containsBytes(of: operation),
                !seen.containsBytes(of: operation)
            else {
                throw DecodeError(
                    .unexpectedValue, at: element.offset, field: "key_ops",
                    "allowed are \(allowed.joined(separator: ", ")), each once")
            }
            seen.append(operation)
        }
        guard seen.containsBytes(of: "verify") else {
            throw DecodeError(.missing, at: operations.offset, field: "key_ops", "the key is not for verifying")
        }
    }

    private static func text(_ name: String, in object: RecordObject) throws(DecodeError) -> String? {
        guard let value = object[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw DecodeError(
                .unexpectedType, at: value.offset, field: name, "expected a string, found \(value.kindName)")
        }
        return text
    }

    private static func requiredText(_ name: String, in object: RecordObject) throws(DecodeError) -> String {
        guard let text = try text(name, in: object) else {
            throw DecodeError(.missing, at: object.offset, field: name, "the member is missing")
        }
        return text
    }

    private static func bytes(_ name: String, in object: RecordObject) throws(DecodeError) -> [UInt8] {
        let text = try requiredText(name, in: object)
        return try naming(name, object) { () throws(DecodeError) in
            do throws(DecodeError) {
                return try Base64.decode(text, .url)
            } catch {
                // The decoder's own message shows a character, which may belong to a secret.
                throw DecodeError(error.reason, at: error.offset, "not base64url without padding")
            }
        }
    }

    /// Replaces offset and field of an error in a member's contents with those of the member.
    private static func naming<Result>(
        _ name: String, _ object: RecordObject, _ body: () throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        do throws(DecodeError) {
            return try body()
        } catch {
            throw DecodeError(error.reason, at: object[name]?.offset ?? object.offset, field: name, error.message)
        }
    }
}
