import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// Two files of one ledger accept one piece of evidence twice, so each file has one name, and the name leads to the file that is open.
@Suite("The identity of the file")
struct IdentityTests {
    /// What happens to the files of an open ledger. The file `backup.sqlite` is a sound copy.
    static let changes: [(name: String, command: String)] = [
        ("the file is removed", "rm ledger.sqlite"),
        ("the file is renamed", "mv ledger.sqlite other.sqlite"),
        ("a backup takes its place", "mv backup.sqlite ledger.sqlite"),
        ("a backup takes the place of all three", "rm ledger.sqlite*; mv backup.sqlite ledger.sqlite"),
        ("a hard link is made", "ln ledger.sqlite other.sqlite"),
        ("the log is removed", "rm ledger.sqlite-wal"),
        ("the log is linked", "ln ledger.sqlite-wal other-wal"),
        ("the index is removed", "rm ledger.sqlite-shm"),
        ("the index is replaced", "rm ledger.sqlite-shm; touch ledger.sqlite-shm"),
        ("the log is a symbolic link", "mv ledger.sqlite-wal log; ln -s log ledger.sqlite-wal"),
    ]

    private static func backUp(_ folder: TemporaryFolder) throws {
        try shell(folder, "cp ledger.sqlite backup.sqlite")
    }

    static func shell(_ folder: TemporaryFolder, _ command: String) throws {
        let run = try ProgramRun("/bin/sh", ["-ec", command], in: folder.url)
        try #require(run.status == 0, "\(command): \(run.text)")
    }

    /// The codes of the outages of everything that decides.
    private static func outages(_ ledger: SQLiteLedger) async throws -> [OutageCode?] {
        let subject = LedgerSubject(.account, "alice")
        return [
            try await outage { _ = try await ledger.isAdvanced(0, 1000) },
            try await outage { _ = try await ledger.counter(0) },
            try await outage { _ = try await ledger.standings(of: [subject], at: Fixture.now) },
            try await outage {
                _ = try await ledger.liveOperator(tokenHash: [UInt8](repeating: 1, count: 32), at: Fixture.now)
            },
            try await outage { _ = try await ledger.document(named: "devices") },
            try await outage {
                do throws(KeyStoreOutage) { _ = try await ledger.sealedKeys() } catch {
                    throw LedgerOutage(error.code, error.message)
                }
            },
            try await outage { try await ledger.export { _ in } },
            try await outage { try await ledger.proveWritable(at: Fixture.now) },
        ]
    }

    @Test(
        "Each change of the files under an open ledger is an outage for all that decides, and stays one",
        arguments: IdentityTests.changes)
    func change(_ change: (name: String, command: String)) async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 1).close()
        try Self.backUp(folder)
        let ledger = try SQLiteLedger.open(path: folder.path())
        #expect(try await Self.outages(ledger).allSatisfy { $0 == nil }, "a sound ledger")
        try Self.shell(folder, change.command)
        // A proof looks at once, as `/readyz` does.
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .wrongLedger)
        #expect(try await Self.outages(ledger) == Array(repeating: .wrongLedger, count: 8))
        #expect(!ledger.isWithoutStandings)
        try? await ledger.close()
        guard change.command.contains("*") else { return }
        // The file that took its place is a ledger like any other, and was not written to.
        let other = try SQLiteLedger.open(path: folder.path())
        #expect(try await other.counter(0) == 0)
        try await other.close()
    }

    @Test(
        "An older ledger that is written into the same file is an outage",
        arguments: [
            "import sqlite3; sqlite3.connect('backup.sqlite').backup(sqlite3.connect('ledger.sqlite'))",
            "import sqlite3, shutil; c = sqlite3.connect('ledger.sqlite'); c.execute('PRAGMA wal_checkpoint(TRUNCATE)'); "
                + "c.close(); shutil.copyfile('backup.sqlite', 'ledger.sqlite')",
        ])
    func earlierContents(_ script: String) async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        let backUp = "import sqlite3; sqlite3.connect('ledger.sqlite').backup(sqlite3.connect('backup.sqlite'))"
        try Self.shell(folder, "python3 -c \"\(backUp)\"")
        let subject = LedgerSubject(.account, "alice")
        try await ledger.block(LedgerBlock(subject: subject, reason: "test", since: Fixture.now, until: nil))
        #expect(try await ledger.standings(of: [subject], at: Fixture.now).count == 1)
        // A proof looks at the audit trail.
        try await ledger.proveWritable(at: Fixture.now)
        #expect(try await ledger.isAdvanced(0, 1))
        try Self.shell(folder, "python3 -c \"\(script)\"")
        var code: OutageCode?
        var counter: UInt32 = 1
        while code == nil, counter < 1000 {
            try? await ledger.proveWritable(at: Fixture.now)
            counter += 1
            code = try await outage { _ = try await ledger.isAdvanced(0, counter) }
        }
        #expect(code == .wrongLedger)
        #expect(try await Self.outages(ledger) == Array(repeating: .wrongLedger, count: 8))
        try? await ledger.close()
    }

    @Test("Without a proof, commits and look-ups find it within a second")
    func interval() async throws {
        for isCommit in [true, false] {
            let folder = try TemporaryFolder()
            let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
            try Self.shell(folder, "rm ledger.sqlite")
            let removal = ContinuousClock.now
            var last = removal
            var code: OutageCode?
            var counter: UInt32 = 0
            while code == nil {
                last = .now
                counter += 1
                code = try await outage {
                    _ = isCommit ? try await ledger.isAdvanced(0, counter) : try await ledger.counter(0) == nil
                }
                // The last operation that began more than a second later was still accepted.
                try #require(code != nil || last - removal < .seconds(1), "accepted \(last - removal) later")
            }
            #expect(code == .wrongLedger)
            try? await ledger.close()
        }
    }

    @Test("A file that comes back stays an outage: another process may have used it by another name meanwhile")
    func returning() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        try Self.shell(folder, "ln ledger.sqlite other.sqlite")
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .wrongLedger)
        try Self.shell(folder, "rm other.sqlite")
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 1) } == .wrongLedger)
        try? await ledger.close()
        let reopened = try SQLiteLedger.open(path: folder.path())
        #expect(try await reopened.isAdvanced(0, 1))
        try await reopened.close()
    }

    @Test("A file with several hard links is not opened by any of its names, and not changed")
    func hardLinks() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 1).close()
        try Self.shell(folder, "ln ledger.sqlite other.sqlite")
        let before = try Data(contentsOf: folder.url.appendingPathComponent("ledger.sqlite"))
        for name in ["ledger.sqlite", "other.sqlite"] {
            let error = #expect(throws: LedgerOutage.self) { try SQLiteLedger.open(path: folder.path(name)) }
            #expect(
                error?.code == .wrongLedger && error?.message.contains("2 names") == true,
                "\(String(describing: error))")
        }
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("ledger.sqlite")) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.path("other.sqlite-wal")))
    }

    @Test(
        "A single file that is mounted elsewhere is not opened there; its folder may be mounted",
        .enabled(if: StressProcess.canMount, "a mount needs root and unshare(1)"))
    func mounts() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path("a/ledger.sqlite", makingFolder: "a"), keys: 1).close()
        try Self.shell(folder, "mkdir b c; touch b/other.sqlite")
        let (file, whole) = (folder.path("a/ledger.sqlite"), folder.path("a"))
        let process = try StressProcess(
            setup:
                "mount --bind '\(file)' '\(folder.path("b/other.sqlite"))'; mount --bind '\(whole)' '\(folder.path("c"))'"
        )
        #expect(try process.ask("open \(folder.path("b/other.sqlite")) 500") == "outage wrong-ledger")
        #expect(try process.ask("open \(folder.path("c/ledger.sqlite")) 500") == "ok")
        #expect(try process.ask("enrol 7") == "ok")
        let ledger = try SQLiteLedger.open(path: file)
        #expect(try await ledger.counter(7) == 0, "one log for both names of the folder")
        try await ledger.close()
    }

    @Test("A symbolic link is the same ledger; one that leads elsewhere later is an outage")
    func symbolicLinks() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        try Self.shell(folder, "mkdir links; ln -s ../ledger.sqlite links/ledger")
        let linked = try SQLiteLedger.open(path: folder.path("links/ledger"))
        #expect(try await ledger.isAdvanced(0, 5))
        #expect(try await !linked.isAdvanced(0, 5))
        try await SQLiteLedger.prepared(folder.path("second.sqlite"), keys: 1).close()
        try Self.shell(folder, "ln -sf ../second.sqlite links/ledger")
        #expect(try await outage { try await linked.proveWritable(at: Fixture.now) } == .wrongLedger)
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == nil)
        try? await linked.close()
        try await ledger.close()
    }

    @Test("Readers of a ledger that is moved learn it within a second, and go on when the move is cancelled")
    func moved() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        #expect(ledger.isWithoutStandings)
        let mover = try SQLiteLedger.openToMove(path: folder.path())
        #expect(try await mover.beginMove(to: "sqlite:elsewhere.sqlite") == nil)
        let subject = LedgerSubject(.account, "alice")
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 1) } == .wrongLedger, "a writer, at once")
        let end = ContinuousClock.now + .seconds(60)
        var code: OutageCode?
        while code == nil, ContinuousClock.now < end {
            code = try await outage { _ = try await ledger.standings(of: [subject], at: Fixture.now) }
        }
        #expect(code == .wrongLedger)
        #expect(!ledger.isWithoutStandings)
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .wrongLedger)
        try await mover.cancelMove()
        #expect(try await ledger.standings(of: [subject], at: Fixture.now) == [])
        #expect(try await ledger.isAdvanced(0, 1))
        try await mover.close()
        try await ledger.close()
    }

    @Test("A proof makes a write unless one was durable a moment ago, and finds a file that was overwritten")
    func proof() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 200).close()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let before = ledger.writer.transactionCount
        try await ledger.proveWritable(at: Fixture.now)
        #expect(ledger.writer.transactionCount == before + 1)
        try await ledger.proveWritable(at: Fixture.now)
        #expect(ledger.writer.transactionCount == before + 1, "a write was durable a moment ago")
        // By another program: closing a descriptor here would release SQLite's locks.
        try Self.shell(folder, "dd if=/dev/zero of=ledger.sqlite bs=4096 seek=1 count=200 conv=notrunc 2>/dev/null")
        #expect(try await outage { try await ledger.proveWritable(at: Fixture.now) } == .corrupt)
        try? await ledger.close()
    }

    @Test("Settings are reported apart from damage: files that every user may read or write")
    func settings() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        #expect(try await ledger.settingProblems() == [])
        for (command, part) in [
            ("chmod o+r ledger.sqlite", "every user may read \(folder.path());"),
            ("chmod o+w ledger.sqlite-wal", "every user may write \(folder.path())-wal;"),
        ] {
            try Self.shell(folder, command)
            let problems = try await ledger.settingProblems()
            #expect(problems.count == 1 && problems[0].contains(part), "\(problems)")
        }
        #expect(try await ledger.check { _ in nil } == [])
        try await ledger.close()
    }
}

extension TemporaryFolder {
    fileprivate func path(_ name: String, makingFolder folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
        return path(name)
    }
}
