import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Testing

/// Forged headers and proofs: the attacks of RFC 8725 section 2 and RFC 9449 section 11 that the vectors do not have.
struct AbuseTests {
    private typealias Change = (inout AssayTokenBlueprint) -> Void

    private static let issuer = TestKey(.p256, seed: "token tests", label: "issuer")
    private static let client = TestKey(.p256, seed: "token tests", label: "client")
    private static let attacker = TestKey(.p256, seed: "token tests", label: "attacker")

    private static func blueprint(_ id: String) -> AssayTokenBlueprint {
        AssayTokenBlueprint(
            key: issuer, client: client, issuer: TokenWorld.issuer, audience: TokenWorld.audience, app: "shop", id: id,
            issuedAt: TokenWorld.now)
    }

    /// The first failed check of each changed request.
    private func require(_ cases: [(name: String, expected: String, change: Change)]) async throws {
        let world = try await TokenWorld()
        let set = SecretBytes(Array(AssayTokenBlueprint.keySet([Self.issuer]).utf8))
        let key = NamedKey(name: "set", material: try TokenKey(parts: [TokenKey.keySetPart: set]))
        let verifier = Verifier(policy: world.policy, ledger: MemoryLedger(), keyStores: [StaticKeyStore([key])])
        for (name, expected, change) in [("genuine", "accept", { _ in })] + cases {
            var blueprint = Self.blueprint(name)
            change(&blueprint)
            let verdict = try await verifier.verifyTokenRequest(blueprint.mint().request, at: TokenWorld.now)
            #expect(outcome(verdict) == expected, "\(name)")
        }
    }

    @Test("header parameters cannot select another key or algorithm")
    func headers() async throws {
        /// Signed by the attacker, under the ID of the issuer's key.
        func pointing(_ name: String, _ value: JSONItem) -> (String, String, Change) {
            (
                name, "signature signature-invalid",
                {
                    $0.token.signer = .es256(Self.attacker)
                    $0.token.header[name] = value
                }
            )
        }
        func header(_ name: String, _ expected: String, _ member: String, _ value: JSONItem) -> (String, String, Change)
        {
            (name, expected, { $0.token.header[member] = value })
        }
        try await require([
            pointing("jku", "https://attacker.example.com/jwks.json"),
            pointing("x5u", "https://attacker.example.com/chain.pem"),
            pointing("x5c", ["MIIB"]),
            header("a path as kid", "key unknown-key-id", "kid", "../../../../dev/null"),
            header("SQL as kid", "key unknown-key-id", "kid", "' OR 1=1 --"),
            header("a list of kid", "decode unexpected-type", "kid", ["a"]),
            header("a list of alg", "decode unexpected-type", "alg", ["ES256"]),
            header("none in other case", "signature algorithm-not-allowed", "alg", "nOnE"),
            header("another curve", "signature algorithm-not-allowed", "alg", "ES384"),
            header("critical b64", "decode unexpected", "crit", ["b64"]),
        ])
    }

    @Test("a proof needs a public key in its header and exactly one DPoP field")
    func proofs() async throws {
        func key(_ name: String, _ jwk: JSONItem) -> (String, String, Change) {
            (name, "proof proof-key", { $0.proof.header["jwk"] = jwk })
        }
        func type(_ type: JSONItem) -> (String, String, Change) {
            ("type \(type.text)", "proof proof-type-differs", { $0.proof.header["typ"] = type })
        }
        func claim(_ name: String, _ expected: String, _ member: String, _ value: JSONItem) -> (String, String, Change)
        {
            (name, expected, { $0.proofClaims[member] = value })
        }
        try await require([
            key("RSA", ["kty": "RSA", "n": "AQAB", "e": "AQAB"]),
            key("an Edwards curve", ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"]),
            key("an unknown curve", ["kty": "EC", "crv": "P-384", "x": "AAAA", "y": "AAAA"]),
            key("a list", [AssayTokenBlueprint.jwk(Self.client)]),
            (
                "an empty private part", "proof proof-key",
                { $0.proof.header[path: ["jwk", "d"]] = "" }
            ),
            type("application/dpop+jwt"), type("DPOP+JWT"), type("assay+jwt"),
            (
                "a second proof in a field of another case", "proof proof-repeated",
                { $0.changeFields = { $0.append(("dpop", $0[2].value)) } }
            ),
            (
                "a second token in a field of another case", "decode duplicate-key",
                { $0.changeFields = { $0.append(("authorization", $0[1].value)) } }
            ),
            (
                "the token as its proof", "proof proof-type-differs",
                { $0.changeFields = { $0[2].value = String($0[1].value.dropFirst(5)) } }
            ),
            (
                "the proof as the token", "decode unexpected-value",
                { $0.changeFields = { $0[1].value = "DPoP " + $0[2].value } }
            ),
            claim(
                "an ath with padding", "binding token-hash-differs", "ath",
                "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo="),
            // RFC 9449 section 4.3 ignores query and fragment.
            claim(
                "a target with a fragment", "accept", "htu", "https://api.example.com/v1/items#a"),
            claim(
                "a target with a user", "binding target-differs", "htu", "https://a:b@api.example.com/v1/items"),
            claim(
                "a target behind a line break", "binding target-differs", "htu",
                "https://api.example.com/v1/items\n"),
        ])
    }
}
