import NIOCore
import Synchronization

/// The connections of a listener that have not ended: those that are open, and those with a request that is still answered.
final class OpenConnections: Sendable {
    private struct State {
        var handlers: [ObjectIdentifier: NIOLoopBound<RequestHandler>] = [:]
        var isCancelled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func insert(_ handler: NIOLoopBound<RequestHandler>) {
        let isCancelled = state.withLock { state in
            state.handlers[ObjectIdentifier(handler.value)] = handler
            return state.isCancelled
        }
        if isCancelled { Self.cancel(handler) }
    }

    func remove(_ handler: RequestHandler) {
        let waiter = state.withLock { state in
            state.handlers[ObjectIdentifier(handler)] = nil
            return state.handlers.isEmpty ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Cuts all connections, also those that come later.
    func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            return Array(state.handlers.values)
        }
        for handler in handlers { Self.cancel(handler) }
    }

    private static func cancel(_ handler: NIOLoopBound<RequestHandler>) {
        handler.eventLoop.execute { handler.value.cancel() }
    }

    /// Returns when there is no connection.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.handlers.isEmpty { state.waiter = continuation }
                return state.handlers.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
