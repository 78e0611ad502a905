import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Versions of the schema")
struct SchemaTests {
    private static let schema = "SELECT name || coalesce(sql, '') FROM sqlite_master ORDER BY name"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A copy of `TestVectors/ledger/version-1.sqlite`; its README says what is in it.
    private func version1() throws -> SQLiteLedger {
        try FileManager.default.copyItem(
            at: TestVectors.folder.appendingPathComponent("ledger/version-1.sqlite"),
            to: URL(fileURLWithPath: folder.path()))
        return try SQLiteLedger.open(path: folder.path(), purging: .never)
    }

    @Test("A file of version 1 has the tables of a new ledger, and opening it changes none of them")
    func tables() async throws {
        let new = try SQLiteLedger.open(path: folder.path("new.sqlite"))
        let ledger = try version1()
        #expect(try ledger.texts(Self.schema) == new.texts(Self.schema))
        #expect(try ledger.writerPragma("user_version") == "1")
        try await ledger.close()
        let again = try SQLiteLedger.open(path: folder.path())
        #expect(try again.texts(Self.schema) == new.texts(Self.schema))
    }

    @Test("The entries of version 1 are read as they were written, and the ledger goes on from them")
    func entries() async throws {
        let ledger = try version1()
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        let now = Date(timeIntervalSince1970: 1_790_000_020)
        let end = Date(timeIntervalSince1970: 1_790_000_000 + 31_536_000)
        var entries: [LedgerEntry] = []
        try await ledger.export { entries.append($0) }
        #expect(entries.count == 11)

        let open = IssuedChallenge(
            value: [UInt8](repeating: 1, count: 32), app: "shop-ios",
            purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: now - 20, expiresAt: now + 280)
        #expect(entries.contains(.challenge(open, consumedAt: nil)))
        let key = EnrolledKey(
            identifier: KeyIdentifier(engine: "app-attest", value: Array(0..<32)), app: "shop-ios",
            publicKey: [4] + [UInt8](repeating: 1, count: 64), counters: CounterState(greatest: 9, skipped: [0b110]),
            enrolledAt: now - 15, properties: ["appId": "1234567890.com.example.shop"], account: "alice",
            retiredAt: nil)
        #expect(entries.contains(.key(key)))
        #expect(entries.contains { if case .digest(let use) = $0 { use.madeAt == now - 23 } else { false } })
        #expect(try await ledger.standings().map(\.setBy) == ["alice", nil])
        #expect(
            try await ledger.standings().last?.allowance?.checks
                == [CheckID("approov.token.annotations"), CheckID("play-integrity.licensing")])
        #expect(try await ledger.quarantineEnd() == now + 880)
        let document = LedgerDocument(bytes: [1, 2], revision: 3, storedAt: now - 20)
        #expect(try await ledger.document(named: "devices") == document)
        #expect(try await ledger.task([1], in: "work")?.bytes == [7])
        let token = "assay_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
        let alice = LedgerOperator(name: "alice", role: .admin, addedAt: now - 20, addedBy: nil, until: end)
        #expect(try await ledger.authenticate(token, at: now) == alice)
        #expect(try await SealedKeyFixture.store(on: ledger).secrets() == ["secret-2026": "a secret"])
        var trail: [LedgerAuditEntry] = []
        try await ledger.audit { trail.append($0) }
        #expect(trail.count == 8)
        #expect(
            trail.last?.hash.hexadecimal == "bd7fee1294b6566c72340229d9df4550215dc14ce9dff37734f9aa267c82df15")

        func advance(_ counter: UInt32) -> LedgerEffect {
            LedgerEffect(
                Fixture.check,
                .advanceCounter(
                    CounterAdvance(key: key.identifier, app: "shop-ios", counter: counter, rule: .window(8))))
        }
        let later = now + 1000
        for (counter, isApplied) in [(8, false), (7, true), (7, false), (10, true)] as [(UInt32, Bool)] {
            #expect(try await ledger.commit([advance(counter)], at: later).isApplied == isApplied, "counter \(counter)")
        }
        let old = Fixture.remember(1, app: "shop-api", madeAt: now - 40, lasting: 86_400, at: later)
        #expect(try await outage { _ = try await ledger.commit([old], at: later) } == .forgotten)
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "eve"), reason: "test", since: later, until: nil))
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [], "the chain of hashes goes on")
    }

    @Test(
        "A ledger of an unknown version is refused, and not changed",
        arguments: [
            ("PRAGMA user_version = 2", .newerSchema, "is of version 2, and this program knows up to 1"),
            ("PRAGMA user_version = 0", .corrupt, "but not a ledger"),
            ("PRAGMA user_version = -1", .corrupt, "but not a ledger"),
            // The mark of unreleased builds, whose versions were 1 to 10.
            ("PRAGMA application_id = 1095979865", .corrupt, "of an unreleased build, version 1"),
            (
                "PRAGMA application_id = 1095979865; PRAGMA user_version = 10", .corrupt,
                "of an unreleased build, version 10"
            ),
        ] as [(String, OutageCode, String)])
    func refused(_ sql: String, _ code: OutageCode, _ message: String) async throws {
        let ledger = try version1()
        try ledger.executeOnWriter(sql)
        try await ledger.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path()))
        let outage = #expect(throws: LedgerOutage.self) { try SQLiteLedger.open(path: folder.path()) }
        #expect(outage?.code == code)
        #expect(outage?.message.contains(message) == true, "\(outage?.message ?? "")")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path())) == before)
    }

    @Test("A new ledger has purged nothing, so evidence of any age is judged")
    func newLedger() async throws {
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { Fixture.now })
        let use = Fixture.remember(1, madeAt: .distantPast, lasting: 60, at: .distantPast)
        #expect(try await ledger.commit([use], at: .distantPast).isApplied)
    }
}
