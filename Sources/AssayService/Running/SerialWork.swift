import Dispatch
import Synchronization

/// Runs work that blocks or takes long, such as reading a policy, one job after the other on a thread outside the pool of Swift's
/// tasks, which goes on answering requests.
final class SerialWork: Sendable {
    private let queue = DispatchQueue(label: "assay.serial")

    func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Waits for an asynchronous result within a job; nil after five seconds, so that later jobs get their turn.
    static func waiting<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value? {
        let result = Handover<Value>()
        Task {
            let value = await work()
            result.value.withLock { $0 = value }
            result.isThere.signal()
        }
        guard result.isThere.wait(timeout: .now() + 5) == .success else { return nil }
        return result.value.withLock { $0 }
    }

    private final class Handover<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }
}
