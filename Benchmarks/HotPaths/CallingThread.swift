import Synchronization

/// Runs asynchronous functions on the thread that calls, and on no other: callgrind then sees one thread, whose
/// instructions are the same every time, and not the coming and going of a pool's.
final class CallingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// Takes in a job, to be run when it is its turn.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Does a task to its end. Nothing in it may wait for another thread.
    func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Outcome()
        Task(executorPreference: self) {
            do {
                try await body()
                outcome.set(.success(()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        guard let result = outcome.value else {
            throw Unexpected(description: "the task waits for another thread")
        }
        try result.get()
    }
}

/// How a task ended.
private final class Outcome: Sendable {
    private let result = Mutex<Result<Void, any Error>?>(nil)

    var value: Result<Void, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Void, any Error>) { result.withLock { $0 = value } }
}
