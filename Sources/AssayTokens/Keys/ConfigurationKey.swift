package import AssayCore
package import AssayPrimitives
package import FoundationEssentials

/// A key that signs the configurations of apps. No token is signed with it: the keys of tokens change every 90 days, and an app that
/// is opened later would accept no configuration any more.
package final class ConfigurationKey: KeyMaterial {
    /// The purpose of keys of this type.
    package static let purpose = KeyPurpose("assay-configuration")
    /// The parts of a key.
    package static let parts = [
        KeyPart(
            TokenKey.privateKeyPart, .secret, isRequired: true,
            form: "a P-256 key: PEM of PKCS #8, or base64 of the 32 bytes of its scalar")
    ]

    /// Signs.
    package let signer: TokenSigner

    /// The algorithm.
    package var algorithm: String { "ES256" }

    /// The algorithm and the ID of the key.
    package var summary: String { "ES256 \(signer.keyID)" }

    /// Reads a key.
    ///
    /// - Throws: ``KeyError`` without any of the secret's text.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        let part = TokenKey.privateKeyPart
        guard let text = parts[part] else { throw KeyError("missing-part", part: part, "the part is missing") }
        if let key = try? ECDSAPrivateKey(pem: text), let signer = try? TokenSigner(key) {
            self.signer = signer
        } else {
            signer = try TokenKey.signer(text)
        }
    }

    /// The IDs of all keys that may sign now or later, in a fixed order.
    package static func keyIDs(_ named: [NamedKey], at now: Date) -> [String] {
        named.filter { key in
            switch key.state(at: now) {
            case .live, .pending: true
            case .expired, .retired: false
            }
        }.compactMap { ($0.material as? ConfigurationKey)?.signer.keyID }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The keys of an app at a time: those that may sign now or later, the one that signs first. It is the oldest, because most apps
    /// know it; a new key signs when the older ones are retired, or have ended.
    package static func signers(_ named: [NamedKey], of app: String, at now: Date) -> [TokenSigner] {
        let known = named.filter { $0.scope.map { $0.isByteEqual(to: app) } ?? true }
        func signers(_ states: (KeyState) -> Bool) -> [(from: Date, signer: TokenSigner)] {
            known.filter { states($0.state(at: now)) }.compactMap { key in
                (key.material as? ConfigurationKey).map { (key.usableFrom, $0.signer) }
            }
            // By ID among equal times, so that every server has the same order.
            .sorted {
                $0.from == $1.from
                    ? $0.signer.keyID.utf8.lexicographicallyPrecedes($1.signer.keyID.utf8) : $0.from < $1.from
            }
        }
        let live = signers { $0 == .live }
        let coming = signers { if case .pending = $0 { true } else { false } }
        guard !live.isEmpty else { return [] }
        return (live + coming).map(\.signer)
    }
}

extension TokenSigner {
    /// The public key as a JSON Web Key (RFC 7517).
    package var publicKey: RecordObject {
        let (x, y) = JWKThumbprint.coordinates(publicPoint)
        return RecordObject([
            ("kty", .text("EC")), ("crv", .text("P-256")), ("x", .text(x)), ("y", .text(y)), ("use", .text("sig")),
            ("alg", .text("ES256")), ("kid", .text(keyID)),
        ])
    }
}
