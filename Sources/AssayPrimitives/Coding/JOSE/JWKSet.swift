/// A JWK Set (RFC 7517 section 5) of verification keys, which decide what is accepted: one invalid key rejects the set.
/// Keys of unknown type or curve are ignored (section 5); a header that names one of them finds no key.
package struct JWKSet: Sendable {
    private struct Entry: Sendable {
        let keyID: String
        let jwk: JSONWebKey
    }

    private let entries: [Entry]

    /// Reads a set: an object with `keys`, each of which has a unique `kid`. Rejects: a missing or duplicate `kid`;
    /// symmetric beside asymmetric keys, because a public key must never serve as a secret; a `use`, `key_ops` or `alg`
    /// that does not allow verification with the key's algorithm; RSA keys that ``RSAPublicKey`` rejects; P-256 points
    /// not on the curve; symmetric keys of less than 32 bytes; and private keys.
    ///
    /// The JSON text of symmetric keys is not wiped; if that matters, store them in `SecretBytes` instead.
    /// - Throws: ``DecodeError`` with a field such as `keys.1.alg`.
    package init(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
        let object = try JSONReader.readObject(bytes, limit: InputLimits.keySet)
        guard let keys = object["keys"] else {
            throw DecodeError(.missing, at: object.offset, field: "keys", "the set has no keys")
        }
        guard case .array(let elements) = keys.content else {
            throw DecodeError(
                .unexpectedType, at: keys.offset, field: "keys", "expected an array, found \(keys.kindName)")
        }
        var entries: [Entry] = []
        for (index, element) in elements.enumerated() {
            do throws(DecodeError) {
                let entry = try JWKSet.entry(element)
                guard !entries.contains(where: { $0.keyID.isByteEqual(to: entry.keyID) }) else {
                    throw DecodeError(
                        .duplicateKey, at: element.offset, field: "kid",
                        "the key ID \"\(entry.keyID.excerpt)\" comes twice")
                }
                entries.append(entry)
            } catch {
                throw error.within("keys.\(index)")
            }
        }
        let kinds = Set(entries.compactMap(\.jwk.isSymmetric))
        guard kinds.count < 2 else {
            throw DecodeError(
                .unexpectedValue, at: keys.offset, field: "keys", "symmetric and asymmetric keys in one set")
        }
        self.entries = entries
    }

    /// Reads a set from an array.
    package init(_ bytes: [UInt8]) throws(DecodeError) {
        try self.init(bytes[...])
    }

    private static func entry(_ value: RecordValue) throws(DecodeError) -> Entry {
        guard case .object(let object) = value.content else {
            throw DecodeError(.unexpectedType, at: value.offset, "expected an object, found \(value.kindName)")
        }
        let jwk = try JSONWebKey(object)
        guard let keyID = jwk.keyID else {
            throw DecodeError(.missing, at: object.offset, field: "kid", "the key has no ID to be selected by")
        }
        return Entry(keyID: keyID, jwk: jwk)
    }

    /// The IDs of the usable keys, in the order of the set.
    package var keyIDs: [String] {
        entries.filter { $0.jwk.key != nil }.map(\.keyID)
    }

    /// The key with an ID, compared byte for byte; nil if there is none or its type is unknown. Never a fallback key.
    package func key(_ keyID: String) -> JWSKey? {
        entries.first { $0.keyID.isByteEqual(to: keyID) }?.jwk.key
    }

    /// The key that a header names.
    /// - Throws: ``JOSEError`` with ``JOSEError/Code/missingKeyID`` or ``JOSEError/Code/unknownKeyID``.
    package func key(for header: JOSEHeader) throws(JOSEError) -> JWSKey {
        guard let keyID = header.keyID else {
            throw JOSEError(.missingKeyID, "the header names no key, which is needed to select one of a set")
        }
        guard let key = key(keyID) else {
            throw JOSEError(.unknownKeyID, "the header names the key \"\(keyID.excerpt)\", which the set does not have")
        }
        return key
    }
}
