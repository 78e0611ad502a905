import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayService
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// What the ledger knows of the attested key and its account counts for their tokens at once.
struct StandingTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")

    private func block(_ subject: LedgerSubject, in world: TokenWorld) async throws {
        try await world.ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: TokenWorld.now, until: nil))
    }

    @Test(
        "a block of the key or of its account refuses tokens that are in force",
        .produces("assay.token.subject", "blocked"))
    func blocked() async throws {
        for isAccount in [false, true] {
            let world = try await TokenWorld()
            let key = AttestedKey()
            let token = try await world.token(key, client: client, account: "alice")
            let other = try await world.token(client: client, account: "bob")
            try await block(
                isAccount
                    ? LedgerSubject(.account, "alice") : LedgerSubject(.key, Base64.encode(key.keyID, .standard)),
                in: world)
            #expect(outcome(try await world.judge(token, client: client)) == "subject blocked")
            #expect(outcome(try await world.judge(other, client: client, proofID: "other")) == "accept")
        }
    }

    @Test(
        "a token is accepted only for its own account, and not if that account is blocked",
        .produces("assay.token.account", "token-of-another-account", "account-blocked"))
    func accounts() async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client, account: "alice")
        let free = try await world.token(client: client)
        #expect(outcome(try await world.judge(token, client: client, account: "alice", proofID: "1")) == "accept")
        #expect(
            outcome(try await world.judge(token, client: client, account: "bob", proofID: "2"))
                == "account token-of-another-account")
        #expect(outcome(try await world.judge(free, client: client, account: "bob", proofID: "3")) == "accept")
        try await block(LedgerSubject(.account, "bob"), in: world)
        #expect(
            outcome(try await world.judge(free, client: client, account: "bob", proofID: "4"))
                == "account account-blocked")
    }

    @Test("a token whose reference was sealed under another secret is refused where standings count")
    func foreignReference() async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client, account: "alice")
        let secrets = try await world.store.keys(for: TokenSecret.purpose)
        try await world.store.retire(try #require(secrets.first).name, at: TokenWorld.now, now: TokenWorld.now)
        #expect(try await TokenKeyRotation(world.store).run(at: TokenWorld.now) == ["tokens-subjects-2"])
        #expect(
            outcome(try await world.judge(token, client: client, account: "alice")) == "subject reference-unreadable")
    }

    @Test("with a ledger that lasts, such a token is refused also while nothing is blocked")
    func foreignReferenceWithoutStandings() async throws {
        let folder = try TestFolder()
        let ledger = try SQLiteLedger.open(path: folder.path("ledger.sqlite"))
        let world = try await TokenWorld(ledger: ledger)
        let token = try await world.token(client: client)
        let secrets = try await world.store.keys(for: TokenSecret.purpose)
        try await world.store.retire(try #require(secrets.first).name, at: TokenWorld.now, now: TokenWorld.now)
        for proofID in ["1", "2", "3"] {
            #expect(
                outcome(try await world.judge(token, client: client, proofID: proofID))
                    == "subject reference-unreadable")
        }
        try await ledger.close()
    }

    @Test("an issuer without its secret refuses tokens if the ledger has standings")
    func missingSecret() async throws {
        let world = try await TokenWorld()
        let key = AttestedKey()
        let token = try await world.token(key, client: client)
        try await block(LedgerSubject(.key, Base64.encode(key.keyID, .standard)), in: world)
        let secrets = try await world.store.keys(for: TokenSecret.purpose)
        try await world.store.retire(try #require(secrets.first).name, at: TokenWorld.now, now: TokenWorld.now)
        #expect(outcome(try await world.judge(token, client: client)) == "subject reference-unreadable")
    }

    @Test("a service with the issuer's key set alone says that it cannot compare blocks on attested keys")
    func keySet() async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client)
        let verifier = try await world.verifier(ofKeySetsFor: [nil])
        try await block(LedgerSubject(.account, "eve"), in: world)
        let verdict = try await verifier.verifyTokenRequest(
            try world.request(token, client: client), at: TokenWorld.now)
        #expect(outcome(verdict) == "accept")
        let subject = try #require(verdict.checks.first { $0.check.name == "assay.token.subject" })
        #expect(subject.status == .skipped && subject.finding?.code == "reference-unreadable")
    }

    @Test("a key set of another issuer counts for the app that it is for, and beside keys of one's own for no other")
    func foreignKeySet() async throws {
        let (world, other) = (try await TokenWorld(), try await TokenWorld())
        let forged = try await other.token(client: client)
        for (scope, expected) in [(nil, "key unknown-key-id"), ("games", "key unknown-key-id"), ("shop", "accept")] {
            let verifier = try await other.verifier(ofKeySetsFor: [scope], beside: world.store)
            let verdict = try await verifier.verifyTokenRequest(
                try world.request(forged, client: client, proofID: scope ?? "none"), at: TokenWorld.now)
            #expect(outcome(verdict) == expected, "\(scope ?? "no scope")")
        }
    }

    @Test("a nonce is that of this server, now or in the interval before")
    func nonces() async throws {
        let world = try await TokenWorld(tokens: "nonce: required, testAuthorities: allow")
        let token = try await world.token(client: client)
        let named = try await world.store.keys(for: TokenSecret.purpose)
        let secret = try #require(named.first?.material as? TokenSecret)
        for (offset, expected) in [(0.0, "accept"), (-120, "accept"), (-240, "freshness nonce-differs")] {
            let verdict = try await world.judge(token, client: client, proofID: "\(offset)") {
                $0["nonce"] = .text(secret.nonce(at: TokenWorld.now + offset))
            }
            #expect(outcome(verdict) == expected)
        }
        #expect(outcome(try await world.judge(token, client: client, proofID: "none")) == "freshness nonce-required")
    }
}
