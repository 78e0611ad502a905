import AssayCore
import AssayLedgerPostgreSQL
import Foundation

/// Works on a ledger in PostgreSQL from a process of its own.
///
///     race URL WRITERS COUNTERS     waits for a line on standard input; then every writer tries each counter of one key once, in a
///                                   window, so that each has one winner among all processes; prints the counters that it has won
///     prepare URL KEYS              creates a ledger with so many keys, whose numbers begin with 0
///     measure URL TASKS SECONDS     advances a key of each task for so long; prints steps a second, and microseconds of this
///                                   process's processor time a step
@main
enum PostgreSQLStress {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.count) {
        case ("race", 5): try await race(arguments[2], Int(arguments[3]) ?? 1, UInt32(arguments[4]) ?? 1)
        case ("prepare", 4): try await prepare(arguments[2], Int(arguments[3]) ?? 1)
        case ("measure", 5): try await measure(arguments[2], Int(arguments[3]) ?? 1, Double(arguments[4]) ?? 1)
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private static func race(_ url: String, _ writers: Int, _ counters: UInt32) async throws {
        let ledger = try await PostgreSQLLedger.open(url)
        say("ready")
        _ = readLine()
        let won = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var won: [UInt32] = []
                    for step in 0..<counters {
                        // Each writer begins elsewhere, in the same window.
                        let counter = 1 + (step + UInt32(writer) * 7) % counters
                        let rule = CounterAdvance.Rule.window(CounterState.maximumWindow)
                        if try await advance(ledger, [1], to: counter, rule) { won.append(counter) }
                    }
                    return won
                }
            }
            var won: [UInt32] = []
            for try await part in group { won += part }
            return won
        }
        say(won.map(String.init).joined(separator: " "))
        try await ledger.close()
    }

    private static func identifier(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func prepare(_ url: String, _ keys: Int) async throws {
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        let effects = (0..<keys).map { number in
            LedgerEffect(
                CheckID("test.enrolment"),
                .enrol(
                    EnrolledKey(
                        identifier: KeyIdentifier(engine: "test", value: identifier(number)), app: "shop",
                        publicKey: [UInt8](repeating: 4, count: 65), counter: 0, enrolledAt: Date(),
                        properties: ["appID": "1234567890.com.example.shop", "environment": "production"])))
        }
        _ = try await ledger.commit(effects, at: Date())
        try await ledger.close()
    }

    private static func measure(_ url: String, _ tasks: Int, _ seconds: Double) async throws {
        let ledger = try await PostgreSQLLedger.open(url)
        let (start, busy) = (ContinuousClock.now, processorTime())
        let end = start + .seconds(seconds)
        let steps = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let key = identifier(task)
                    var counter: UInt32 = 0
                    while ContinuousClock.now < end {
                        counter += 1
                        guard try await advance(ledger, key, to: counter, .increasing) else {
                            throw CocoaError(.featureUnsupported)
                        }
                    }
                    return Int(counter)
                }
            }
            var steps = 0
            for try await part in group { steps += part }
            return steps
        }
        let took = (ContinuousClock.now - start) / .seconds(1)
        let cost = (processorTime() - busy) * 1e6 / Double(steps)
        say("\(Int(Double(steps) / took)) \((cost * 100).rounded() / 100)")
        try await ledger.close()
    }

    /// The processor time of this process, in seconds.
    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    /// Writes a line at once.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func advance(
        _ ledger: PostgreSQLLedger, _ key: [UInt8], to counter: UInt32, _ rule: CounterAdvance.Rule
    ) async throws -> Bool {
        let advance = CounterAdvance(
            key: KeyIdentifier(engine: "test", value: key), app: "shop", counter: counter, rule: rule)
        let effect = LedgerEffect(CheckID("test.counter"), .advanceCounter(advance))
        return try await ledger.commit([effect], at: Date()).isApplied
    }
}
