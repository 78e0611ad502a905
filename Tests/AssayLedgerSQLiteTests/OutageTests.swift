import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// An outage is typed, is never an acceptance, loses nothing, and ends with its cause.
@Suite("Outages", .serialized)
struct OutageTests {
    @Test("A ledger that may not grow is full, and works again with more space")
    func maximumPageCount() async throws {
        let folder = try TemporaryFolder()
        var ledger = try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(1), maximumPageCount: 24)
        var acknowledged: UInt32 = 0
        let code = try await outage {
            while acknowledged < 10_000 {
                try #require(try await ledger.commit([Fixture.enrol(acknowledged)], at: Fixture.now).isApplied)
                acknowledged += 1
            }
        }
        #expect(code == .full)
        #expect(acknowledged > 10)
        #expect(try await ledger.enrolledKey(Fixture.identifier(acknowledged)) == nil)
        try await expectComplete(ledger, keys: acknowledged)
        try await ledger.close()

        ledger = try SQLiteLedger.open(path: folder.path())
        #expect(try await ledger.commit([Fixture.enrol(acknowledged)], at: Fixture.now).isApplied)
        try await expectComplete(ledger, keys: acknowledged + 1)
    }

    @Test("If many enrol keys until the ledger is full, exactly the acknowledged keys are stored")
    func fullUnderManyWriters() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(100), maximumPageCount: 120)
        let writers: UInt32 = 64
        let acknowledged = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var enrolled: [UInt32] = []
                    let code = try await outage {
                        for seed in stride(from: writer, to: 1_000_000, by: Int(writers)) {
                            try #require(try await ledger.commit([Fixture.enrol(seed)], at: Fixture.now).isApplied)
                            enrolled.append(seed)
                        }
                    }
                    #expect(code == .full)
                    return enrolled
                }
            }
            return try await group.reduce(into: Set<UInt32>()) { $0.formUnion($1) }
        }
        #expect(acknowledged.count > 500)
        #expect(ledger.writer.transactionCount < acknowledged.count, "none was shared")
        for seed in 0..<(acknowledged.max() ?? 0) + writers {
            let isStored = try await ledger.enrolledKey(Fixture.identifier(seed)) != nil
            #expect(isStored == acknowledged.contains(seed), "\(seed)")
        }
    }

    @Test(
        "A full disk is an outage, and the open ledger works again when there is space",
        .enabled(if: StressProcess.canMount, "mounting a small tmpfs needs root and unshare(1)"))
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let process = try StressProcess(setup: "mount -t tmpfs -o size=1m tmpfs '\(folder.url.path)'")
        try #require(try process.ask("ballast \(folder.path("ballast")) 500000") == "ok")
        try #require(try process.ask("open \(folder.path()) 1000") == "ok")
        try expectRefill(process, .full) { try process.ask("ballast \(folder.path("ballast")) 0") }
    }

    @Test("A file size limit is an outage, and the open ledger works again after it is lifted")
    func fileSizeLimit() throws {
        let folder = try TemporaryFolder()
        let process = try StressProcess()
        try #require(try process.ask("open \(folder.path()) 1000") == "ok")
        try #require(try process.ask("limit 400000") == "ok")
        // A short write counts as a full disk, a failing write as a device error.
        try expectRefill(process, .full, .inputOutput) { try process.ask("limit 0") }
    }

    /// Fills a ledger, removes the cause of the outage, and continues: every acknowledged key must exist.
    private func expectRefill(
        _ process: StressProcess, _ codes: OutageCode..., relief: () throws -> String
    ) throws {
        let answer = try process.ask("fill").split(separator: " ")
        try #require(answer.count == 3 && answer[0] == "filled", "\(answer)")
        #expect(codes.map(\.name).contains(String(answer[2])))
        let acknowledged = try #require(Int(answer[1]))
        #expect(acknowledged > 20)
        #expect(try process.ask("keys") == "keys \(acknowledged)")
        #expect(try process.ask("enrol 2000000").hasPrefix("outage"))
        #expect(codes.map { "outage \($0)" }.contains(try process.ask("prove")), "a proof meets the outage too")
        #expect(try relief() == "ok")
        #expect(try process.ask("enrol 2000000") == "ok")
        #expect(try process.ask("keys") == "keys \(acknowledged + 1)")
    }

    @Test("A lock held too long by another process is an outage, and ends with the lock")
    func locked() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .milliseconds(100))
        let (other, patient) = (try StressProcess(), try StressProcess())
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        try #require(try patient.ask("open \(folder.path()) 100") == "ok")
        try #require(try other.ask("hold") == "held")
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 1) } == .locked)
        // Measure on this thread and in an idle process, so that other work does not count.
        let limits = .milliseconds(50)...(.seconds(3) * Sanitizer.slowdown)
        var start = ContinuousClock.now
        #expect(try patient.ask("enrol 1") == "outage locked")
        #expect(limits.contains(ContinuousClock.now - start))
        start = .now
        let error = #expect(throws: LedgerOutage.self) {
            try SQLiteLedger.open(path: folder.path(), busyTimeout: .milliseconds(100))
        }
        #expect(error?.code == .locked)
        #expect(limits.contains(ContinuousClock.now - start))
        #expect(try await ledger.counter(0) == 0, "reading does not wait for the lock")
        #expect(try other.ask("release") == "released")
        #expect(try await ledger.isAdvanced(0, 1))
    }

    @Test("A ledger that becomes read-only is an outage, and works again when it is writable")
    func queryOnly() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        try ledger.executeOnWriter("PRAGMA query_only = 1")
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 1) } == .readOnly)
        let subject = LedgerSubject(.account, "alice")
        #expect(
            try await outage {
                try await ledger.block(LedgerBlock(subject: subject, reason: "", since: Fixture.now, until: nil))
            } == .readOnly)
        #expect(
            try await outage {
                try await ledger.allow(
                    LedgerAllowance(
                        subject: subject, checks: [CheckID("approov.token.annotations")], reason: "",
                        since: Fixture.now, until: nil))
            } == .readOnly)
        #expect(try await ledger.standings(of: [subject], at: Fixture.now) == [])
        try ledger.executeOnWriter("PRAGMA query_only = 0")
        #expect(try await ledger.counter(0) == 0)
        #expect(try await ledger.isAdvanced(0, 1))
    }

    @Test(
        "A ledger on a read-only file system is not opened and not changed",
        .enabled(if: StressProcess.canMount, "a read-only mount needs root and unshare(1)"))
    func readOnlyMount() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 1).close()
        let mount = "mount --bind '\(folder.url.path)' '\(folder.url.path)'"
        let process = try StressProcess(setup: "\(mount); mount -o remount,ro,bind '\(folder.url.path)'")
        let answer = try process.ask("open \(folder.path()) 500")
        #expect(answer == "outage read-only")
        #expect(try process.ask("open \(folder.path("new")) 500") == "outage read-only")
        #expect(try await SQLiteLedger.open(path: folder.path()).isAdvanced(0, 1))
    }

    @Test(
        "A file without permission is not opened",
        .enabled(if: geteuid() != 0, "permissions do not hold for root"))
    func permissions() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteLedger.prepared(folder.path(), keys: 1).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path())
        #expect(try await outage { _ = try SQLiteLedger.open(path: folder.path()) } == .readOnly)
        // SQLite makes two files beside it.
        #expect(chmod(folder.path(), 0o600) == 0 && chmod(folder.url.path, 0o500) == 0)
        defer { chmod(folder.url.path, 0o700) }
        for name in [folder.path(), folder.path("new")] {
            #expect(try await outage { _ = try SQLiteLedger.open(path: name) } == .readOnly, "\(name)")
        }
    }

    @Test(
        "Invalid paths are not opened", arguments: ["", ":memory:", "file:x?mode=memory", "/", "/no/where"])
    func paths(_ path: String) async throws {
        #expect(try await outage { _ = try SQLiteLedger.open(path: path) } == .unreachable)
    }

    @Test("Only regular files are opened, and no file is left beside others", .timeLimit(.minutes(20)))
    func specialFiles() async throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        try files.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder.path("device"), withDestinationPath: "/dev/null")
        try files.createSymbolicLink(atPath: folder.path("dangling"), withDestinationPath: folder.path("missing"))
        let names = ["dangling", "device", "folder", "pipe"]
        for path in names.map({ folder.path($0) }) + ["/dev/null"] {
            #expect(try await outage { _ = try SQLiteLedger.open(path: path) } == .unreachable, "\(path)")
        }
        #expect(try files.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
        #expect(!files.fileExists(atPath: "/dev/null-journal"))
    }

    @Test("An outage names the file and nothing of its contents")
    func message() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        try ledger.executeOnWriter("PRAGMA query_only = 1")
        let error = await #expect(throws: LedgerOutage.self) { try await ledger.isAdvanced(0, 0x1234_5678) }
        var message = try #require(error?.message)
        #expect(message.contains(folder.path()))
        message.replace(folder.path(), with: "")
        for secret in ["UPDATE", "305419896", "AAAA", "0000"] { #expect(!message.contains(secret)) }
    }

    @Test("A closed ledger is an outage")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        try await ledger.close()
        #expect(try await outage { _ = try await ledger.isAdvanced(0, 1) } == .unreachable)
        #expect(try await outage { _ = try await ledger.counter(0) } == .unreachable)
    }
}

/// Expects exactly the keys 0 to `keys - 1`.
func expectComplete(_ ledger: SQLiteLedger, keys: UInt32) async throws {
    var found: Set<[UInt8]> = []
    try await ledger.export { entry in
        if case .key(let key) = entry { found.insert(key.identifier.value) }
    }
    #expect(found == Set((0..<keys).map { Fixture.identifier($0).value }))
    #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
}
