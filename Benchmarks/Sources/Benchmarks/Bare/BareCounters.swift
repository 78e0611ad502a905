import AssayCore
import Synchronization

/// Devices whose counters SQLite steps without a ledger, one after the other or some at once.
final class BareCounters: Sendable {
    private struct State {
        let file: BareSQLite
        var next = 0
        var counter: UInt32 = 1
    }

    private let keys: [BareKey]
    private let state: Mutex<State>

    /// - Parameter path: a file of ``CounterFile``.
    init(path: String, _ devices: [CounterFile.Device]) {
        keys = devices.map { BareKey($0.identifier.value) }
        state = Mutex(State(file: BareSQLite(path: path)))
    }

    /// Does so many steps, in transactions of so many each.
    func step(_ count: Int, together: Int) {
        state.withLock { state in
            for _ in 0..<count / together {
                if state.next + together > keys.count { (state.next, state.counter) = (0, state.counter + 1) }
                state.file.advance(keys[state.next..<state.next + together], to: state.counter)
                state.next += together
            }
        }
    }
}
