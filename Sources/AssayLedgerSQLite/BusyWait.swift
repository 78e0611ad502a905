import Foundation
import GRDB
import Synchronization

/// Waits for other processes in shorter steps than SQLite's own handler, whose shortest of 1 ms is the time of ten
/// commits.
final class BusyWait: Sendable {
    private static let first = 0.0001
    private static let last = 0.001
    private static let growing = 50

    /// How long an operation waits in all.
    let timeout: Duration
    private let isPatient = Atomic<Bool>(true)
    private let count = Atomic<Int>(0)

    init(_ timeout: Duration) {
        self.timeout = timeout
    }

    /// How many tries have found another process in the way.
    var collisions: Int { count.load(ordering: .relaxed) }

    /// How long a file has to be free for whoever waits for it to notice, on a machine that is not too busy.
    static let window = 2 * last

    /// What a connection is opened with.
    var mode: Database.BusyMode {
        let limit = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        return .callback { tries in
            self.count.add(1, ordering: .relaxed)
            guard self.isPatient.load(ordering: .relaxed), Self.elapsed(tries) < limit else { return false }
            Thread.sleep(forTimeInterval: Self.step(tries))
            return true
        }
    }

    /// Does something that fails at once when another process holds the file. Called on the connection's queue, so that
    /// nobody else uses the connection meanwhile.
    func withoutPatience<Value>(_ body: () -> Value) -> Value {
        isPatient.store(false, ordering: .relaxed)
        defer { isPatient.store(true, ordering: .relaxed) }
        return body()
    }

    /// The pause after some tries, in seconds: from 0.1 ms in even steps to 1 ms.
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
