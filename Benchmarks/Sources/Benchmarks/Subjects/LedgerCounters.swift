import Assay
import AssayCore
import AssayLedgerSQLite
import Synchronization

/// Devices whose counters a ledger steps, as it does for every assertion that is accepted.
final class LedgerCounters: Sendable {
    private let ledger: SQLiteLedger
    private let devices: [CounterFile.Device]
    private let turn = Atomic<Int>(0)

    /// - Parameter path: a file of ``CounterFile``.
    init(path: String, _ devices: [CounterFile.Device]) throws {
        ledger = try SQLiteLedger.open(path: path)
        self.devices = devices
    }

    /// Does so many steps, by writers of which each waits for its own.
    func step(_ count: Int, writers: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<writers {
                group.addTask {
                    for _ in 0..<count / writers { try await self.step() }
                }
            }
            try await group.waitForAll()
        }
    }

    private func step() async throws {
        // No device is stepped by two writers at a time: all others come between.
        let device = devices[turn.add(1, ordering: .relaxed).oldValue % devices.count]
        let advance = CounterAdvance(
            key: device.identifier, app: CounterFile.app, counter: device.counter.next(), rule: .increasing)
        let outcome = try await ledger.commit(
            [LedgerEffect(.appAttestAssertionCounter, .advanceCounter(advance))], at: CounterFile.now)
        require(outcome.isApplied, "a counter is refused")
    }
}

/// A device's counter.
final class Counter: Sendable {
    private let value = Atomic<UInt32>(0)

    func next() -> UInt32 { value.add(1, ordering: .relaxed).newValue }
}
