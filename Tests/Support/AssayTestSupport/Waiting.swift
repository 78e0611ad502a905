import Foundation

/// A test stopped waiting. No test asserts a duration by it: only a defect takes so long.
package struct TooSlow: Error, CustomStringConvertible {
    /// The awaited event, and what is known about the delay.
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The time for which tests wait for anything.
    package static let limit = Duration.seconds(300) * Sanitizer.slowdown
}

/// Polls for a condition, and leaves the thread to other tests between the looks.
///
/// - Throws: ``TooSlow``, which names what it waited for; errors of the condition.
package func waitUntil(
    _ what: @autoclosure () -> String, every pause: Duration = .milliseconds(5), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + TooSlow.limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw TooSlow("not within \(TooSlow.limit): \(what())") }
        try await Task.sleep(for: pause)
    }
}

/// Polls for a value on this thread.
///
/// - Throws: ``TooSlow``, which names what it waited for; errors of `value`.
package func waitFor<Value>(_ what: @autoclosure () -> String, _ value: () throws -> Value?) throws -> Value {
    let end = ContinuousClock.now + TooSlow.limit
    while ContinuousClock.now < end {
        if let value = try value() { return value }
        usleep(20_000)
    }
    throw TooSlow("not within \(TooSlow.limit): \(what())")
}

/// Runs what blocks its thread on a thread of its own: those of Swift's pool are few.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
