import AssayPrimitives
import AssayTesting

/// Well-formed classic tokens that no live key of the app opens.
extension IntegrityVectorMint {
    var classicDecryption: [VectorCase] { algorithms + keysAndParts }

    private func encrypted(_ id: String, _ change: @escaping @Sendable (inout JWEBlueprint) -> Void) -> VectorCase {
        classic(id, .reject("decryption")) { $0.changeEncrypted = change }
    }

    private func named(_ algorithm: String, _ encryption: String) -> JSONItem {
        ["alg": .text(algorithm), "enc": .text(encryption)]
    }

    private var algorithms: [VectorCase] {
        let algorithms = [
            "none", "NONE", "dir", "A128KW", "A192KW", "a256kw", "A256kw", "A256KW ", "A256KW\u{0}", "A256GCMKW",
            "RSA-OAEP",
            "RSA1_5", "ECDH-ES", "ECDH-ES+A256KW", "PBES2-HS512+A256KW", "ES256", "HS256", "",
        ]
        let encryptions = ["A128GCM", "A192GCM", "A256CBC-HS512", "a256gcm", "A256GCM ", "none", ""]
        let short = bytes("wrapping-key/short", count: 16)
        let iv = bytes("iv/gcm-key-wrap", count: 12)
        return algorithms.enumerated().map { index, name in
            let header = named(name, "A256GCM")
            return encrypted("algorithm-\(index)-named") { $0.header = header }
        }
            + encryptions.enumerated().map { index, name in
                let header = named("A256KW", name)
                return encrypted("encryption-\(index)-named") { $0.header = header }
            } + [
                encrypted("algorithm-a128kw") {
                    $0.keyManagement = .keyWrap(short)
                    $0.header["alg"] = "A128KW"
                },
                classic("algorithm-a256gcmkw", .reject("decode")) { blueprint in
                    let key = blueprint.keys.decryptionKey
                    blueprint.changeEncrypted = {
                        $0.keyManagement = .gcmKeyWrap(key, initializationVector: iv)
                        $0.header["alg"] = "A256GCMKW"
                    }
                },
            ]
    }

    private var keysAndParts: [VectorCase] {
        func under(_ id: String, _ keys: PlayIntegrityTestKeys) -> VectorCase {
            classic(id, .reject("decryption")) { $0.keys = keys }
        }
        let verification = Digest.sha256(current.verificationKey)
        let iv = bytes("iv/other", count: 12)
        return [
            under("key-of-nobody", attacker), under("key-of-another-app", otherApp),
            // The policy has these genuine keys, but they are not live at this time.
            under("key-expired", expired), under("key-pending", pending),
            encrypted("key-from-the-verification-key") { $0.keyManagement = .keyWrap(verification) },
            encrypted("key-of-zeros") { $0.keyManagement = .keyWrap(.zeros(32)) },
            encrypted("content-key-not-wrapped") {
                let contentKey = $0.contentKey
                $0.changeEncryptedKey = { _ in contentKey + [UInt8](repeating: 0xA6, count: 8) }
            },
            encrypted("encrypted-key-changed") { $0.changeEncryptedKey = { $0.flippingLastBit() } },
            encrypted("iv-changed") { $0.changeInitializationVector = { _ in iv } },
            encrypted("ciphertext-changed") { $0.changeCiphertext = { $0.flippingLastBit() } },
            encrypted("ciphertext-with-one-byte-less") { $0.changeCiphertext = { $0.dropLast() } },
            encrypted("ciphertext-with-one-byte-more") { $0.changeCiphertext = { $0 + [0] } },
            encrypted("ciphertext-empty") { $0.changeCiphertext = { _ in [] } },
            encrypted("tag-changed") { $0.changeTag = { $0.flippingLastBit() } },
            encrypted("tag-of-zeros") { $0.changeTag = { _ in .zeros(16) } },
            // The header is authenticated as written, not by its meaning.
            encrypted("header-written-in-another-way") {
                $0.changeParts = {
                    $0[0] = Base64URL.text(Array(#"{"enc":"A256GCM","alg":"A256KW"}"#.utf8))
                }
            },
            encrypted("header-with-member-added") {
                $0.changeParts = {
                    $0[0] = Base64URL.text(Array(#"{"alg":"A256KW","enc":"A256GCM","kid":"1"}"#.utf8))
                }
            },
        ]
    }
}
