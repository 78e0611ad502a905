import Dispatch
import Synchronization

/// Inspects and replays for visitors on a thread of its own, one thing at a time, beside those that answer requests: what visitors
/// paste takes the memory and the processor of one.
final class ConsoleExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "assay.console", qos: .utility)
    private let isReplaying = Atomic<Bool>(false)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a replay; nil while another one runs.
    func replay<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
        guard isReplaying.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return nil }
        defer { isReplaying.store(false, ordering: .releasing) }
        return await run(body)
    }

    /// Runs `body` on the thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await Task(executorPreference: self) { await body() }.value
    }
}
