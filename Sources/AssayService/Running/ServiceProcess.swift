import Synchronization

/// What the services of one process share: the notices to systemd, and the limit of open files.
package final class ServiceProcess: Sendable {
    private struct State {
        /// How many services accept connections.
        var ready = 0
        /// How many of them read their policy again.
        var reloading = 0
        var isStopping = false
    }

    /// How many services the process has.
    let count: Int
    private let state = Mutex(State())

    /// Prepares for a number of services.
    package init(services count: Int = 1) { self.count = count }

    /// A service accepts connections. The process is ready when all do.
    func setReady() {
        state.withLock { state in
            state.ready += 1
            if state.ready == count { ReadinessNotice.send(ReadinessNotice.ready) }
        }
    }

    /// A service reads its policy again.
    func beginReload() {
        state.withLock { state in
            state.reloading += 1
            if state.reloading == 1, state.ready == count, !state.isStopping {
                ReadinessNotice.send(ReadinessNotice.reloading)
            }
        }
    }

    /// A service has read its policy.
    func endReload() {
        state.withLock { state in
            state.reloading -= 1
            guard state.reloading == 0, state.ready == count, !state.isStopping else { return }
            ReadinessNotice.send(ReadinessNotice.ready)
        }
    }

    /// A service stops, and soon the others do. The process is not ready again.
    func stop() {
        state.withLock { state in
            if !state.isStopping { ReadinessNotice.send(ReadinessNotice.stopping) }
            state.isStopping = true
        }
    }
}
