import Foundation
import GRDB
import Synchronization

/// Waits for other processes in shorter steps than SQLite's own handler. Its shortest step of 1 ms is as long as ten
/// commits.
final class BusyWait: Sendable {
    private static let first = 0.0001
    private static let last = 0.001
    private static let growing = 50

    /// The total time that an operation waits.
    let timeout: Duration
    private let isWaiting = Atomic<Bool>(true)
    /// Whether an operation has waited for more than a quarter of a second since ``takeLongWait()``.
    private let hasWaitedLong = Atomic<Bool>(false)

    init(_ timeout: Duration) {
        self.timeout = timeout
    }

    /// The timeout, at most 31 bits: SQLite reads a greater number as no timeout.
    var milliseconds: Int32 { Int32(min(max(timeout / .milliseconds(1), 0), Double(Int32.max))) }

    /// The time for which the file must be free so that a waiting process can lock it, unless the machine is very busy.
    static let window = 2 * last

    /// The busy handler of a connection.
    var mode: Database.BusyMode {
        let limit = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        return .callback { tries in
            guard self.isWaiting.load(ordering: .relaxed), Self.elapsed(tries) < limit else { return false }
            if Self.elapsed(tries) > 0.25 { self.hasWaitedLong.store(true, ordering: .relaxed) }
            Thread.sleep(forTimeInterval: Self.step(tries))
            return true
        }
    }

    /// Whether an operation has waited long since the last call.
    func takeLongWait() -> Bool {
        guard hasWaitedLong.load(ordering: .relaxed) else { return false }
        hasWaitedLong.store(false, ordering: .relaxed)
        return true
    }

    /// Runs `body` without waiting for other processes. Call it on the connection's queue, so that no other user is
    /// affected.
    func withoutWaiting<Value>(_ body: () -> Value) -> Value {
        isWaiting.store(false, ordering: .relaxed)
        defer { isWaiting.store(true, ordering: .relaxed) }
        return body()
    }

    /// The pause after a number of tries, in seconds: from 0.1 ms in even steps to 1 ms.
    private static func step(_ tries: Int) -> Double {
        tries >= growing ? last : first + (last - first) * Double(tries) / Double(growing)
    }

    /// The sum of the pauses before a try, in seconds.
    private static func elapsed(_ tries: Int) -> Double {
        let grown = Double(min(tries, growing))
        let growth = first * grown + (last - first) * grown * max(grown - 1, 0) / 2 / Double(growing)
        return growth + last * Double(max(tries - growing, 0))
    }
}
