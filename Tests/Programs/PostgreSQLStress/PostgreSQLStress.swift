import AssayCore
import AssayLedgerPostgreSQL
import AssayLedgerSQLite
import Foundation

/// Works on a ledger in PostgreSQL from a process of its own.
///
///     race URL WRITERS COUNTERS     waits for a line on standard input; then each writer tries each counter of one key once
///                                   under a counter window, so each counter has one winner among all processes; prints
///                                   the counters that this process won
///     prepare URL KEYS              creates a ledger with KEYS keys, numbered from 0
///     measure URL TASKS SECONDS FIRST
///                                   advances one key per task, from number FIRST on, for SECONDS; prints steps per second,
///                                   microseconds of this process's processor time per step, and steps per transaction
///     handover TASKS SECONDS        the same without a ledger: two threads answer the tasks; prints the same
///     cross URL SECONDS SEED        commits steps of several of 40 keys, digests and challenges, in random order; prints the
///                                   greatest applied counter of each key
///     grow URL KEYS DIGESTS SECONDS enrols keys; measures commits of a step and a digest for SECONDS; stores DIGESTS digests
///                                   that are in force at once; measures again while they are purged; prints both rates
///     move FROM TO                  moves a ledger, as `assay migrate` does, between a URL and the path of an SQLite file
@main
enum PostgreSQLStress {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func number(_ index: Int) throws -> Int {
            guard let number = Int(arguments[index]), number >= 0 else { throw CocoaError(.formatting) }
            return number
        }
        switch (arguments.dropFirst().first, arguments.count) {
        case ("race", 5): try await race(arguments[2], try number(3), UInt32(clamping: try number(4)))
        case ("prepare", 4): try await Rates.prepare(arguments[2], try number(3))
        case ("measure", 6): try await Rates.measure(arguments[2], try number(3), try number(4), try number(5))
        case ("handover", 4): try await Rates.handOver(try number(2), try number(3))
        case ("cross", 5): try await Crossing.run(arguments[2], try number(3), UInt64(try number(4)))
        case ("grow", 6): try await Growth.run(arguments[2], try number(3), try number(4), try number(5))
        case ("move", 4): try await move(arguments[2], to: arguments[3])
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private static func move(_ from: String, to: String) async throws {
        func open(_ place: String) async throws -> any MovableLedger & Ledger {
            guard place.hasPrefix("postgresql:") else { return try SQLiteLedger.openToMove(path: place) }
            return try await PostgreSQLLedger.openToMove(place)
        }
        let (source, target) = (try await open(from), try await open(to))
        _ = try await LedgerCopy(source: source, from: from, target: target, to: to).run()
        try await source.close()
        try await target.close()
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
                        let effects = [Keys.advance([1], to: counter, rule)]
                        if try await ledger.commit(effects, at: Date()).isApplied { won.append(counter) }
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

    /// Writes a line at once.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

/// Keys by number.
enum Keys {
    static func identifier(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    static func enrol(_ number: Int) -> LedgerEffect {
        LedgerEffect(
            CheckID("test.enrolment"),
            .enrol(
                EnrolledKey(
                    identifier: KeyIdentifier(engine: "test", value: identifier(number)), app: "shop",
                    publicKey: [UInt8](repeating: 4, count: 65), counter: 0, enrolledAt: Date(),
                    properties: ["appID": "1234567890.com.example.shop", "environment": "production"])))
    }

    static func advance(
        _ key: [UInt8], to counter: UInt32, _ rule: CounterAdvance.Rule = .increasing
    ) -> LedgerEffect {
        let advance = CounterAdvance(
            key: KeyIdentifier(engine: "test", value: key), app: "shop", counter: counter, rule: rule)
        return LedgerEffect(CheckID("test.counter"), .advanceCounter(advance))
    }
}
