import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// When tokens and proofs count, by the times that their claims have (RFC 7519 section 4.1), and how often.
struct ClaimTimeTests {
    private static let issuer = TestKey(.p256, seed: "token tests", label: "issuer")
    private static let client = TestKey(.p256, seed: "token tests", label: "client")
    private static let now = TokenWorld.now

    /// A verifier of another service: it has the issuer's key set and a ledger of its own.
    private static func verifier(_ tokens: String = "testAuthorities: allow") async throws -> Verifier {
        let world = try await TokenWorld(tokens: tokens)
        let set = SecretBytes(Array(AssayTokenBlueprint.keySet([issuer]).utf8))
        let key = NamedKey(name: "set", material: try TokenKey(parts: [TokenKey.keySetPart: set]))
        return Verifier(policy: world.policy, ledger: MemoryLedger(), keyStores: [StaticKeyStore([key])])
    }

    private static func judge(
        _ verifier: Verifier, _ id: String = "a", after seconds: Double = 0, proof: String? = nil,
        _ change: (inout AssayTokenBlueprint) -> Void = { _ in }
    ) async throws -> String {
        var blueprint = AssayTokenBlueprint(
            key: issuer, client: client, issuer: TokenWorld.issuer, audience: TokenWorld.audience, app: "shop", id: id,
            issuedAt: now)
        if let proof { blueprint.proofClaims["jti"] = .text(proof) }
        // The proof is always fresh: these tests are about the token unless they change it.
        blueprint.proofClaims["iat"] = .integer(Int64(now.timeIntervalSince1970 + seconds))
        change(&blueprint)
        return outcome(try await verifier.verifyTokenRequest(blueprint.mint().request, at: now + seconds))
    }

    private static func time(_ seconds: Double) -> JSONItem { .number("\(1_790_000_000 + seconds)") }

    // MARK: Tokens for one use

    @Test(
        "limitedUse: yes refuses a token that may be used again, whoever issued it",
        .produces("assay.token.claims", "limited-use-required"))
    func limitedUse() async throws {
        let strict = try await Self.verifier("limitedUse: yes")
        #expect(try await Self.judge(strict) == "claims limited-use-required")
        #expect(try await Self.judge(strict, proof: "1") { $0.claims["use"] = "once" } == "accept")
        #expect(try await Self.judge(strict, proof: "2") { $0.claims["use"] = "once" } == "replay digest-used")
        // A bearer token as well.
        let open = try await Self.verifier("limitedUse: yes, key: optional")
        func bearer(_ use: JSONItem?) async throws -> String {
            try await Self.judge(open) {
                $0.claims["cnf"] = nil
                $0.claims["use"] = use
                $0.scheme = "Bearer"
                $0.changeFields = { $0.removeAll { $0.name == "DPoP" } }
            }
        }
        #expect(try await bearer(nil) == "claims limited-use-required")
        #expect(try await bearer("once") == "accept")
        #expect(try await bearer("once") == "replay digest-used")
    }

    @Test("under limitedUse: yes a token ends a minute after its issue, and without it at its own end")
    func limitedLife() async throws {
        let (strict, lax) = (try await Self.verifier("limitedUse: yes"), try await Self.verifier())
        for (seconds, expected) in [(59.0, "accept"), (60, "expiry token-expired"), (299, "expiry token-expired")] {
            let found = try await Self.judge(strict, "\(seconds)", after: seconds) { $0.claims["use"] = "once" }
            #expect(found == expected, "\(seconds)")
        }
        for (seconds, expected) in [(60.0, "accept"), (299, "accept"), (300, "expiry token-expired")] {
            let found = try await Self.judge(lax, "\(seconds)", after: seconds) { $0.claims["use"] = "once" }
            #expect(found == expected, "\(seconds)")
        }
    }

    @Test("a token for one use is remembered until its own end, with every policy")
    func remembered() async throws {
        for rules in ["key: required", "limitedUse: yes"] {
            let verifier = try await Self.verifier(rules)
            #expect(try await Self.judge(verifier, proof: "1") { $0.claims["use"] = "once" } == "accept")
            for seconds in [1.0, 59, 61, 299] {
                let found = try await Self.judge(verifier, after: seconds, proof: "\(seconds)") {
                    $0.claims["use"] = "once"
                }
                #expect(found != "accept", "\(rules) after \(seconds): \(found)")
            }
        }
    }

    @Test("a debug token and evidence give tokens for one use where the policy says so, and the verifier takes them")
    func issuedForOneUse() async throws {
        let world = try await TokenWorld(tokens: "testAuthorities: allow, limitedUse: yes")
        let token = try await world.token(client: Self.client)
        #expect(outcome(try await world.judge(token, client: Self.client, proofID: "1")) == "accept")
        #expect(outcome(try await world.judge(token, client: Self.client, proofID: "2")) == "replay digest-used")
    }

    // MARK: Times

    @Test(
        "a token whose nbf is in the future is refused, and one whose nbf has come is accepted",
        .produces("assay.token.expiry", "token-not-yet-valid"))
    func notBefore() async throws {
        let verifier = try await Self.verifier()
        let cases: [(nbf: JSONItem, expected: String)] = [
            (.integer(1_790_000_000), "accept"), (.integer(1_789_999_000), "accept"),
            (.integer(1_790_000_001), "expiry token-not-yet-valid"), (Self.time(0.5), "expiry token-not-yet-valid"),
            (.integer(1_790_000_299), "expiry token-not-yet-valid"), ("1790000000", "decode unexpected-type"),
            (.number("-1"), "decode unexpected-value"),
        ]
        for (nbf, expected) in cases {
            let found = try await Self.judge(verifier, proof: nbf.text) { $0.claims["nbf"] = nbf }
            #expect(found == expected, "\(nbf.text)")
        }
    }

    @Test("times may have fractions and exponents, and are compared with them")
    func fractions() async throws {
        let verifier = try await Self.verifier()
        typealias Change = (inout AssayTokenBlueprint) -> Void
        func entry(
            _ name: String, _ after: Double, _ expected: String, _ change: @escaping Change
        ) -> (name: String, after: Double, expected: String, change: Change) { (name, after, expected, change) }
        let cases = [
            entry("all", 0, "accept") {
                $0.claims["iat"] = Self.time(-0.25)
                $0.claims["exp"] = Self.time(299.75)
                $0.claims["nbf"] = Self.time(-0.5)
                $0.claims[path: ["att", "at"]] = Self.time(-1.5)
            },
            entry("exponent", 0, "accept") { $0.claims["iat"] = .number("1.79e9") },
            entry("before the end", 10.4, "accept") { $0.claims["exp"] = Self.time(10.5) },
            entry("at the end", 10.5, "expiry token-expired") { $0.claims["exp"] = Self.time(10.5) },
            entry("the issuer is half a second too far ahead", 0, "expiry token-from-future") {
                $0.claims["iat"] = Self.time(30.5)
            },
            entry("half a second too long", 0, "expiry lifetime-not-allowed") { $0.claims["exp"] = Self.time(3600.5) },
            entry("no life", 0, "expiry lifetime-not-allowed") {
                $0.claims["iat"] = Self.time(5)
                $0.claims["exp"] = Self.time(4.5)
            },
            entry("a negative one", 0, "decode unexpected-value") { $0.claims["iat"] = .number("-0.5") },
            entry("one without an end", 0, "decode unexpected-value") { $0.claims["exp"] = .number("1e400") },
            entry("13 digits: milliseconds", 0, "decode unexpected-value") {
                $0.claims["exp"] = .number("1790000300000")
            },
            entry("a long text", 0, "decode unexpected-value") {
                $0.claims["exp"] = .number("1790000300.\(String(repeating: "0", count: 40))")
            },
        ]
        for entry in cases {
            let found = try await Self.judge(verifier, entry.name, after: entry.after, entry.change)
            #expect(found == entry.expected, "\(entry.name)")
        }
    }

    @Test("a proof may have fractions, and its own exp and nbf count by the clock of the device")
    func proofs() async throws {
        let verifier = try await Self.verifier()
        let cases: [(name: String, expected: String, change: (inout JSONItem) -> Void)] = [
            ("a fraction", "accept", { $0["iat"] = Self.time(0.9078124) }),
            ("a fraction in the past", "accept", { $0["iat"] = Self.time(-60) }),
            ("a fraction too old", "freshness proof-too-old", { $0["iat"] = Self.time(-60.5) }),
            ("a fraction too far ahead", "freshness proof-from-future", { $0["iat"] = Self.time(60.5) }),
            (
                "exp and nbf", "accept",
                {
                    $0["exp"] = Self.time(5.5)
                    $0["nbf"] = Self.time(-0.5)
                }
            ),
            ("exp within the window", "accept", { $0["exp"] = Self.time(-59.5) }),
            ("exp before the window", "freshness proof-too-old", { $0["exp"] = Self.time(-60) }),
            ("nbf within the window", "accept", { $0["nbf"] = Self.time(60) }),
            ("nbf behind the window", "freshness proof-from-future", { $0["nbf"] = Self.time(60.5) }),
            ("text", "proof unexpected-type", { $0["iat"] = "1790000000" }),
            ("text as exp", "proof unexpected-type", { $0["exp"] = "1790000000" }),
            ("a negative one", "proof unexpected-value", { $0["iat"] = .number("-1") }),
        ]
        for (name, expected, change) in cases {
            #expect(try await Self.judge(verifier, name) { change(&$0.proofClaims) } == expected, "\(name)")
        }
        // The fraction makes no other proof: key and jti are remembered.
        #expect(
            try await Self.judge(verifier, "once", proof: "x") { $0.proofClaims["iat"] = Self.time(0.25) } == "accept")
        let again = try await Self.judge(verifier, "once", proof: "x") { $0.proofClaims["iat"] = Self.time(0.5) }
        #expect(again == "replay digest-used")
    }

    @Test("claims survive being written and read, also with fractions and every optional one")
    func roundTrip() throws {
        let blueprint = AssayTokenBlueprint(
            key: Self.issuer, client: Self.client, issuer: TokenWorld.issuer, audience: TokenWorld.audience,
            app: "shop", id: "a", issuedAt: Self.now)
        var claims = try TokenClaims(blueprint.claims.encoded)
        claims.issuedAt = 1_790_000_000.25
        claims.isLimitedUse = true
        claims.environment = "development"
        claims.attestation = TokenClaims.Attestation(
            kind: "a", at: 1_790_000_000.5, annotated: ["b"], environment: "development")
        claims.notBefore = 0.0000001
        #expect(try TokenClaims(claims.json) == claims)
        let text = String(decoding: claims.json, as: UTF8.self)
        #expect(text.contains(#""exp":1790000300,"#) && text.contains(#""iat":1790000000.25,"#), "\(text)")
    }

    // MARK: Targets

    /// Pairs of `htu` and target, and whether they are the same after the normalisation of RFC 3986 sections 6.2.2 and 6.2.3.
    private static let targets: [(proof: String, request: String, isSame: Bool)] = [
        ("https://api.example.com/a", "https://api.example.com/a?b=c", true),
        ("https://api.example.com/x/../a", "https://api.example.com/a", true),
        ("https://api.example.com/a", "https://api.example.com/x/../a", true),
        ("https://api.example.com/./a/./b", "https://api.example.com/a/b", true),
        ("https://api.example.com/a/b/..", "https://api.example.com/a/", true),
        ("https://api.example.com/a/b/.", "https://api.example.com/a/b/", true),
        ("https://api.example.com/../../a", "https://api.example.com/a", true),
        ("https://api.example.com/x/%2e%2E/a", "https://api.example.com/a", true),
        ("https://api.example.com/a/b/c/./../../g", "https://api.example.com/a/g", true),
        ("https://api.example.com", "https://api.example.com/", true),
        ("HTTPS://API.example.com:443/%7ea", "https://api.example.com/~a", true),
        ("https://api.example.com/..", "https://api.example.com/", true),
        ("https://api.example.com/a/..", "https://api.example.com", true),
        ("https://api.example.com/a%2fb", "https://api.example.com/a%2Fb", true),
        ("https://api.example.com/a%2f..%2fb", "https://api.example.com/b", false),
        ("https://api.example.com/x%2F../a", "https://api.example.com/a", false),
        ("https://api.example.com/a//b", "https://api.example.com/a/b", false),
        ("https://api.example.com/a//../b", "https://api.example.com/a/b", true),
        ("https://api.example.com/...", "https://api.example.com/", false),
        ("https://api.example.com/..a", "https://api.example.com/a", false),
        ("https://api.example.com/a.", "https://api.example.com/a", false),
        ("https://api.example.com/a", "https://api.example.com/a/", false),
        ("https://api.example.com/x/../admin", "https://api.example.com/a", false),
        ("https://api.example.com:8443/a", "https://api.example.com/a", false),
        ("https://api.example.com/x/..%2fa", "https://api.example.com/a", false),
    ]

    @Test("htu is compared after removing dot segments, and nothing else becomes equal", arguments: targets.indices)
    func target(_ index: Int) throws {
        let (proof, request, isSame) = Self.targets[index]
        let (left, right) = (try #require(ProofTarget(proof)), try #require(ProofTarget(request)))
        #expect((left == right) == isSame, "\(proof) \(request)")
        // Idempotent: what is normalised is its own normal form.
        #expect(left == ProofTarget(proof))
    }

    @Test("a proof for a target with dot segments is accepted for the target without them")
    func dotSegments() async throws {
        let verifier = try await Self.verifier()
        for (target, expected) in [
            ("https://api.example.com/v2/../v1/./items", "accept"),
            ("https://api.example.com/v1/items/..", "binding target-differs"),
        ] {
            #expect(try await Self.judge(verifier, target) { $0.proofClaims["htu"] = .text(target) } == expected)
        }
    }
}
