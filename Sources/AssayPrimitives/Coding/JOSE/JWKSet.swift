package import AssayCore

/// A set of keys that verify signatures and MACs: a JWK Set (RFC 7517 section 5), read strictly.
///
/// The whole set is refused when one of its keys is wrong: which keys there are decides what is accepted, and a set that
/// says something else than its owner thinks is worse than none. Only keys of a type or curve that is not known here are
/// set aside, as section 5 has it; a header that names one of them finds no key.
package struct JWKSet: Sendable {
    private struct Entry: Sendable {
        let keyID: String
        let jwk: JSONWebKey
    }

    private let entries: [Entry]

    /// Reads a set: an object with `keys`, each of which has a `kid` of its own.
    ///
    /// Refused are: a `kid` that is missing or comes twice; symmetric beside asymmetric keys, since a public key must never
    /// serve as a secret; a `use`, `key_ops` or `alg` that is not for verifying with the key's one algorithm; RSA keys
    /// that ``RSAPublicKey`` refuses; P-256 points that are not on the curve; symmetric keys of less than 32 bytes; and
    /// private keys, which nobody who verifies should have.
    ///
    /// Symmetric keys pass through text that is not wiped; where that matters, keep them apart in `SecretBytes`.
    /// - Throws: ``DecodeError``, whose field is such as `keys.1.alg`.
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

    /// The IDs of the keys that can be selected, in the order of the set.
    package var keyIDs: [String] {
        entries.filter { $0.jwk.key != nil }.map(\.keyID)
    }

    /// The key of an ID, compared by bytes, and nil when there is none or it is of a type that is not known here. No other
    /// key ever stands in for it.
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
