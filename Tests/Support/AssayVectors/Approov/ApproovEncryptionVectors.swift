import AssayTesting
import FoundationEssentials

/// Well-formed encrypted tokens that no live secret opens, or that use other algorithms.
extension ApproovVectorMint {
    private func token(
        _ id: String, _ outcome: VectorOutcome = .reject("token.decryption"),
        _ change: @escaping (inout ApproovTokenBlueprint) throws(MintingError) -> Void
    ) -> VectorCase {
        token("encrypted-\(id)", app: "sealed", outcome) { (blueprint) throws(MintingError) in
            blueprint.form = .encrypted
            try change(&blueprint)
        }
    }

    private func encrypted(_ id: String, _ change: @escaping @Sendable (inout JWEBlueprint) -> Void) -> VectorCase {
        token(id) { $0.changeEncrypted = change }
    }

    var tokenDecryption: [VectorCase] {
        let (secret, iv) = (current.secret, bytes("key-iv/secrets", count: 12))
        let (attacker, other) = (attacker.secret, otherAPI.secret)
        return [
            token("rejected") { $0 = $0.rejected() }, token("of-an-attacker") { $0.keys.secret = attacker },
            token("of-another-api") { $0.keys.secret = other },
            // The key is the digest of the secret, not a part of the secret.
            encrypted("under-first-half") {
                $0.keyManagement = .gcmKeyWrap(Array(secret.prefix(32)), initializationVector: iv)
            },
            encrypted("under-second-half") {
                $0.keyManagement = .gcmKeyWrap(Array(secret.suffix(32)), initializationVector: iv)
            },
            encrypted("under-zero-bytes") { $0.keyManagement = .gcmKeyWrap(.zeros(32), initializationVector: iv) },
            encrypted("key-changed") { $0.changeEncryptedKey = { $0.flippingLastBit() } },
            encrypted("iv-changed") { $0.changeInitializationVector = { $0.flippingLastBit() } },
            encrypted("ciphertext-changed") { $0.changeCiphertext = { $0.flippingLastBit() } },
            encrypted("ciphertext-shorter") { $0.changeCiphertext = { $0.dropLast() } },
            encrypted("ciphertext-longer") { $0.changeCiphertext = { $0 + [0] } },
            encrypted("ciphertext-empty") { $0.changeCiphertext = { _ in [] } },
            encrypted("tag-changed") { $0.changeTag = { $0.flippingLastBit() } },
            encrypted("tag-of-12") { $0.changeTag = { Array($0.prefix(12)) } },
            encrypted("tag-of-4") { $0.changeTag = { Array($0.prefix(4)) } },
            encrypted("without-tag") { $0.changeTag = { _ in [] } },
            encrypted("without-iv") { $0.changeInitializationVector = { _ in [] } },
            encrypted("iv-of-16") { $0.changeInitializationVector = { $0 + [0, 0, 0, 0] } },
            encrypted("tag-zero") { $0.changeTag = { $0.map { _ in 0 } } },
            // The header is authenticated as written.
            encrypted("header-with-a-space-more") { $0.changeParts = { $0[0] = withSpace($0[0]) } },
            encrypted("key-tag-changed") { $0.header["tag"] = .text(Base64URL.text([UInt8].zeros(16))) },
            encrypted("key-iv-changed") { $0.header["iv"] = .text(Base64URL.text([UInt8].zeros(12))) },
            token("nothing", .reject("token.claims")) { $0.changeClaims = { _ in [] } },
            token("no-object", .reject("token.claims")) { $0.changeClaims = { _ in Array("[]".utf8) } },
            // An encrypted token contains no signature, and a nested token is invalid.
            token("signed-inside", .reject("token.claims")) { (blueprint) throws(MintingError) in
                var inner = blueprint
                inner.form = .signed
                let text = try inner.mint().token
                blueprint.changeClaims = { _ in Array(text.utf8) }
            },
            token("expired", .reject("token.expiry")) { $0.claims[.expiry] = seconds(0) },
        ]
    }
}

/// The same header with white space at its end: another text with the same meaning.
private func withSpace(_ text: String) -> String {
    let standard = Base64URL.standardAlphabet(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Base64URL.text((Data(base64Encoded: standard) ?? Data()) + [0x20])
}
