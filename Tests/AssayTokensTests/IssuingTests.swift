import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Evidence is exchanged for a token, which the same service and others accept.
struct IssuingTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")

    @Test("an attestation over challenge, audience and key gives a token that is bound to the key")
    func attestation() async throws {
        let world = try await TokenWorld()
        let key = AttestedKey()
        let request = try await world.attestation(key, client: client, account: "alice")
        guard case .issued(let token, let verdict) = try await world.verifier.issueToken(request, at: TokenWorld.now)
        else { return #expect(Bool(false), "no token") }
        #expect(verdict.outcome == .accept && token.scheme == .dpop && token.expiresIn == 300)
        #expect(token.text.utf8.count < 1024)

        let jws = try CompactJWS(Array(token.text.utf8), limit: 4096)
        let schedule = try await world.verifier.tokenKeys(at: TokenWorld.now)
        let signer = try #require(schedule.signer)
        #expect(jws.header.keyID == signer.keyID && jws.header.type == "assay+jwt")
        try JWKSet(Array(schedule.keySet.utf8)).key(for: jws.header).verify(jws)
        let claims = try TokenClaims(jws.payload)
        #expect(claims.issuer == TokenWorld.issuer && claims.audience == TokenWorld.audience && claims.app == "shop")
        #expect(claims.issuedAt == 1_790_000_000 && claims.expiresAt == 1_790_000_300 && claims.environment == "test")
        #expect(claims.keyThumbprint == JWKThumbprint.p256(client.publicPoint))
        #expect(claims.attestation.kind == "app-attest.attestation")
        // Neither the key ID nor the account can be read in the token.
        let open = String(decoding: jws.payload, as: UTF8.self)
        #expect(!open.contains(Base64.encode(key.keyID, .standard)) && !open.contains("alice"))
        #expect(!open.contains(Base64.encode(key.keyID, .url)))

        let judged = try await world.judge(token.text, client: client, account: "alice")
        #expect(outcome(judged) == "accept")
        #expect(judged.testAuthority != nil)
        #expect(outcome(try await world.judge(token.text, client: client)) == "replay digest-used")
        #expect(outcome(try await world.judge(token.text, client: client, proofID: "next")) == "accept")
    }

    @Test("an assertion renews a token, with the same pseudonym and another ID")
    func renewal() async throws {
        let world = try await TokenWorld()
        let key = AttestedKey()
        let first = try TokenClaims(
            CompactJWS(Array(try await world.token(key, client: client).utf8), limit: 4096).payload)
        let later = TokenWorld.now.addingTimeInterval(300)
        let challenge = try await world.verifier.issueChallenge(app: "shop", for: .appAttestAssertion, at: later).text
        let thumbprint = JWKThumbprint.p256(client.publicPoint)
        let derived = TokenRequest.evidenceChallenge(
            challenge, audience: TokenWorld.audience, keyThumbprint: thumbprint)
        let data = #"{"challenge":"\#(Base64.encode(derived, .url))"}"#
        let minted = try AssertionBlueprint(
            key: key, appID: TokenWorld.appID, counter: 1, clientData: .bytes(Array(data.utf8))
        ).mint()
        let request = TokenRequest(
            record: minted.record(id: "assertion", app: "shop", receivedAt: later), challenge: challenge,
            audience: TokenWorld.audience, keyThumbprint: thumbprint)
        guard case .issued(let token, _) = try await world.verifier.issueToken(request, at: later) else {
            return #expect(Bool(false), "no token")
        }
        let claims = try TokenClaims(CompactJWS(Array(token.text.utf8), limit: 4096).payload)
        #expect(claims.subject == first.subject && claims.subject != nil)
        #expect(claims.tokenID != first.tokenID && claims.reference != first.reference)
        // The counter and the challenge are used up.
        guard case .rejected(let verdict) = try await world.verifier.issueToken(request, at: later) else {
            return #expect(Bool(false), "a second token for one assertion")
        }
        #expect(verdict.remedy != nil && verdict.failed.contains(.appAttestAssertionCounter))
    }

    /// What an app attests, or a relay asks for, that the request is not about.
    private static let unbound: [(name: String, evidence: @Sendable (String) -> [UInt8])] = [
        ("the challenge alone", { (try? Base64.decode($0, .url)) ?? [] }),
        ("another audience", { TokenRequest.evidenceChallenge($0, audience: "other", keyThumbprint: Self.thumbprint) }),
        (
            "another key",
            {
                TokenRequest.evidenceChallenge(
                    $0, audience: TokenWorld.audience, keyThumbprint: String(repeating: "A", count: 43))
            }
        ),
        ("no key", { TokenRequest.evidenceChallenge($0, audience: TokenWorld.audience, keyThumbprint: nil) }),
        (
            "no line feeds",
            { Digest.sha256(Array("assay-token\($0)\(TokenWorld.audience)\(Self.thumbprint)".utf8)) }
        ),
    ]
    private static let thumbprint = JWKThumbprint.p256(
        TestKey(.p256, seed: "token tests", label: "client").publicPoint)

    @Test("evidence that covers another request gives no token, and uses nothing up", arguments: unbound.indices)
    func notCovered(_ index: Int) async throws {
        let world = try await TokenWorld()
        let key = AttestedKey()
        let request = try await world.attestation(key, client: client, evidence: Self.unbound[index].evidence)
        await #expect(throws: VerificationError.self) {
            _ = try await world.verifier.issueToken(request, at: TokenWorld.now)
        }
        #expect(try await code(of: request, world) == "evidence-not-bound")
        #expect(try await world.ledger.enrolledKey(KeyIdentifier(engine: "app-attest", value: key.keyID)) == nil)
        // The same key attests again, over the right value.
        _ = try await world.token(key, client: client)
    }

    @Test("rejected evidence gets its verdict with a remedy and no token")
    func rejected() async throws {
        let world = try await TokenWorld()
        var request = try await world.attestation(client: client)
        let stranger = Base64.encode([UInt8](repeating: 7, count: 32), .url)
        let derived = TokenRequest.evidenceChallenge(
            stranger, audience: TokenWorld.audience, keyThumbprint: request.keyThumbprint)
        let minted = try AttestationBlueprint(
            authority: TokenWorld.authority.get(), appID: TokenWorld.appID, clientData: .bytes(derived),
            issuedAt: TokenWorld.now
        ).mint()
        request = TokenRequest(
            record: minted.record(id: "unknown", app: "shop", receivedAt: TokenWorld.now), challenge: stranger,
            audience: TokenWorld.audience, keyThumbprint: request.keyThumbprint)
        guard case .rejected(let verdict) = try await world.verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "a token for a challenge that nobody issued")
        }
        #expect(verdict.failed == [.appAttestAttestationChallenge] && verdict.remedy == .newChallenge)
    }

    @Test("a request that the policy does not allow is an error of the caller, and uses nothing up")
    func refused() async throws {
        let plain = try await TokenWorld()
        let strict = try await TokenWorld(tokens: "key: required")
        let caller = try await TokenWorld(challenge: "caller")
        let keyless = try await TokenWorld(hasKeys: false)
        let bound = try await plain.attestation(client: client)
        func other(audience: String = TokenWorld.audience, jkt: String?) -> TokenRequest {
            TokenRequest(record: bound.record, challenge: bound.challenge, audience: audience, keyThumbprint: jkt)
        }
        let cases: [(TokenWorld, TokenRequest, String)] = [
            (plain, other(audience: "https://api.example.com/", jkt: bound.keyThumbprint), "unknown-audience"),
            (plain, other(jkt: "AAAA"), "invalid-thumbprint"),
            (plain, other(jkt: nil), "binding-required"),
            (strict, try await strict.attestation(client: client), "not-exchangeable"),
            (caller, try await caller.attestation(client: client), "evidence-not-bound"),
            (keyless, try await keyless.attestation(client: client), "no-key"),
        ]
        for (world, request, code) in cases {
            #expect(try await self.code(of: request, world) == code)
        }
        // Nothing was used up: with keys, the same evidence gives a token.
        try await TokenKeyRotation(keyless.store).run(at: TokenWorld.now)
        guard case .issued = try await keyless.verifier.issueToken(cases[5].1, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
    }

    @Test("a token is no evidence for another token")
    func tokenForToken() async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client)
        let request = try world.request(token, client: client)
        let record = MintedTokenRequest(
            token: token, method: request.method, targetURI: request.targetURI,
            fields: request.fields.map { ($0.name, $0.value) }
        ).record(id: "token", app: "shop", receivedAt: TokenWorld.now)
        let exchange = TokenRequest(
            record: record, challenge: Base64.encode([UInt8](repeating: 1, count: 32), .url),
            audience: TokenWorld.audience, keyThumbprint: Self.thumbprint)
        #expect(try await code(of: exchange, world) == "not-exchangeable")
    }

    @Test("a bearer token and a token for one use")
    func bearer() async throws {
        let world = try await TokenWorld(tokens: "key: optional, testAuthorities: allow, life: 20m")
        let token = try await world.token(client: nil)
        #expect(outcome(try await world.judge(token, client: nil)) == "accept")
        #expect(outcome(try await world.judge(token, client: nil)) == "accept")
        #expect(outcome(try await world.judge(token, client: nil, at: TokenWorld.now + 1199)) == "accept")
        #expect(outcome(try await world.judge(token, client: nil, at: TokenWorld.now + 1200)) == "expiry token-expired")
        let once = try await world.token(client: nil, isLimitedUse: true)
        #expect(outcome(try await world.judge(once, client: nil)) == "accept")
        #expect(outcome(try await world.judge(once, client: nil)) == "replay digest-used")
        let other = try await world.token(client: nil, isLimitedUse: true)
        #expect(outcome(try await world.judge(other, client: nil, at: TokenWorld.now + 60)) == "expiry token-expired")
    }

    private func code(of request: TokenRequest, _ world: TokenWorld) async throws -> String {
        do {
            switch try await world.verifier.issueToken(request, at: TokenWorld.now) {
            case .issued: return "issued"
            case .rejected(let verdict): return "rejected \(verdict.failed)"
            case .decoy: return "decoy"
            case .concealed: return "concealed"
            }
        } catch VerificationError.request(let error) { return error.code }
    }
}
