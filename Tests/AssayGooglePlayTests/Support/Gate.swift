import Synchronization

/// Holds back what waits at it until a test opens it: an order of events that no load of the machine can change.
final class Gate: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// Does what `body` does once the gate is open.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = waiting.withLock { waiting in
            waiting?.append(body)
            return waiting == nil
        }
        if isOpen { body() }
    }

    /// Lets through who waits and who comes later.
    func open() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for body in bodies { body() }
    }
}
