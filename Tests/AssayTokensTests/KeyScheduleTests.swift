import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// The uses of keys follow from stored times, and rotation never refuses a token.
struct KeyScheduleTests {
    private static let day: Double = 86_400

    private func states(_ store: SealedKeyStore, at time: Date) async throws -> [String] {
        TokenKeySchedule(try await store.keys(for: TokenKey.purpose), at: time).entries
            .sorted { $0.name < $1.name }.map { "\($0.name) \($0.state.rawValue)" }
    }

    @Test("thumbprints and token hashes are those of RFC 9449 section 6.1 and 7.1")
    func standards() throws {
        let x = try Base64.decode("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", .url)
        let y = try Base64.decode("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA", .url)
        #expect(JWKThumbprint.p256([4] + x + y) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        #expect(
            Base64.encode(Digest.sha256(Array(token.utf8)), .url) == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test("the newest of several secrets signs, whatever their names, and the others still count")
    func newestSecret() async throws {
        let store = try TokenWorld.keyStore()
        func add(
            _ name: String, _ purpose: KeyPurpose, _ parts: [String: String], at time: Date, from start: Date? = nil
        ) async throws {
            try await store.add(
                name, for: purpose, parts: parts.mapValues { SecretBytes(Array($0.utf8)) },
                window: KeyWindow(notBefore: start, notAfter: nil), by: nil, at: time)
        }
        func secret(_ byte: UInt8, _ count: Int) -> String {
            Base64.encode([UInt8](repeating: byte, count: count), .standard)
        }
        let verifier = Verifier(
            policy: try await TokenWorld(tokens: "format: approov, failover: issue").policy, ledger: MemoryLedger(),
            keyStores: [store])
        func signer(at time: Date) async throws -> String? {
            let token = try await verifier.issueFailoverToken(app: nil, audience: TokenWorld.audience, at: time).token
            return try CompactJWS(Array(token.text.utf8), limit: 4096).header.keyID
        }
        // Names in the order of the alphabet, times in another one.
        let names = ["mmm", "zzz", "aaa", "nnn"]
        for (index, name) in names.enumerated() {
            let time = TokenWorld.now + Double(index)
            try await add(
                name, ApproovTokenSecret.purpose,
                [ApproovTokenSecret.secretPart: secret(UInt8(index), 64), ApproovTokenSecret.keyIDPart: "kid-\(name)"],
                at: time)
            #expect(try await signer(at: time + 0.5) == "kid-\(name)")
        }
        // A window in the past makes no key older than the time at which it was added; one in the future waits.
        try await add(
            "bbb", ApproovTokenSecret.purpose,
            [ApproovTokenSecret.secretPart: secret(20, 64), ApproovTokenSecret.keyIDPart: "kid-bbb"],
            at: TokenWorld.now + 10, from: TokenWorld.now - 1000)
        #expect(try await signer(at: TokenWorld.now + 11) == "kid-bbb")
        try await add(
            "ccc", ApproovTokenSecret.purpose,
            [ApproovTokenSecret.secretPart: secret(21, 64), ApproovTokenSecret.keyIDPart: "kid-ccc"],
            at: TokenWorld.now + 20, from: TokenWorld.now + 100)
        #expect(try await signer(at: TokenWorld.now + 99) == "kid-bbb")
        #expect(try await signer(at: TokenWorld.now + 100) == "kid-ccc")

        // The secret of subjects, and a key that an operator adds without a time.
        for (index, name) in ["subjects-z", "subjects-a"].enumerated() {
            try await add(
                name, TokenSecret.purpose, [TokenSecret.secretPart: secret(UInt8(40 + index), 32)],
                at: TokenWorld.now + Double(index))
        }
        let engine = TokenEngine(policy: verifier.policy, resources: EngineResources(keys: store))
        let secrets = try await engine.material(at: TokenWorld.now + 2).1
        let expected = try TokenSecret(parts: [TokenSecret.secretPart: SecretBytes(Array(secret(41, 32).utf8))])
        #expect(secrets.map { $0.nonce(at: TokenWorld.now) }.first == expected.nonce(at: TokenWorld.now))
        #expect(secrets.count == 2)
        for (index, name) in ["signing-z", "signing-a"].enumerated() {
            try await add(
                name, TokenKey.purpose, [TokenKey.privateKeyPart: secret(UInt8(50 + index), 32)],
                at: TokenWorld.now + Double(index))
        }
        #expect(
            try await states(store, at: TokenWorld.now + 2) == ["signing-a signing", "signing-z verifying"])
    }

    @Test(
        "the first key signs at once, the next is published a day before, and the old one verifies until its tokens are dead"
    )
    func plan() async throws {
        let store = try TokenWorld.keyStore()
        let rotation = TokenKeyRotation(store)
        let start = TokenWorld.now
        #expect(try await rotation.run(at: start) == ["tokens-subjects", "tokens-1"])
        #expect(try await rotation.run(at: start) == [])
        #expect(try await states(store, at: start) == ["tokens-1 signing"])
        #expect(try await rotation.run(at: start + 89 * Self.day - 1) == [])
        #expect(try await rotation.run(at: start + 89 * Self.day) == ["tokens-2"])
        #expect(try await rotation.run(at: start + 89 * Self.day + 60) == [])
        let change = start + 90 * Self.day
        #expect(try await states(store, at: change - 1) == ["tokens-1 signing", "tokens-2 published"])
        #expect(try await states(store, at: change) == ["tokens-1 verifying", "tokens-2 signing"])
        // An hour of life, half a minute of skew, ten minutes of caching.
        #expect(try await states(store, at: change + 4229) == ["tokens-1 verifying", "tokens-2 signing"])
        #expect(try await states(store, at: change + 4230) == ["tokens-1 retired", "tokens-2 signing"])
    }

    @Test("a rotation that comes late still publishes the key for a day before it signs")
    func late() async throws {
        let store = try TokenWorld.keyStore()
        let rotation = TokenKeyRotation(store)
        try await rotation.run(at: TokenWorld.now)
        let late = TokenWorld.now + 200 * Self.day
        #expect(try await rotation.run(at: late) == ["tokens-2"])
        #expect(try await states(store, at: late + Self.day - 1) == ["tokens-1 signing", "tokens-2 published"])
        #expect(try await states(store, at: late + Self.day) == ["tokens-1 verifying", "tokens-2 signing"])
    }

    @Test(
        "after a leak, a key that is made at once signs, and the retired one verifies nothing",
        .produces("assay.token.key", "key-retired"))
    func leak() async throws {
        let world = try await TokenWorld()
        let client = TestKey(.p256, seed: "token tests", label: "client")
        let token = try await world.token(client: client)
        let later = TokenWorld.now + 10
        #expect(try await TokenKeyRotation(world.store).run(atOnce: true, by: "alice", at: later) == ["tokens-2"])
        #expect(try await states(world.store, at: later) == ["tokens-1 verifying", "tokens-2 signing"])
        #expect(outcome(try await world.judge(token, client: client, proofID: "1", at: later)) == "accept")
        try await world.store.retire("tokens-1", at: later, now: later)
        #expect(outcome(try await world.judge(token, client: client, proofID: "2", at: later + 1)) == "key key-retired")
        let fresh = try await world.token(client: client, at: later + 1)
        #expect(outcome(try await world.judge(fresh, client: client, proofID: "3", at: later + 1)) == "accept")
    }

    @Test("when the signing key is retired, no older key signs again, and the plan makes a new one at once")
    func retiredSigner() async throws {
        let store = try TokenWorld.keyStore()
        let rotation = TokenKeyRotation(store)
        try await rotation.run(at: TokenWorld.now)
        try await rotation.run(atOnce: true, at: TokenWorld.now + 10)
        try await store.retire("tokens-2", at: TokenWorld.now + 20, now: TokenWorld.now + 20)
        #expect(try await states(store, at: TokenWorld.now + 20) == ["tokens-1 verifying", "tokens-2 retired"])
        #expect(try await rotation.run(at: TokenWorld.now + 30) == ["tokens-3"])
        #expect(
            try await states(store, at: TokenWorld.now + 30)
                == ["tokens-1 verifying", "tokens-2 retired", "tokens-3 signing"])
    }

    @Test("a new secret gets a free name, whichever secrets were removed")
    func secretNames() async throws {
        let store = try TokenWorld.keyStore()
        let rotation = TokenKeyRotation(store)
        let now = TokenWorld.now
        #expect(try await rotation.run(at: now) == ["tokens-subjects", "tokens-1"])
        try await store.retire("tokens-subjects", at: now, now: now)
        #expect(try await rotation.run(at: now) == ["tokens-subjects-2"])
        try await store.remove("tokens-subjects", by: nil, at: now)
        try await store.retire("tokens-subjects-2", at: now, now: now)
        #expect(try await rotation.run(at: now) == ["tokens-subjects"])
    }

    @Test("each of several rotations at once, at the same time, makes a key that signs at once")
    func rotationsAtOnce() async throws {
        let store = try TokenWorld.keyStore()
        try await TokenKeyRotation(store).run(at: TokenWorld.now)
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask { try await TokenKeyRotation(store).run(atOnce: true, at: TokenWorld.now + 10) }
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(made.sorted() == (2...9).map { "tokens-\($0)" })
    }
}
