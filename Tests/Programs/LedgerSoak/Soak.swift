import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation

/// One ledger, and the processes that contend for it.
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

    /// Lets them contend for so long, kills them at random meanwhile and all at the end, and looks at what is left.
    func run(seconds: Double) async throws -> SoakResult {
        for _ in 0..<result.processes { contenders.append(try start()) }
        let monitor = try SQLiteLedger.open(path: path, busyTimeout: .seconds(60))
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(.random(in: 5...400)))
            try await look(at: monitor)
            // Now and then all of them at once, so that nobody is left who knows what the others were about.
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

    /// A counter that was acknowledged before the look is there.
    private func look(at monitor: SQLiteLedger) async throws {
        let acknowledged = journal.counter
        let stored = try await monitor.enrolledKey(SoakEntries.key)?.counter ?? 0
        result.checks += 1
        if stored < acknowledged { journal.violation("counter \(stored), and \(acknowledged) was acknowledged") }
    }

    /// Holds everything that was acknowledged against the ledger, and the other way round.
    private func audit() async throws {
        let pages = journal.pages
        result.commits += pages.commits
        result.outages += pages.outages
        result.violations += pages.violations

        let ledger = try SQLiteLedger.open(path: path)
        for problem in try await ledger.check(Verifier.problem(withKey:)) { result.violations.append("damage: \(problem)") }
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
        // Nobody was told of what a kill or an outage cut off, which is at most one commit a task.
        if result.unacknowledged > result.kills * Self.tasks + result.outages {
            result.violations.append("\(result.unacknowledged) commits that nobody was told of")
        }
    }
}

/// A process that contends, and the thread that listens to it.
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

    /// Ends the process, and waits until everything that it said is noted.
    func kill() {
        if !process.isRunning { journal.violation("a process ended by itself") }
        process.kill()
        hasEnded.wait()
    }
}

/// Reading is for the listener alone, killing for its owner alone.
private final class UncheckedLines: @unchecked Sendable {
    private let process: StressProcess

    init(_ process: StressProcess) { self.process = process }

    func next() -> String? { try? process.readLine() }
}
