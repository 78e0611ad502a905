import Synchronization

/// Blocks tasks until a test opens it, for an order of events that does not depend on the load.
final class Gate: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Calls `body` once the gate is open.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = waiting.withLock { waiting in
            waiting?.append(body)
            return waiting == nil
        }
        if isOpen { body() }
    }

    /// Opens the gate for waiting and later calls.
    func open() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for body in bodies { body() }
    }
}
