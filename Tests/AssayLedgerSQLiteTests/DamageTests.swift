import Assay
import AssayCore
import AssayLedgerSQLite
import Foundation
import Testing

@Suite("Damaged files")
struct DamageTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (Data) -> Data

        init(_ name: String, _ apply: @escaping @Sendable (Data) -> Data) {
            testDescription = name
            self.apply = apply
        }

        static func garbage(_ count: Int) -> Data {
            var generator = SystemRandomNumberGenerator()
            return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }

        static let all = [
            Damage("garbage over all pages but the first") { $0.prefix(4096) + garbage($0.count - 4096) },
            Damage("garbage over the first page") { garbage(4096) + $0.dropFirst(4096) },
            Damage("garbage over all but the header") { $0.prefix(100) + garbage($0.count - 100) },
            Damage("zeros over all pages but the first") { $0.prefix(4096) + Data(count: $0.count - 4096) },
            Damage("cut to half") { $0.prefix($0.count / 8192 * 4096) },
            Damage("cut inside the first page") { $0.prefix(1000) },
            Damage("a random file") { garbage($0.count) },
            Damage("a text file") { _ in Data("version: 1\n".utf8) },
        ]
    }

    @Test("A damaged ledger accepts nothing, and works again after it is restored", arguments: Damage.all)
    func damaged(_ damage: Damage) async throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.path())
        var ledger = try await SQLiteLedger.prepared(url.path, keys: 300)
        try #require(try await ledger.isAdvanced(0, 7))
        try await ledger.close()
        let intact = try Data(contentsOf: url)
        try damage.apply(intact).write(to: url)

        for effect in [Fixture.advance(0, 8), Fixture.enrol(0), Fixture.enrol(300)] {
            let code = try await outage {
                let ledger = try SQLiteLedger.open(path: url.path, busyTimeout: .milliseconds(200))
                let outcome = try await ledger.commit([effect], at: Fixture.now)
                Issue.record("decided on a damaged ledger: \(outcome.decisions)")
            }
            #expect(code == .corrupt)
        }

        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        try intact.write(to: url)
        ledger = try SQLiteLedger.open(path: url.path)
        #expect(try await ledger.counter(0) == 7)
        #expect(try await ledger.isAdvanced(0, 8))
        try await expectComplete(ledger, keys: 300)
    }

    @Test("A SQLite file of another program is refused and not changed")
    func foreign() async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path()))
        #expect(try await outage { _ = try SQLiteLedger.open(path: folder.path()) } == .corrupt)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path())) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["ledger.sqlite"])
    }

    @Test("An empty file becomes a ledger")
    func empty() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path()))
        #expect(try await SQLiteLedger.prepared(folder.path(), keys: 1).counter(0) == 0)
    }

    /// Rows that no version of the ledger writes, each with a word of the check's message.
    static let rows: [(sql: String, problem: String, isOutage: Bool)] = [
        ("UPDATE enrolledKey SET counter = 4294967296", "counter", true),
        ("UPDATE enrolledKey SET counter = -1", "counter", true),
        ("UPDATE enrolledKey SET identifier = x'00'", "not 32", false),
        ("UPDATE enrolledKey SET publicKey = x'0400'", "P-256 point", false),
        ("UPDATE enrolledKey SET properties = '{\"a\":1}'", "properties", false),
        ("UPDATE enrolledKey SET properties = 'x'", "properties", false),
        ("UPDATE enrolledKey SET skipped = x'00'", "skipped", true),
        ("UPDATE enrolledKey SET skipped = zeroblob(4)", "skipped", true),
        ("UPDATE enrolledKey SET skipped = zeroblob(200)", "skipped", true),
        (
            "INSERT INTO enrolledKey SELECT engine, zeroblob(32), app, publicKey, 0, 0, '{}', x'', NULL, NULL FROM enrolledKey",
            "share one public key", false
        ),
        ("INSERT INTO block VALUES ('planet', 'x', '', 0, NULL, 0, NULL, NULL)", "kind", false),
        ("INSERT INTO block VALUES ('device', 'x', '', 0, NULL, 2, NULL, NULL)", "allows", false),
        ("INSERT INTO block VALUES ('issuer', '', '', 0, NULL, 0, NULL, NULL)", "a blocked issuer has no name", false),
        ("INSERT INTO block VALUES ('device', 'x', '', 0, NULL, 1, NULL, NULL)", "checks", false),
        ("INSERT INTO block VALUES ('device', '', '', 0, NULL, 1, '', NULL)", "an allowed device has no name", false),
        ("INSERT INTO challenge VALUES (x'00', 'a', 'p', 9, 5, NULL)", "expired before", false),
        (
            "INSERT INTO sealedKey VALUES ('k', 'test', NULL, 'none', 2, 1, NULL, 0, zeroblob(8), zeroblob(40))",
            "window that ends before it begins", false
        ),
        (
            "INSERT INTO sealedKey VALUES ('k', 'test', NULL, 'none', 1, 1, NULL, 0, zeroblob(7), zeroblob(40))",
            "too short or too long", false
        ),
        (
            "INSERT INTO sealedKey VALUES ('k', 'test', NULL, 'none', 1, 1, NULL, 0, zeroblob(8), zeroblob(28))",
            "too short or too long", false
        ),
        (
            "INSERT INTO sealedKey VALUES ('k', 'test', NULL, 'none', 1, 1, NULL, 0, zeroblob(8), zeroblob(29))",
            "a form that is not known", false
        ),
        (
            "INSERT INTO sealedKey VALUES ('', 'test', NULL, 'none', 1, 1, NULL, 0, zeroblob(8), zeroblob(29))",
            "a name that no key has", false
        ),
        ("INSERT INTO usedDigest VALUES (x'', 'a', 'k', 0, 0, 0)", "empty digest", false),
        ("INSERT INTO operator VALUES (zeroblob(32), 'a', 'root', 0, NULL, 9, NULL, NULL)", "role", false),
        ("INSERT INTO operator VALUES (zeroblob(32), 'a ', 'admin', 0, NULL, 9, NULL, NULL)", "name", false),
        ("INSERT INTO operator VALUES (zeroblob(32), 'a', 'admin', 9, NULL, 9, NULL, NULL)", "ended before", false),
        ("INSERT INTO operator VALUES (zeroblob(31), 'a', 'admin', 0, NULL, 9, NULL, NULL)", "31 bytes", false),
        ("INSERT INTO document VALUES ('devices', x'01', 0, 0)", "the document devices has the revision 0", false),
        (
            "INSERT INTO task VALUES ('work', x'01', 0, NULL, x'01', 0)", "a task of queue work has the revision 0",
            false
        ),
    ]

    @Test("A damaged row is an outage only for its own key, also inside a shared transaction")
    func damagedRow() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 64)
        try ledger.executeOnWriter("PRAGMA ignore_check_constraints = 1")
        let name = "20000000" + String(repeating: "20000000", count: 7)
        try ledger.executeOnWriter("UPDATE enrolledKey SET counter = -1 WHERE identifier = x'\(name)'")
        // Writers that return join transactions that have begun.
        try await withThrowingTaskGroup(of: (UInt32, OutageCode?).self) { group in
            for seed in UInt32(0)..<64 {
                group.addTask {
                    var codes: Set<OutageCode?> = []
                    for counter in UInt32(1)...10 {
                        codes.insert(try await outage { try #require(try await ledger.isAdvanced(seed, counter)) })
                    }
                    try #require(codes.count == 1)
                    return (seed, codes.removeFirst())
                }
            }
            for try await (seed, code) in group { #expect(code == (seed == 32 ? .corrupt : nil)) }
        }
    }

    @Test("The check of a ledger reports rows that no version of the ledger writes", arguments: rows)
    func check(_ row: (sql: String, problem: String, isOutage: Bool)) async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        #expect(try await ledger.commit([Fixture.enrol(7)], at: Fixture.now).isApplied)
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
        try ledger.executeOnWriter("PRAGMA ignore_check_constraints = 1")
        try ledger.executeOnWriter(row.sql)
        let problems = try await ledger.check(Verifier.problem(withKey:))
        #expect(problems.contains { $0.contains(row.problem) }, "\(problems)")
        if row.isOutage {
            #expect(try await outage { _ = try await ledger.isAdvanced(7, 1) } == .corrupt)
            #expect(try await outage { _ = try await ledger.counter(7) } == .corrupt)
        }
    }
}
