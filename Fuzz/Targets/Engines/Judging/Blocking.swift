import Dispatch
import Synchronization

/// Runs asynchronous work and blocks this thread until it ends: libFuzzer's callback is synchronous.
enum Blocking {
    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let answer = Answer<Value>()
        let isDone = DispatchSemaphore(value: 0)
        let work: @Sendable () async -> Void = {
            let value = await body()
            answer.value.withLock { $0 = value }
            isDone.signal()
        }
        // Starts on this thread. It also ends on this thread if nothing suspends, as with a ledger in memory.
        if #available(macOS 26, *) { Task.immediate(operation: work) } else { Task(operation: work) }
        isDone.wait()
        guard let value = answer.value.withLock({ $0 }) else { FuzzTarget.broken("a task ended without its answer") }
        return value
    }
}
