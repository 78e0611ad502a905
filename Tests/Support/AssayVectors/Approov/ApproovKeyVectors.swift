import AssayTesting

/// Tokens whose header does not fit a live key: another algorithm than the key's, or another key.
extension ApproovVectorMint {
    var scopeTokenKey: [VectorCase] { windows(prefix: "scope-") + otherScope }

    var tokenKeyWindows: [VectorCase] {
        windows(prefix: "") + [
            token(
                "key-expired-encrypted", app: "sealed", .reject("token.decryption"), form: .encrypted,
                secret: expired.secret),
            // One second after the end of its window.
            token("key-previous-a-second-later", .reject("token.signature"), secret: previous.secret, delay: 1),
        ]
    }

    var tokenKey: [VectorCase] { algorithms + confusions + namesAndEncryption }

    private func signed(
        _ id: String, app: String = "api", _ change: @escaping @Sendable (inout JWSBlueprint) -> Void
    ) -> VectorCase {
        token("key-\(id)", app: app, .reject("token.key")) { $0.changeSigned = change }
    }

    private var algorithms: [VectorCase] {
        let none = ["none", "None", "NONE", "nOnE"]
        let others = ["hs256", "HS256 ", "RS256", "ES256", "PS256", "EdDSA", "A256GCMKW", "dir", ""]
        let secret = current.secret
        return none.flatMap { name in
            [
                signed("\(name)-without-signature") {
                    $0.header["alg"] = .text(name)
                    $0.signer = .none
                },
                signed("\(name)-with-a-genuine-signature") { $0.header["alg"] = .text(name) },
            ]
        }
            + others.enumerated().map { index, name in
                signed("algorithm-\(index)-named") { $0.header["alg"] = .text(name) }
            } + [
                signed("hs384") {
                    $0.signer = .hs384(secret)
                    $0.header["alg"] = "HS384"
                },
                signed("hs512") {
                    $0.signer = .hs512(secret)
                    $0.header["alg"] = "HS512"
                },
            ]
    }

    /// Public data about a package key used as a secret, and one package key in place of another.
    private var confusions: [VectorCase] {
        let keys = current
        let secrets: [(String, [UInt8])] = [
            ("es", Array(keys.signingKeyFile.utf8)), ("rs", Array(keys.rsaKeyFile.utf8)),
            ("es", keys.signingKey.subjectPublicKeyInfo()), ("rs", keys.rsaKey.subjectPublicKeyInfo),
        ]
        let confused = secrets.enumerated().map { index, secret in
            signed("hs256-under-public-key-\(index)", app: "asymmetric") {
                $0.signer = .hs256(secret.1)
                $0.header = ["alg": "HS256", "kid": .text(secret.0)]
            }
        }
        func asymmetric(
            _ id: String, _ form: ApproovTokenBlueprint.Form, _ keyID: String?, app: String = "asymmetric",
            alg: String? = nil
        ) -> VectorCase {
            token("key-\(id)", app: app, .reject("token.key"), form: form, keyID: keyID) {
                if let alg { $0.changeSigned = { $0.header["alg"] = .text(alg) } }
            }
        }
        return confused + [
            asymmetric("ids-exchanged-es256", .signedES256, "rs"),
            asymmetric("ids-exchanged-rs256", .signedRS256, "es"),
            asymmetric("ps256-named", .signedRS256, "rs", alg: "PS256"),
            asymmetric("es384-named", .signedES256, "es", alg: "ES384"),
            asymmetric("public-key-not-named", .signedES256, nil),
            asymmetric("public-key-unknown", .signedES256, "other"),
            asymmetric("public-key-id-in-other-case", .signedES256, "ES"),
            asymmetric("set-not-named", .signedES256, nil, app: "key-set"),
            asymmetric("set-ids-exchanged", .signedES256, "set-rs", app: "key-set"),
            asymmetric("set-id-of-another-key", .signedES256, "es", app: "key-set"),
            asymmetric("secret-where-keys-are-public", .signed, "es"),
        ]
    }

    private var namesAndEncryption: [VectorCase] {
        func named(_ id: String, _ keyID: String) -> VectorCase {
            token("key-id-\(id)", app: "named", .reject("token.key"), keyID: keyID)
        }
        func encrypted(
            _ id: String, app: String = "sealed", _ change: @escaping @Sendable (inout JWEBlueprint) -> Void
        ) -> VectorCase {
            token("key-encrypted-\(id)", app: app, .reject("token.key"), form: .encrypted) {
                $0.changeEncrypted = change
            }
        }
        let key = current.encryptionKey
        return [
            named("unknown", "three"), named("empty", ""), named("in-other-case", "ONE"), named("with-space", "one "),
            named("as-path", "../keys/current-secret.b64"), named("with-nul", "one\u{0}"), named("not-live", "old"),
            named("as-sql", "one' OR '1'='1"),
            encrypted("id-unknown", app: "sealed-named") { $0.header["kid"] = "three" },
            encrypted("id-not-live", app: "sealed-named") { $0.header["kid"] = "old" },
            encrypted("key-wrap") {
                $0.keyManagement = .keyWrap(key)
                $0.header["alg"] = "A256KW"
            },
        ]
    }

    /// Keys outside their windows: one expired, one not yet valid.
    private func windows(prefix: String) -> [VectorCase] {
        [
            token("\(prefix)key-expired", .reject("token.signature"), secret: expired.secret),
            token("\(prefix)key-pending", .reject("token.signature"), secret: pending.secret),
        ]
    }

    private var otherScope: [VectorCase] {
        let other = otherAPI.secret
        return [
            token("scope-key-of-another-api", .reject("token.signature"), secret: other),
            token("scope-key-of-its-api", app: "other-api", .accept, secret: other),
            token("scope-token-of-another-api", app: "other-api", .reject("token.signature")),
        ]
    }
}
