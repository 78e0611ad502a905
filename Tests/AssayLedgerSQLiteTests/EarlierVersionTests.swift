import Approov
import Assay
import AssayCore
import AssayKeyStore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("A ledger file of an earlier version")
struct EarlierVersionTests {
    /// `TestVectors/ledger/version-5.sqlite` was created by `assay` of 2026-11-22 with `challenge issue`, `keys add`,
    /// `keys retire`, `ledger block`, `ledger allow`, and `verify` of the vectors assertion-sequence and
    /// message-replay. Never create it again: such files are in use.
    ///
    /// `version-6.sqlite` was created by `assay` of 2026-11-23 with `challenge issue`, `ledger block`, `ledger allow`,
    /// and `verify` of the vectors window/sequence.
    ///
    /// `version-7.sqlite` was created by `assay` of 2026-11-24 with `challenge issue`, `verify --account alice` of the
    /// vectors window/sequence, `ledger move`, `ledger block`, `ledger allow`, `ledger unblock` and `keys add`.
    ///
    /// `version-8.sqlite` was created by `assay` of 2026-11-24 with `challenge issue`, `verify --account alice` of the
    /// vectors window/sequence, `operators add`, `operators revoke` and `ledger block`.
    ///
    /// `version-9.sqlite` was created by `assay` of 2026-11-25 with `challenge issue`, `verify --account alice` of the
    /// vectors window/sequence, `operators add` and `ledger block`; the document was inserted as a server writes it.
    private func open(version: Int = 5) throws -> (TemporaryFolder, SQLiteLedger) {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: TestVectors.folder.appendingPathComponent("ledger/version-\(version).sqlite"),
            to: URL(fileURLWithPath: folder.path()))
        return (folder, try SQLiteLedger.open(path: folder.path(), purging: .never))
    }

    @Test("The entries of version 5 are read unchanged")
    func entries() async throws {
        let (folder, ledger) = try open()
        defer { withExtendedLifetime(folder) {} }
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        var sections: [String: Int] = [:]
        var keys: [EnrolledKey] = []
        try await ledger.export { entry in
            switch entry {
            case .challenge(let challenge, let consumedAt):
                #expect(challenge.app == "shop-ios" && challenge.purpose.name == "app-attest.attestation")
                #expect(consumedAt == nil)
                sections["challenge", default: 0] += 1
            case .key(let key): keys.append(key)
            case .digest(let use):
                #expect(use.kind.name == "approov.message" && use.app.hasPrefix("signed"))
                sections["digest", default: 0] += 1
            case .block(let block): #expect(block.sentence.hasSuffix("until 2099-01-01T00:00:00Z: fraud"))
            case .allowance(let allowance): #expect(allowance.reason == "a test device" && allowance.until == nil)
            case .operator(let stored): Issue.record("an operator in a file of version 5: \(stored)")
            case .document(_, let name): Issue.record("a document in a file of version 5: \(name)")
            case .task(let task): Issue.record("a task in a file of version 5: \(task)")
            }
        }
        #expect(sections == ["challenge": 1, "digest": 6])
        #expect(keys.map(\.counter) == [6] && keys.map(\.app) == ["vectors"])
        #expect(keys.first?.properties["appId"] == "1234567890.com.example.vectors")
        let counter = CounterAdvance(
            key: try #require(keys.first).identifier, app: "vectors", counter: 7, rule: .successor)
        let effect = LedgerEffect(Fixture.check, .advanceCounter(counter))
        #expect(try await ledger.commit([effect], at: Fixture.now).isApplied)
        #expect(try await !ledger.commit([effect], at: Fixture.now).isApplied)
    }

    @Test("A window accepts no older counters of a version 5 file, and remembers its own skipped ones after closing")
    func window() async throws {
        let (folder, ledger) = try open()
        defer { withExtendedLifetime(folder) {} }
        var keys: [EnrolledKey] = []
        try await ledger.export { if case .key(let key) = $0 { keys.append(key) } }
        let key = try #require(keys.first).identifier
        func advance(_ counter: UInt32) -> LedgerEffect {
            LedgerEffect(
                Fixture.check,
                .advanceCounter(CounterAdvance(key: key, app: "vectors", counter: counter, rule: .window(8))))
        }
        for counter: UInt32 in 0...6 {
            #expect(try await !ledger.commit([advance(counter)], at: Fixture.now).isApplied, "counter \(counter)")
        }
        #expect(try await ledger.commit([advance(9)], at: Fixture.now).isApplied)
        try await ledger.close()
        let again = try SQLiteLedger.open(path: folder.path(), purging: .never)
        #expect(try await again.enrolledKey(key)?.counters == CounterState(greatest: 9, skipped: [0b11]))
        #expect(try await again.check(Verifier.problem(withKey:)) == [])
        #expect(try await again.commit([advance(7)], at: Fixture.now).isApplied)
        #expect(try await !again.commit([advance(7)], at: Fixture.now).isApplied)
        // A program of version 5 that has the file open writes only the counter: 8 is no longer known as unused.
        try again.executeOnWriter("UPDATE enrolledKey SET counter = 10")
        #expect(
            try await again.commit([advance(8)], at: Fixture.now).decisions == [.counterUsed(presented: 8, stored: 10)])
        #expect(try await again.commit([advance(11)], at: Fixture.now).isApplied)
        for damage in ["x'00'", "zeroblob(4)", "zeroblob(200)"] {
            try again.executeOnWriter("UPDATE enrolledKey SET skipped = \(damage)")
            #expect(try await again.check(Verifier.problem(withKey:)).contains { $0.contains("skipped") }, "\(damage)")
        }
        try await again.close()
    }

    @Test("A version 6 file keeps its counter window, and its allowance excuses the same checks")
    func version6() async throws {
        let (folder, ledger) = try open(version: 6)
        defer { withExtendedLifetime(folder) {} }
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        var keys: [EnrolledKey] = []
        try await ledger.export { if case .key(let key) = $0 { keys.append(key) } }
        let key = try #require(keys.first)
        #expect(keys.count == 1 && key.counters.greatest == 9 && !key.counters.skipped.isEmpty)
        #expect(key.account == nil && key.retiredAt == nil)
        func advance(_ counter: UInt32) -> LedgerEffect {
            LedgerEffect(
                Fixture.check,
                .advanceCounter(
                    CounterAdvance(key: key.identifier, app: "vectors", counter: counter, rule: .window(4))))
        }
        #expect(try await !ledger.commit([advance(8)], at: Fixture.now).isApplied)
        #expect(try await ledger.commit([advance(7)], at: Fixture.now).isApplied)
        let standings = try await ledger.standings()
        #expect(standings.map(\.subject.kind) == [.account, .device] && standings.map(\.setBy) == [nil, nil])
        #expect(standings.last?.allowance?.checks.map(\.name) == ["approov.token.annotations"])
        var entries = 0
        try await ledger.audit { _ in entries += 1 }
        #expect(entries == 0, "no change was made by hand since the trail exists")
        try await ledger.move(key.identifier, to: "alice", by: "ops", at: Fixture.now)
        #expect(try await ledger.keys(of: "alice").map(\.identifier) == [key.identifier])
        // A program of version 6 that has the file open writes only its own columns.
        try ledger.executeOnWriter(
            """
            INSERT OR REPLACE INTO block (kind, name, reason, since, until, allows) VALUES ('device', 'd', 'old', 0, NULL, 1);
            UPDATE enrolledKey SET counter = 10, skipped = x''
            """)
        let device = try await ledger.standings(of: [LedgerSubject(.device, "d")], at: Fixture.now)
        #expect(device.map { $0.allowance?.checks.map(\.name) } == [["approov.token.annotations"]])
        #expect(try await ledger.keys(of: "alice").map(\.counter) == [10])
    }

    @Test("A version 7 file keeps account, standings and audit trail, has no operators, and accepts new ones")
    func version7() async throws {
        let (folder, ledger) = try open(version: 7)
        defer { withExtendedLifetime(folder) {} }
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        let keys = try await ledger.keys(of: "bob")
        #expect(keys.map(\.counters) == [CounterState(greatest: 9, skipped: [0b110])] && keys.map(\.app) == ["vectors"])
        let standings = try await ledger.standings()
        #expect(standings.map(\.subject.description) == ["account tester", "issuer batch-2026"])
        #expect(standings.map(\.setBy) == ["eve", "ops"])
        #expect(
            standings.first?.allowance?.checks.map(\.name) == ["play-integrity.licensing", "approov.token.annotations"])
        let store = SealedKeyStore(
            storage: ledger, masterKey: try SealedKeyFixture.masterKey(), materials: Verifier.keyMaterials)
        #expect(try await store.keys(for: ApproovKey.purpose).map(\.name) == ["approov-2026"])
        #expect(try await ledger.operators() == [])

        let token = OperatorToken.random()
        let alice = LedgerOperator(
            name: "alice", role: .operator, addedAt: Fixture.now, addedBy: "ops", until: Fixture.now + 60)
        #expect(try await ledger.addOperator(alice, tokenHash: token.hash) == nil)
        #expect(try await ledger.authenticate(token.text, at: Fixture.now) == alice)
        var trail: [LedgerAuditEntry] = []
        try await ledger.audit { trail.append($0) }
        #expect(
            trail.map(\.change.action) == [.moveKey, .block, .allow, .block, .unblock, .addKey, .addOperator],
            "the entries of version 7 and the new one")
        #expect(trail[5].hash.hexadecimal == "f5d2cef202a2b11fbb29cfc395d187284e63fe1159d3977046856ceb5b30e830")
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [], "the chain of hashes goes on")
        try await ledger.close()
        let again = try SQLiteLedger.open(path: folder.path(), purging: .never)
        #expect(try await again.operators() == [alice])
        #expect(try again.writerPragma("user_version") == "10")
    }

    @Test("A version 8 file keeps key, operators and audit trail, has no documents, and accepts new ones")
    func version8() async throws {
        let (folder, ledger) = try open(version: 8)
        defer { withExtendedLifetime(folder) {} }
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        #expect(try await ledger.keys(of: "alice").map(\.counters.greatest) == [9])
        #expect(try await ledger.standings().map(\.subject.description) == ["account mallory"])
        #expect(try await ledger.operators().map { $0.state(at: Fixture.now).rawValue } == ["live", "revoked"])
        let token = "assay_kf3KtfUzr1gsew_kfEIiymNEKGDCV1oGWl0T4TMUtFY"
        #expect(try await ledger.authenticate(token, at: Fixture.now)?.name == "alice")
        var trail: [LedgerChange.Action] = []
        try await ledger.audit { trail.append($0.change.action) }
        #expect(trail == [.addOperator, .addOperator, .revokeOperator, .block])

        #expect(try await ledger.summary(at: Fixture.now).documents == 0)
        #expect(try await ledger.store([1, 2], named: "devices", replacing: 0, at: Fixture.now))
        #expect(try await ledger.store([3], named: "devices", replacing: 1, at: Fixture.now + 1))
        try await ledger.close()
        let again = try SQLiteLedger.open(path: folder.path(), purging: .never)
        let stored = LedgerDocument(bytes: [3], revision: 2, storedAt: Fixture.now + 1)
        #expect(try await again.document(named: "devices") == stored)
        #expect(try again.writerPragma("user_version") == "10")
        #expect(try await again.check(Verifier.problem(withKey:)) == [])
        try again.executeOnWriter("UPDATE document SET revision = 0")
        let problems = try await again.check(Verifier.problem(withKey:))
        #expect(problems == ["the document devices has the revision 0"])
        try await again.close()
    }

    @Test("A file of version 9 keeps its key, document and audit trail, has no task, and takes some")
    func version9() async throws {
        let (folder, ledger) = try open(version: 9)
        defer { withExtendedLifetime(folder) {} }
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        #expect(try await ledger.keys(of: "alice").map(\.counters.greatest) == [9])
        let document = try await ledger.document(named: "devices")
        #expect(document?.bytes == [1, 2] && document?.revision == 3)
        #expect(try await ledger.operators().map(\.name) == ["alice"])
        #expect(try await ledger.standings().map(\.subject.description) == ["account mallory"])

        #expect(try await ledger.summary(at: Fixture.now).tasks == 0)
        #expect(
            try await ledger.putTask(
                [1], in: "work", dueAt: Fixture.now, bytes: [7], replacing: 0, at: Fixture.now))
        try await ledger.close()
        let again = try SQLiteLedger.open(path: folder.path(), purging: .never)
        #expect(try again.writerPragma("user_version") == "10")
        let leased = try await again.leaseTasks(
            in: "work", to: "a", until: Fixture.now + 60, atMost: 5, at: Fixture.now)
        #expect(leased.map(\.bytes) == [[7]] && leased.map(\.revision) == [2])
        #expect(try await again.check(Verifier.problem(withKey:)) == [])
        try again.executeOnWriter("UPDATE task SET revision = 0")
        let problems = try await again.check(Verifier.problem(withKey:))
        #expect(problems == ["a task of queue work has the revision 0"])
        try await again.close()
    }

    @Test("The sealed keys of version 5 open under their master key and can be retired")
    func sealedKeys() async throws {
        let (folder, ledger) = try open()
        defer { withExtendedLifetime(folder) {} }
        let masterKey = try SealedKeyFixture.masterKey()
        let store = SealedKeyStore(storage: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
        #expect(try await ledger.sealedKeys().map(\.name) == ["account", "approov-2026"])
        let tokenKey = try #require(try await store.keys(for: ApproovKey.purpose).first)
        #expect(tokenKey.name == "approov-2026" && tokenKey.scope == "shop-api")
        #expect(tokenKey.retiredAt.map(RFC3339.format) == "2098-06-01T00:00:00.250Z")
        let accountKey = try #require(try await store.keys(for: KeyPurpose("approov-message")).first)
        #expect(accountKey.window.notBefore.map(RFC3339.format) == "2026-01-01T00:00:00Z")
        #expect(accountKey.window.notAfter.map(RFC3339.format) == "2099-01-01T00:00:00Z")
        try await store.retire("approov-2026", at: Fixture.now, now: Fixture.now)
        let again = SealedKeyStore(storage: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
        #expect(try await again.keys(for: ApproovKey.purpose).map(\.retiredAt) == [Fixture.now])
    }
}
