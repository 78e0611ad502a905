import Dispatch
import Foundation

/// The threads of a ledger. libpq blocks them, and never a thread of Swift's cooperative pool.
final class LedgerThreads: Sendable {
    private let running = DispatchGroup()

    /// Starts a thread.
    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        running.enter()
        let running = running
        let thread = Thread {
            body()
            running.leave()
        }
        thread.name = name
        thread.start()
    }

    /// Waits until all threads have ended.
    func join() async {
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }
}
