import Foundation
import Synchronization

/// Handles SIGINT and SIGTERM during work that can end early with partial results. A second signal ends the program at
/// once.
enum Interruption {
    private static let isRequestedFlag = Atomic(false)

    /// Whether a signal arrived after ``arm()``.
    static var isRequested: Bool { isRequestedFlag.load(ordering: .relaxed) }

    /// Catches the first signal of each kind. Signals that the parent process set to be ignored stay ignored.
    static func arm() {
        // Initialise the flag here, before a signal handler uses it.
        guard !isRequested else { return }
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in
                Interruption.isRequestedFlag.store(true, ordering: .relaxed)
            }
            action.sa_flags = Int32(bitPattern: SA_RESETHAND)
            var old = sigaction()
            guard sigaction(number, nil, &old) == 0 else { continue }
            if let handler = old.__sigaction_handler.sa_handler, isIgnoring(handler) { continue }
            _ = sigaction(number, &action, nil)
        }
    }

    private static func isIgnoring(_ handler: __sighandler_t) -> Bool {
        unsafeBitCast(handler, to: Int.self) == 1
    }
}
