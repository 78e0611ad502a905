import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation

/// One ledger and the processes that contend for it.
final class Soak {
    private static let tasks = 4

    private let folder: TestFolder
    private let journal = SoakJournal()
    private var contenders: [Contender] = []
    private var result: SoakResult

    init(processes: Int) throws {
        folder = try TestFolder()
        result = SoakResult(processes: processes)
    }

    private var path: String { folder.path("ledger.sqlite") }

    /// Runs the processes for a time, kills them at random and all at the end, and checks what remains.
    func run(seconds: Double) async throws -> SoakResult {
        for _ in 0..<result.processes { contenders.append(try start()) }
        let monitor = try SQLiteLedger.open(path: path, busyTimeout: .seconds(60))
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(.random(in: 5...400)))
            try await look(at: monitor)
            // Sometimes kill all processes at once, so that the ledger must recover without a survivor.
            let victims = Int.random(in: 0..<4) == 0 ? Array(contenders.indices) : [Int.random(in: contenders.indices)]
            for index in victims { contenders[index].kill() }
            result.kills += victims.count
            for index in victims { contenders[index] = try start() }
        }
        for contender in contenders { contender.kill() }
        result.kills += contenders.count
        try await monitor.close()
        try await audit()
        return result
    }

    private func start() throws -> Contender {
        try Contender(path: path, tasks: Self.tasks, journal: journal)
    }

    /// Checks that a counter acknowledged before the read is in the ledger.
    private func look(at monitor: SQLiteLedger) async throws {
        let acknowledged = journal.counter
        let stored = try await monitor.enrolledKey(SoakEntries.key)?.counter ?? 0
        result.checks += 1
        if stored < acknowledged { journal.violation("counter \(stored), and \(acknowledged) was acknowledged") }
    }

    /// Compares all acknowledged entries with the ledger, in both directions.
    private func audit() async throws {
        let pages = journal.pages
        result.commits += pages.commits
        result.outages += pages.outages
        result.violations += pages.violations

        let ledger = try SQLiteLedger.open(path: path)
        for problem in try await ledger.check(Verifier.problem(withKey:)) {
            result.violations.append("damage: \(problem)")
        }
        let entries = try await SoakEntries(ledger)
        try await ledger.close()
        for thing in SoakJournal.Thing.allCases {
            let acknowledged = pages.acknowledged[thing] ?? []
            let stored = entries.stored[thing] ?? []
            result.checks += acknowledged.count
            for round in acknowledged.subtracting(stored).sorted().prefix(10) {
                result.violations.append("\(thing) \(round) was acknowledged and is lost")
            }
            result.unacknowledged += stored.subtracting(acknowledged).count
        }
        if entries.halves > 0 { result.violations.append("\(entries.halves) commits are there by halves") }
        // A kill or an outage leaves at most one committed but unacknowledged commit per task.
        if result.unacknowledged > result.kills * Self.tasks + result.outages {
            result.violations.append("\(result.unacknowledged) commits that nobody was told of")
        }
    }
}

/// A contending process, and the thread that reads its output.
private final class Contender {
    private let process: StressProcess
    private let listener: Thread
    private let journal: SoakJournal
    private let hasEnded = DispatchSemaphore(value: 0)

    init(path: String, tasks: Int, journal: SoakJournal) throws {
        let process = try StressProcess()
        guard try process.ask("open \(path) 60000") == "ok" else {
            throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        try process.send("contend \(tasks)")
        let line = UncheckedLines(process)
        let hasEnded = hasEnded
        listener = Thread {
            while let text = line.next() { journal.note(text) }
            hasEnded.signal()
        }
        listener.start()
        self.process = process
        self.journal = journal
    }

    /// Kills the process and waits until all of its output is recorded.
    func kill() {
        if !process.isRunning { journal.violation("a process ended by itself") }
        process.kill()
        hasEnded.wait()
    }
}

/// Only the listener thread reads; only the owner kills.
private final class UncheckedLines: @unchecked Sendable {
    private let process: StressProcess

    init(_ process: StressProcess) { self.process = process }

    func next() -> String? { try? process.readLine() }
}
