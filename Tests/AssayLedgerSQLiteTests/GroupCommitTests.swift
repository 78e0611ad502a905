import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Group commit", .timeLimit(.minutes(20)))
struct GroupCommitTests {
    private static let writers: UInt32 = 64

    @Test("Writers that return at the same time share transactions, and each step is applied once")
    func sharing() async throws {
        let rounds: UInt32 = 20
        // Two alternating groups would give 32 writes per transaction. A busy machine sometimes scatters writers far
        // more. If they never come together, something separates them.
        let bound = Int(Self.writers * rounds) / 8
        var counts: [(transactions: Int, joined: Int)] = []
        for _ in 0..<20 {
            let count = try await Self.counts(rounds: rounds)
            if count.transactions <= bound, count.joined > 0 { return }
            counts.append(count)
        }
        Issue.record("\(counts)")
    }

    /// The number of transactions if every writer returns this many times, and of writes that join a running
    /// transaction.
    private static func counts(rounds: UInt32) async throws -> (transactions: Int, joined: Int) {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: Self.writers)
        let before = ledger.writer.transactionCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<Self.writers {
                group.addTask {
                    for counter in 1...rounds { try #require(try await ledger.isAdvanced(seed, counter)) }
                }
            }
            try await group.waitForAll()
        }
        let transactions = ledger.writer.transactionCount - before
        for seed in 0..<Self.writers { #expect(try await ledger.counter(seed) == rounds) }
        return (transactions, ledger.writer.joinedCount)
    }

    @Test("Another process can write while this one writes without a pause")
    func anotherProcess() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: Self.writers, busyTimeout: .seconds(100))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 5000") == "ok")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<Self.writers {
                group.addTask {
                    var counter: UInt32 = 0
                    while !Task.isCancelled {
                        counter += 1
                        try #require(try await ledger.isAdvanced(seed, counter))
                    }
                }
            }
            defer { group.cancelAll() }
            // Longer than the time for which other writers are remembered.
            for round in 0..<8 {
                try await Task.sleep(for: .milliseconds(200))
                #expect(try other.ask("block device-\(round)") == "ok")
            }
        }
    }

    @Test("A refusal among writes in a shared transaction undoes none of them")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: Self.writers)
        for counter in stride(from: UInt32(2), through: 20, by: 2) {
            let applied = try await withThrowingTaskGroup(of: (UInt32, Bool).self) { group in
                for seed in 0..<Self.writers {
                    // Every third writer presents its previous counter again.
                    let presented = seed.isMultiple(of: 3) ? 0 : counter
                    group.addTask { (seed, try await ledger.isAdvanced(seed, presented)) }
                }
                return try await group.reduce(into: Set<UInt32>()) { if $1.1 { $0.insert($1.0) } }
            }
            #expect(applied == Set((0..<Self.writers).filter { !$0.isMultiple(of: 3) }))
        }
        for seed in 0..<Self.writers {
            #expect(try await ledger.counter(seed) == (seed.isMultiple(of: 3) ? 0 : 20))
        }
    }

    @Test("A lone writer's writes run at once, also after shared transactions")
    func alone() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in UInt32(0)..<2 { group.addTask { _ = try await ledger.isAdvanced(seed, 1) } }
            try await group.waitForAll()
        }
        let before = ledger.writer.transactionCount
        for counter in UInt32(2)...50 { try #require(try await ledger.isAdvanced(0, counter)) }
        #expect(ledger.writer.transactionCount - before == 49)
    }

    /// Advances the first key from a counter until its own thread makes a write. Returns the last counter.
    private static func advanceAlone(_ ledger: SQLiteLedger, from counter: UInt32) async throws -> UInt32 {
        for counter in counter + 1...counter + 2000 {
            let before = ledger.writer.loneTransactionCount
            try #require(try await ledger.isAdvanced(0, counter))
            if ledger.writer.loneTransactionCount > before { return counter }
        }
        Issue.record("no write of a lone writer is made where it is asked for")
        return counter + 2000
    }

    @Test(
        "On a fast disk, the caller's thread makes a lone write",
        .enabled(if: TemporaryFolder.hasFastDisk, "there is no \(TemporaryFolder.fastDisk.path)"))
    func onTheSpot() async throws {
        let folder = try TemporaryFolder(onFastDisk: true)
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(100))
        let counter = try await Self.advanceAlone(ledger, from: 0)
        try await ledger.close()
        #expect(try await SQLiteLedger.open(path: folder.path()).counter(0) == counter)
    }

    @Test(
        "A lone write blocked by another process is handed over and waits like others",
        .enabled(if: TemporaryFolder.hasFastDisk, "there is no \(TemporaryFolder.fastDisk.path)"))
    func inTheWay() async throws {
        let folder = try TemporaryFolder(onFastDisk: true)
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(100))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        var counter: UInt32 = 0
        // A previous slow write on a busy machine would have this one handed over at once.
        for _ in 0..<20 {
            let presented = try await Self.advanceAlone(ledger, from: counter) + 1
            counter = presented
            try #require(try other.ask("hold") == "held")
            let (transactions, lone) = (ledger.writer.transactionCount, ledger.writer.loneTransactionCount)
            async let isAdvanced = ledger.isAdvanced(0, presented)
            try await Task.sleep(for: .milliseconds(100))
            try #require(try other.ask("release") == "released")
            try #require(try await isAdvanced)
            // The lone attempt that was given up, and the write that waited.
            if ledger.writer.loneTransactionCount > lone, ledger.writer.transactionCount - transactions == 2 { return }
        }
        Issue.record("no write that was begun where it was asked for was handed over")
    }

    @Test(
        "Refusals do not count as fast writes: after a slow write, writes are not made on the caller's thread",
        .enabled(if: TemporaryFolder.hasFastDisk, "there is no \(TemporaryFolder.fastDisk.path)"))
    func slowness() async throws {
        let folder = try TemporaryFolder(onFastDisk: true)
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(100))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        let counter = try await Self.advanceAlone(ledger, from: 0) + 1
        try #require(try other.ask("hold") == "held")
        let (transactions, lone) = (ledger.writer.transactionCount, ledger.writer.loneTransactionCount)
        async let isAdvanced = ledger.isAdvanced(0, counter)
        // Wait until the waiting write begins: the only one, or the one after the abandoned lone attempt.
        try await waitUntil("the waiting write", every: .milliseconds(1)) {
            ledger.writer.transactionCount - transactions > ledger.writer.loneTransactionCount - lone
        }
        try await Task.sleep(for: .milliseconds(100))
        try #require(try other.ask("release") == "released")
        try #require(try await isAdvanced)
        let before = ledger.writer.loneTransactionCount
        for _ in 0..<10 { #expect(try await !ledger.isAdvanced(0, counter)) }
        #expect(try await ledger.isAdvanced(0, counter + 1))
        #expect(ledger.writer.loneTransactionCount == before)
    }

    /// Starts an operation, and returns after it has run for a moment and waits.
    private static func begin<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Task<Value, any Error> {
        let (hasBegun, begins) = AsyncStream.makeStream(of: Void.self)
        let task = Task.detached {
            begins.finish()
            return try await operation()
        }
        for await _ in hasBegun {}
        try await Task.sleep(for: .milliseconds(50))
        return task
    }

    @Test(
        "A lone write is handed over while the key store waits for the connection",
        .enabled(if: TemporaryFolder.hasFastDisk, "there is no \(TemporaryFolder.fastDisk.path)"))
    func guest() async throws {
        let folder = try TemporaryFolder(onFastDisk: true)
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(100))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        let counter = try await Self.advanceAlone(ledger, from: 0)
        try #require(try other.ask("hold") == "held")
        let removal = try await Self.begin {
            try await refusal {
                try await ledger.removeSealedKey("none", at: Date(timeIntervalSince1970: 1_776_795_192))
            }
        }
        let before = ledger.writer.loneTransactionCount
        let isAdvanced = try await Self.begin { try await ledger.isAdvanced(0, counter + 1) }
        try #require(try other.ask("release") == "released")
        #expect(try await isAdvanced.value)
        #expect(try await removal.value == .unknownName("none"))
        #expect(ledger.writer.loneTransactionCount == before)
    }

    @Test(
        "Closing finishes a lone write that another process blocked",
        .enabled(if: TemporaryFolder.hasFastDisk, "there is no \(TemporaryFolder.fastDisk.path)"))
    func closingInTheWay() async throws {
        let folder = try TemporaryFolder(onFastDisk: true)
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(100))
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 1000") == "ok")
        let counter = try await Self.advanceAlone(ledger, from: 0)
        try #require(try other.ask("hold") == "held")
        let isAdvanced = try await Self.begin { try await ledger.isAdvanced(0, counter + 1) }
        let closing = try await Self.begin { try await ledger.close() }
        try #require(try other.ask("release") == "released")
        #expect(try await isAdvanced.value)
        try await closing.value
        #expect(try await SQLiteLedger.open(path: folder.path()).counter(0) == counter + 1)
    }

    @Test(
        "Closing during writes answers every writer, and loses no acknowledged step",
        arguments: [UInt32(1), 2, 8], TemporaryFolder.hasFastDisk ? [false, true] : [false])
    func closing(writers: UInt32, onFastDisk: Bool) async throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder(onFastDisk: onFastDisk)
            let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 8)
            let acknowledged = try await withThrowingTaskGroup(of: (UInt32, UInt32).self) { group in
                for seed in 0..<writers {
                    group.addTask {
                        var counter: UInt32 = 0
                        var end: OutageCode?
                        while end == nil {
                            end = try await outage { _ = try await ledger.isAdvanced(seed, counter + 1) }
                            if end == nil { counter += 1 }
                        }
                        #expect(end == .unreachable)
                        return (seed, counter)
                    }
                }
                group.addTask {
                    try await Task.sleep(for: .microseconds(.random(in: 0...10_000)))
                    try await ledger.close()
                    return (writers, 0)
                }
                return try await group.reduce(into: [UInt32: UInt32]()) { $0[$1.0] = $1.1 }
            }
            let reopened = try SQLiteLedger.open(path: folder.path())
            for seed in 0..<writers { try #require(try await reopened.counter(seed) == acknowledged[seed]) }
            try await reopened.close()
        }
    }
}
