import AssayTestSupport
import Foundation
import Testing

/// The ledger of a service, in which another program has begun a change that it does not end.
final class LockedLedger {
    private let process = Process()
    private let input = Pipe()

    /// Locks the ledger.
    init(_ service: RunningService) throws {
        let folder = service.folder
        // That of a former lock.
        try? FileManager.default.removeItem(atPath: folder.path("locked"))
        let program = """
            import sqlite3, sys
            ledger = sqlite3.connect(sys.argv[1], timeout=600, isolation_level=None)
            ledger.execute("BEGIN IMMEDIATE")
            open(sys.argv[2], "w").close()
            sys.stdin.read()
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", try folder.write("lock.py", program), folder.path("ledger.sqlite"), folder.path("locked"),
        ]
        process.standardInput = input
        try process.run()
        try service.waitUntil("locked") { FileManager.default.fileExists(atPath: folder.path("locked")) }
    }

    /// Unlocks it.
    func end() {
        try? input.fileHandleForWriting.close()
        do { try process.end() } catch { Issue.record(error) }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
