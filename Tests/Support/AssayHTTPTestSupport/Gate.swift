import Synchronization

/// Blocks tasks until a test opens it. It fixes the order of events, whatever the load.
package final class Gate: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Creates a closed gate.
    package init() {}

    /// Calls `body` once the gate is open.
    package func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = waiting.withLock { waiting in
            waiting?.append(body)
            return waiting == nil
        }
        if isOpen { body() }
    }

    /// Opens the gate for waiting and later calls.
    package func open() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for body in bodies { body() }
    }
}
