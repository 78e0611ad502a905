import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Debug tokens of a policy are exchanged for tokens that say so, and nothing else is.
struct DebugTokenTests {
    private static let secret = DebugToken.prefix + Base64.encode([UInt8](repeating: 7, count: 32), .url)
    private static let now = TokenWorld.now
    private let client = TestKey(.p256, seed: "token tests", label: "client")

    private static func entry(
        _ secret: String = secret, name: String = "ci", from: Double = -60, until: Double = 86_400
    ) -> String {
        let hash = Digest.sha256(Array(secret.utf8)).hexadecimal
        let (start, end) = (RFC3339.format(now + from), RFC3339.format(now + until))
        return "{ name: \(name), sha256: \"\(hash)\", from: \(start), until: \(end) }"
    }

    private static func world(_ entries: String = entry(), _ more: String = "") async throws -> TokenWorld {
        try await TokenWorld(tokens: "testAuthorities: allow, debugTokens: [\(entries)]\(more)")
    }

    private static func answer(
        _ world: TokenWorld, _ secret: String = secret, app: String = "shop", audience: String = TokenWorld.audience,
        jkt: String? = nil, at time: Date = now
    ) async throws -> String {
        let request = DebugTokenRequest(debugToken: secret, app: app, audience: audience, keyThumbprint: jkt)
        do {
            return try await world.verifier.issueToken(request, at: time).debugToken
        } catch VerificationError.request(let error) {
            #expect(!error.message.contains(secret), "the error repeats the secret")
            return error.code
        }
    }

    @Test("a debug token gives a token that says so, and the verdict on it names the debug token")
    func exchange() async throws {
        let world = try await Self.world()
        let request = DebugTokenRequest(
            debugToken: Self.secret, app: "shop", audience: TokenWorld.audience,
            keyThumbprint: JWKThumbprint.p256(client.publicPoint))
        #expect(!"\(request)".contains(Self.secret))
        let (token, name) = try await world.verifier.issueToken(request, at: Self.now)
        #expect(name == "ci" && token.scheme == .dpop && token.expiresIn == 300)
        let claims = try TokenClaims(CompactJWS(Array(token.text.utf8), limit: 4096).payload)
        #expect(claims.environment == "test" && claims.attestation.kind == "debug-token")
        #expect(claims.subject == "debug-token:ci" && claims.reference == nil)
        let verdict = try await world.judge(token.text, client: client)
        #expect(outcome(verdict) == "accept" && verdict.testAuthority == "the debug token ci")
    }

    @Test("a use is in the audit trail before there is a token, and an attempt that gives none is not")
    func audit() async throws {
        let world = try await Self.world()
        let ledger = FaultyLedger(MemoryLedger()) { operation, number in
            operation == .record && number == 1 ? .outage() : nil
        }
        let verifier = Verifier(policy: world.policy, ledger: ledger, keyStores: [world.store])
        func use(_ secret: String) async throws {
            let request = DebugTokenRequest(
                debugToken: secret, app: "shop", audience: TokenWorld.audience,
                keyThumbprint: JWKThumbprint.p256(client.publicPoint))
            _ = try await verifier.issueToken(request, by: "ci-runner", at: Self.now)
        }
        await #expect(throws: VerificationError.self) { try await use(Self.secret) }
        await #expect(throws: VerificationError.self) { try await use("assay_debug_other") }
        try await use(Self.secret)
        var entries: [LedgerChange] = []
        try await ledger.audit { entries.append($0.change) }
        #expect(
            entries == [
                LedgerChange(
                    at: Self.now, operatorName: "ci-runner", action: .useDebugToken, subject: "debug-token ci",
                    detail: "app shop, audience \(TokenWorld.audience)")
            ])
    }

    @Test("a policy of production refuses the token, and one without env too")
    func production() async throws {
        let world = try await Self.world(Self.entry(), ", key: optional")
        let request = DebugTokenRequest(debugToken: Self.secret, app: "shop", audience: TokenWorld.audience)
        let token = try await world.verifier.issueToken(request, at: Self.now).token.text
        #expect(outcome(try await world.judge(token, client: nil)) == "accept")
        let production = try await TokenWorld(tokens: "key: optional")
        let verifier = Verifier(policy: production.policy, ledger: world.ledger, keyStores: [world.store])
        let signed = try world.request(token, client: nil)
        #expect(outcome(try await verifier.verifyTokenRequest(signed, at: Self.now)) == "claims test-authority")

        var claims = try TokenClaims(CompactJWS(Array(token.utf8), limit: 4096).payload)
        claims.environment = nil
        let signer = try #require(try await world.verifier.tokenKeys(at: Self.now).signer)
        let other = try world.request(try #require(signer.sign(claims.json)), client: nil)
        #expect(outcome(try await verifier.verifyTokenRequest(other, at: Self.now)) == "claims test-authority")
    }

    @Test("unknown, ended and future debug tokens have one answer")
    func refused() async throws {
        let world = try await Self.world(Self.entry(), ", key: optional")
        #expect(try await Self.answer(world) == "ci")
        #expect(try await Self.answer(world, at: Self.now + 86_399) == "ci")
        #expect(try await Self.answer(world, at: Self.now + 86_400) == "not-exchangeable")
        #expect(try await Self.answer(world, at: Self.now - 61) == "not-exchangeable")
        let other = DebugToken.prefix + Base64.encode([UInt8](repeating: 8, count: 32), .url)
        for secret in [
            other, "", "password", String(Self.secret.dropLast()), Self.secret + "A", Self.secret + "\n",
            String(Self.secret.dropFirst(DebugToken.prefix.count)), Self.secret.uppercased(),
            Digest.sha256(Array(Self.secret.utf8)).hexadecimal, String(repeating: "A", count: 100_000),
        ] {
            #expect(try await Self.answer(world, secret) == "not-exchangeable", "\(secret.prefix(80))")
        }
        // Without the debug token, nothing is said of audiences; with it, the rules of tokens hold.
        #expect(try await Self.answer(world, other, audience: "stranger") == "not-exchangeable")
        #expect(try await Self.answer(world, audience: "stranger") == "unknown-audience")
        #expect(try await Self.answer(world, jkt: "AAAA") == "invalid-thumbprint")
        #expect(try await Self.answer(world, app: "other") == "unknown-app")
        #expect(try await Self.answer(try await Self.world()) == "binding-required")
        // Taken from the policy, and never in it.
        #expect(try await Self.answer(try await Self.world(Self.entry(other))) == "not-exchangeable")
        #expect(try await Self.answer(try await TokenWorld()) == "not-exchangeable")
    }

    @Test("a secret that could be guessed does not count, even if its hash is in the policy")
    func guessable() async throws {
        let world = try await Self.world(Self.entry("password"), ", key: optional")
        #expect(try await Self.answer(world, "password") == "not-exchangeable")
    }

    @Test("a token ends with its debug token at the latest")
    func life() async throws {
        let world = try await Self.world(Self.entry(until: 100), ", key: optional")
        let request = DebugTokenRequest(debugToken: Self.secret, app: "shop", audience: TokenWorld.audience)
        #expect(try await world.verifier.issueToken(request, at: Self.now).token.expiresIn == 100)
    }

    @Test("policies with wrong debug tokens cannot be read")
    func policies() async throws {
        let good = Self.entry()
        let plain = good.replacing(/sha256: "[^"]*"/, with: "sha256: \(Self.secret)")
        for (tokens, words) in [
            ("debugTokens: [\(good)]", "testAuthorities: allow"),
            ("testAuthorities: refuse, debugTokens: [\(good)]", "testAuthorities: allow"),
            ("testAuthorities: allow, debugTokens: []", "at least one"),
            ("testAuthorities: allow, debugTokens: [\(good), \(good)]", "two debug tokens"),
            ("testAuthorities: allow, debugTokens: [\(good), \(Self.entry(name: "other"))]", "one hash"),
            ("testAuthorities: allow, debugTokens: [\(Self.entry(name: "a b"))]", "expected a name"),
            ("testAuthorities: allow, debugTokens: [\(Self.entry(until: 90 * 86_400))]", "at most 90 days"),
            ("testAuthorities: allow, debugTokens: [\(Self.entry(until: -60))]", "after from"),
            ("testAuthorities: allow, debugTokens: [{ name: ci }]", "sha256"),
            ("testAuthorities: allow, debugTokens: [\(plain)]", "64 hex"),
        ] {
            let error = await #expect(throws: PolicyError.self, "\(tokens)") {
                _ = try await TokenWorld(tokens: tokens)
            }
            let text = error?.description ?? ""
            #expect(text.contains(words) && !text.contains(Self.secret), "\(text)")
        }
    }
}
