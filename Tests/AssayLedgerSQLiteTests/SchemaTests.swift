import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Versions of the schema")
struct SchemaTests {
    /// A ledger of version 1. Never change it: such files are in use.
    static let version1 = """
        PRAGMA application_id = 1095979865;
        PRAGMA user_version = 1;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        CREATE TABLE challenge (
            value BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            purpose TEXT NOT NULL,
            issuedAt INTEGER NOT NULL,
            expiresAt INTEGER NOT NULL,
            consumedAt INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX challengeByExpiry ON challenge (expiresAt);
        CREATE TABLE enrolledKey (
            engine TEXT NOT NULL,
            identifier BLOB NOT NULL,
            app TEXT NOT NULL,
            publicKey BLOB NOT NULL,
            counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
            enrolledAt INTEGER NOT NULL,
            properties TEXT NOT NULL,
            PRIMARY KEY (engine, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE usedDigest (
            digest BLOB NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            kind TEXT NOT NULL,
            usedAt INTEGER NOT NULL,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX usedDigestByEnd ON usedDigest (until);
        CREATE TABLE block (
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER,
            PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO enrolledKey VALUES ('app-attest', zeroblob(32), 'shop-ios', x'04' || zeroblob(64), 41,
            1776795192153000, '{"appID":"1234567890.com.example.shop"}');
        INSERT INTO block VALUES ('account', 'alice', 'fraud', 1776795192153000, NULL);
        INSERT INTO challenge VALUES (x'01', 'shop-ios', 'app-attest.assertion', 1776795192000000, 1776795492000000, NULL);
        INSERT INTO usedDigest VALUES (x'02', 'shop-ios', 'approov.message', 1776795192000000, 1776795492000000);
        """

    /// The additions of version 2.
    static let version2 = """
        PRAGMA user_version = 2;
        INSERT INTO grdb_migrations VALUES ('2');
        CREATE TABLE sealedKey (
            name TEXT NOT NULL PRIMARY KEY,
            purpose TEXT NOT NULL,
            scope TEXT,
            algorithm TEXT NOT NULL,
            notBefore INTEGER,
            notAfter INTEGER,
            retiredAt INTEGER,
            addedAt INTEGER NOT NULL,
            masterKey BLOB NOT NULL,
            sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The additions of version 3.
    static let version3 = """
        PRAGMA user_version = 3;
        INSERT INTO grdb_migrations VALUES ('3');
        ALTER TABLE block ADD COLUMN allows INTEGER NOT NULL DEFAULT 0 CHECK (allows IN (0, 1));
        """

    /// The additions of version 4.
    static let version4 = """
        PRAGMA user_version = 4;
        INSERT INTO grdb_migrations VALUES ('4');
        CREATE TABLE forgotten (
            what TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// A ledger of an older version.
    private static func ledger(ofVersion version: Int) -> String {
        // SQLite treats `x'04'
        // zeroblob(64)` as text.
        let first = version1.replacing("x'04' || zeroblob(64)", with: "x'04\(String(repeating: "00", count: 64))'")
        return ([first, version2, version3, version4] as [String]).prefix(version).joined()
    }

    static let schema = "SELECT name || coalesce(sql, '') FROM sqlite_master ORDER BY name"

    @Test(
        "An older ledger is migrated when opened and keeps its entries; opening it again changes nothing",
        arguments: [1, 2, 3, 4])
    func idempotent(version: Int) async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: Self.ledger(ofVersion: version))
        var schemas: [[String]] = []
        var exports: [[LedgerEntry]] = []
        for _ in 0..<3 {
            let ledger = try SQLiteLedger.open(path: folder.path())
            schemas.append(try ledger.texts(Self.schema))
            var entries: [LedgerEntry] = []
            try await ledger.export { entries.append($0) }
            exports.append(entries)
            #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
            #expect(try ledger.writerPragma("user_version") == "10")
            #expect(try await ledger.sealedKeys() == [])
            try await ledger.close()
        }
        #expect(Set(schemas).count == 1)
        #expect(exports[0].count == 4)
        #expect(exports[0] == exports[1] && exports[1] == exports[2])
        guard case .key(let key) = exports[0][1] else { throw LedgerOutage(.corrupt, "no key in the fixture") }
        #expect(key.counter == 41)
        #expect(RFC3339.format(key.enrolledAt) == "2026-04-21T18:13:12.153Z")

        let new = try SQLiteLedger.open(path: folder.path("new.sqlite"))
        #expect(try new.texts(Self.schema).map(Self.unformatted) == schemas[0].map(Self.unformatted))
    }

    /// SQLite keeps the text of a statement except for spaces that `IF NOT EXISTS` changes.
    private static func unformatted(_ sql: String) -> String { String(sql.filter { !$0.isWhitespace }) }

    @Test(
        "A ledger of a newer version is refused",
        arguments: ["PRAGMA user_version = 11", "INSERT INTO grdb_migrations VALUES ('11')"])
    func newer(_ sql: String) async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        try ledger.executeOnWriter(sql)
        try await ledger.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path()))
        #expect(try await outage { _ = try SQLiteLedger.open(path: folder.path()) } == .newerSchema)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path())) == before)
    }

    @Test("A block of an old version stays a block until it is removed", arguments: [1, 2, 3, 4])
    func oldBlock(version: Int) async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: Self.ledger(ofVersion: version))
        let ledger = try SQLiteLedger.open(path: folder.path())
        let alice = LedgerSubject(.account, "alice")
        let since = try #require(RFC3339.parse("2026-04-21T18:13:12.153Z"))
        let block = LedgerBlock(subject: alice, reason: "fraud", since: since, until: nil)
        #expect(try await ledger.standings(of: [alice], at: Fixture.now) == [.blocked(block)])
        let allowance = LedgerAllowance(
            subject: alice, checks: [CheckID("approov.token.annotations")], reason: "sorry", since: Fixture.now,
            until: Fixture.now + 60)
        #expect(try await ledger.allow(allowance) == block)
        #expect(try await ledger.standings(of: [alice], at: Fixture.now) == [.blocked(block)])
        _ = try await ledger.removeStanding(of: alice, by: "carol", at: Fixture.now)
        #expect(try await ledger.allow(allowance) == nil)
        #expect(try await ledger.standings(of: [alice], at: Fixture.now) == [.allowed(allowance)])
    }

    @Test("A version 2 program that still has the file open treats an allowance as a block, and writes blocks")
    func olderProgram() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let device = LedgerSubject(.device, "d1")
        try await ledger.allow(
            LedgerAllowance(
                subject: device, checks: [CheckID("approov.token.annotations")], reason: "test", since: Fixture.now,
                until: nil))
        let read = "SELECT kind || name || reason FROM block WHERE kind = 'device' AND name = 'd1'"
        #expect(try ledger.texts(read) == ["deviced1test"])
        try ledger.executeOnWriter(
            "INSERT OR REPLACE INTO block (kind, name, reason, since, until) VALUES ('device', 'd1', 'abuse', 0, NULL)")
        let block = LedgerBlock(subject: device, reason: "abuse", since: Date(timeIntervalSince1970: 0), until: nil)
        #expect(try await ledger.standings(of: [device], at: Fixture.now) == [.blocked(block)])
    }

    @Test(
        "Evidence that an older ledger may have purged is an outage; younger evidence is judged",
        arguments: [1, 2, 3, 4])
    func forgottenWithoutNote(version: Int) async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: Self.ledger(ofVersion: version))
        let clock = MachineClock(Fixture.now + 10_000)
        var ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        func code(_ seed: UInt32, madeAfter seconds: Double) async throws -> OutageCode? {
            let use = Fixture.remember(seed, madeAt: Fixture.now + seconds, lasting: 86_400, at: clock.now)
            return try await outage { try #require(try await ledger.commit([use], at: clock.now).isApplied) }
        }
        #expect(try await code(1, madeAfter: 300) == .forgotten)
        #expect(try await code(2, madeAfter: 301) == nil)
        // Once, and not each time it is opened.
        try await ledger.close()
        clock.now = Fixture.now + 20_000
        ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { clock.now })
        #expect(try await code(3, madeAfter: 349) == nil)
        #expect(try await code(4, madeAfter: 300) == .forgotten)
        // The remaining entries were used, and are recorded when purged: the purge of these commits did that.
        #expect(try ledger.texts("SELECT hex(digest) FROM usedDigest WHERE digest = x'02'") == [])
        #expect(try ledger.texts("SELECT app || kind FROM forgottenUse") == ["shop-iosapproov.message"])
    }

    @Test("A later purge record of version 4 is kept")
    func noteOfVersion4() async throws {
        let folder = try TemporaryFolder()
        let mark = Int64((Fixture.now + 50_000).timeIntervalSince1970) * 1_000_000
        try SQLiteLedger.createDatabase(
            path: folder.path(),
            sql: Self.ledger(ofVersion: 4) + "INSERT INTO forgotten VALUES ('usedDigest', \(mark));")
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { Fixture.now + 10_000 })
        for (seconds, expected) in [(50_000, .forgotten), (50_001, nil)] as [(Double, OutageCode?)] {
            let use = Fixture.remember(1, madeAt: Fixture.now + seconds, lasting: 60, at: Fixture.now + seconds)
            let code = try await outage { _ = try await ledger.commit([use], at: Fixture.now + seconds) }
            #expect(code == expected)
        }
    }

    @Test("Purge records of a version 4 program, which name no app, cause no outage")
    func openVersion4() async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: Self.ledger(ofVersion: 4))
        let now = Fixture.now + 10_000
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { now })
        let mark = Int64((now - 60).timeIntervalSince1970) * 1_000_000
        try ledger.executeOnWriter("INSERT OR REPLACE INTO forgotten VALUES ('usedDigest', \(mark))")
        let use = Fixture.remember(1, madeAt: now - 3600, lasting: 86_400, at: now)
        #expect(try await ledger.commit([use], at: now).isApplied)
    }

    @Test("A new ledger has purged nothing, so evidence of any age is judged")
    func newLedger() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path(), purging: .byClock { Fixture.now })
        let use = Fixture.remember(1, madeAt: .distantPast, lasting: 60, at: .distantPast)
        #expect(try await ledger.commit([use], at: .distantPast).isApplied)
    }

    @Test("If several processes migrate a ledger at once, all succeed", arguments: [1, 2, 3, 4])
    func racing(version: Int) async throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            try SQLiteLedger.createDatabase(path: folder.path(), sql: Self.ledger(ofVersion: version))
            let other = try StressProcess()
            try other.send("open \(folder.path()) 5000")
            let ledger = try SQLiteLedger.open(path: folder.path())
            #expect(try other.readLine() == "ok")
            #expect(try await ledger.sealedKeys() == [])
            #expect(try other.ask("keys") == "keys 1")
        }
    }

    @Test("Opening completes a migration that a killed process began")
    func half() async throws {
        let folder = try TemporaryFolder()
        try SQLiteLedger.createDatabase(path: folder.path(), sql: "PRAGMA application_id = 1095979865")
        #expect(try await SQLiteLedger.prepared(folder.path(), keys: 1).counter(0) == 0)
    }
}
