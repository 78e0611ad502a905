import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Stored texts and bytes", .timeLimit(.minutes(20)))
struct StoredTextTests {
    @Test("Names and bytes are stored unchanged", arguments: ["", "a\u{0}b", "\u{FC}\u{1F600}"])
    func texts(name: String) async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let value = Array(name.utf8)
        let purpose = ChallengePurpose(EvidenceKind("app-attest.assertion"))
        try await ledger.issue(
            IssuedChallenge(
                value: value, app: name, purpose: purpose, issuedAt: Fixture.now, expiresAt: Fixture.now + 60),
            at: Fixture.now)
        let key = EnrolledKey(
            identifier: KeyIdentifier(engine: name, value: value), app: name, publicKey: value, counter: 7,
            enrolledAt: Fixture.now, properties: [name: name])
        let effects = [
            LedgerEffect(Fixture.check, .consumeChallenge(value: value, app: name, purpose: purpose)),
            LedgerEffect(Fixture.check, .enrol(key)),
            LedgerEffect(
                Fixture.check,
                .rememberDigest(
                    UsedDigest(
                        digest: value, app: name, kind: EvidenceKind("approov.message"), madeAt: Fixture.now,
                        usedAt: Fixture.now, until: Fixture.now + 60))),
        ]
        #expect(try await ledger.commit(effects, at: Fixture.now).isApplied)
        #expect(try await ledger.enrolledKey(key.identifier) == key)
        let again = try await ledger.commit(effects, at: Fixture.now).decisions
        #expect(
            again == [.challengeConsumed(Fixture.now), .keyEnrolled(Fixture.now), .digestUsed(Fixture.now)])
    }

    @Test("A block on a name does not apply to a name that continues after a NUL, nor the reverse")
    func blocks() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let (short, long) = (LedgerSubject(.device, "a"), LedgerSubject(.device, "a\u{0}b"))
        try await ledger.block(LedgerBlock(subject: long, reason: "r\u{0}s", since: Fixture.now, until: nil))
        #expect(try await ledger.blocks(on: [short, long], at: Fixture.now).map(\.subject) == [long])
        #expect(try await ledger.blocks(on: [long], at: Fixture.now).first?.reason == "r\u{0}s")
        #expect(
            try await ledger.removeStanding(of: short, by: "ops", at: Date(timeIntervalSince1970: 1_776_795_192)) == nil
        )
        #expect(
            try await ledger.removeStanding(of: long, by: "ops", at: Date(timeIntervalSince1970: 1_776_795_192))?
                .subject == long)
        #expect(try await ledger.blocks(on: [short, long], at: Fixture.now) == [])
    }

    @Test("Lack of memory for a stored value is an outage, and never an empty or partial value")
    func wantOfMemory() async throws {
        let folder = try TemporaryFolder()
        // With another encoding, SQLite allocates memory for each text after it has read the row.
        try SQLiteLedger.createDatabase(
            path: folder.path(), sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); DROP TABLE t")
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        let note = String(repeating: "x", count: 100_000)
        try ledger.executeOnWriter("UPDATE enrolledKey SET properties = '{\"note\":\"\(note)\"}'")
        let child = try StressProcess()
        try #require(try child.ask("open \(folder.path()) 1000") == "ok")
        var answers: [String: Int] = [:]
        for bytes in stride(from: 0, through: 1_000_000, by: 10_000) {
            answers[try child.ask("starve 0 \(bytes)"), default: 0] += 1
        }
        #expect(Set(answers.keys) == ["read 100000", "outage out-of-memory"], "\(answers)")
        #expect((answers["outage out-of-memory"] ?? 0) > 20, "\(answers)")
    }

    @Test("A key of any length is blocked by its usual name")
    func blockedNames() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        for length in 0...33 {
            // Bytes whose base64 has both characters in which the alphabets differ.
            let key = KeyIdentifier(engine: "app-attest", value: Array(repeating: 0xFB, count: length))
            try await ledger.block(LedgerBlock(subject: key.subject, reason: "test", since: Fixture.now, until: nil))
            let enrolled = EnrolledKey(
                identifier: key, app: "shop-ios", publicKey: [], counter: 0, enrolledAt: Fixture.now, properties: [:])
            let outcome = try await ledger.commit([LedgerEffect(Fixture.check, .enrol(enrolled))], at: Fixture.now)
            guard case .blocked? = outcome.decisions[0] else {
                Issue.record("\(length) bytes: \(outcome)")
                continue
            }
        }
    }
}
