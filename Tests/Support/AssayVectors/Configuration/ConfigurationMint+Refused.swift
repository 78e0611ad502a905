import AssayTesting

/// Configurations that no app takes over.
extension ConfigurationMint {
    private func refused(_ id: String, _ about: String, _ blueprint: ConfigurationBlueprint) -> ConfigurationCase {
        received(id, about, blueprint, .refused, [Evaluation("api.example.com", ["leaf"], "allowed")])
    }

    /// The next version with other claims.
    private func claims(
        _ id: String, _ about: String, _ change: (inout JSONItem) -> Void
    ) -> ConfigurationCase { refused("claims-\(id)", about, configuration(2, change)) }

    /// The next version with another header or signature.
    private func token(
        _ id: String, _ about: String, _ change: (inout ConfigurationBlueprint) -> Void
    ) -> ConfigurationCase {
        var blueprint = configuration(2)
        change(&blueprint)
        return refused("token-\(id)", about, blueprint)
    }

    func wrongModes() -> [ConfigurationCase] {
        func wrong(
            _ id: String, _ about: String, until end: Int64 = 3600, _ change: @escaping (inout JSONItem) -> Void
        ) -> ConfigurationCase { refused("mode-\(id)", about, mode("unpin", until: end, change)) }
        return [
            wrong("other-device", "the mode of another device") {
                $0["did"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            },
            wrong("no-device", "a mode for every device") { $0["did"] = nil },
            wrong("no-end", "a mode without an end") { $0["exp"] = nil },
            wrong("long", "a mode for more than a day", until: Self.day + 1) { _ in },
            wrong("unknown", "an unknown mode") { $0["mode"] = "open" },
            wrong("number", "a mode that is no text") { $0["mode"] = 1 },
        ]
    }

    func wrongClaims() -> [ConfigurationCase] {
        let short: JSONItem = [["pin": "c2hvcnQ="]]
        return [
            claims("audience", "for another app") { $0["aud"] = "bank" },
            claims("audience-list", "for a list of apps") { $0["aud"] = ["shop"] },
            claims("audience-none", "for no app") { $0["aud"] = nil },
            claims("issuer", "of another issuer") { $0["iss"] = "https://attest.example.org" },
            claims("issuer-slash", "of another issuer, by a slash") { $0["iss"] = "https://attest.example.com/" },
            claims("version-none", "no version") { $0["version"] = nil },
            claims("version-zero", "version 0") { $0["version"] = 0 },
            claims("version-negative", "a negative version") { $0["version"] = -2 },
            claims("version-text", "a version that is a text") { $0["version"] = "2" },
            claims("version-fraction", "a version with a fraction") { $0["version"] = .number("2.5") },
            claims("version-large", "a version that JSON readers round") {
                $0["version"] = .number("9007199254740993")
            },
            claims("force-text", "a forced version that is a text") { $0["force"] = "1" },
            claims("force-negative", "a negative forced version") { $0["force"] = -1 },
            claims("force-later", "a forced version that is none yet") { $0["force"] = 3 },
            claims("keys-none", "no keys") { $0["keys"] = nil },
            claims("keys-empty", "an empty list of keys, after which nothing could be signed") { $0["keys"] = [] },
            claims("pins-none", "no member pins") { $0["pins"] = nil },
            claims("pins-list", "pins that are a list") { $0["pins"] = [] },
            claims("pins-host", "a host whose pins are no list") { $0["pins"] = ["api.example.com": "x"] },
            claims("pins-text", "a pin that is no object") { $0["pins"] = ["api.example.com": ["x"]] },
            claims("pins-short", "a pin of another length") { $0["pins"] = ["api.example.com": short] },
            claims("pins-window", "a window that is a text") {
                var pin = pin("leaf")
                pin["notAfter"] = "2030-01-01T00:00:00Z"
                $0["pins"] = ["api.example.com": [pin]]
            },
        ]
    }

    func wrongTokens() -> [ConfigurationCase] {
        [
            token("signature", "signed by another key under the same ID") { $0.signer = .es256(key("second")) },
            token("own-key", "signed by a key that it brings along") { blueprint in
                blueprint.claims["keys"] = [publicKey("second")]
                blueprint.header["kid"] = .text(keyID("second"))
                blueprint.header["jwk"] = publicKey("second")
                blueprint.signer = .es256(key("second"))
            },
            token("type", "a token of the app") { $0.header["typ"] = "assay+jwt" },
            token("type-none", "no type") { $0.header["typ"] = nil },
            token("key-none", "no key ID") { $0.header["kid"] = nil },
            token("algorithm-none", "not signed") { blueprint in
                blueprint.header["alg"] = "none"
                blueprint.signer = .none
            },
            token("algorithm-hs256", "signed with the public key as a secret") { blueprint in
                blueprint.header["alg"] = "HS256"
                blueprint.signer = .hs256(key("first").publicPoint)
            },
            token("critical", "an extension that must be understood") { $0.header["crit"] = ["exp"] },
            token("der", "a signature in DER") { $0.change = { $0.writeSignature = { $0.der } } },
            token("changed", "a signature with another bit") {
                $0.change = { $0.changeSignature = { [$0[0] ^ 1] + $0.dropFirst() } }
            },
            token("short", "a signature that is cut off") { $0.change = { $0.changeSignature = { $0.dropLast() } } },
            token("unsigned", "no signature") { $0.change = { $0.changeParts = { $0[2] = "" } } },
            token("two-parts", "two parts") { $0.change = { $0.changeParts = { $0.removeLast() } } },
            token("four-parts", "four parts") { $0.change = { $0.changeParts = { $0.append("e30") } } },
            token("padded", "base64 with padding") { $0.change = { $0.changeParts = { $0[2] += "==" } } },
            token("text", "no token at all") { $0.change = { $0.changeParts = { $0 = ["none"] } } },
            token("empty", "an empty text") { $0.change = { $0.changeParts = { $0 = [""] } } },
        ]
    }
}
