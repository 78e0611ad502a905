/// The state of the batches of a replay. The caller runs the tasks.
struct ReplayPipeline<Rendered: Sendable> {
    /// The result of a task.
    enum Step: Sendable {
        case assessed(Int, AssessedBatch)
        case rendered(Int, Rendered)
    }

    private let jobs: Int
    /// The maximum number of batches between reading and writing, large enough that one slow batch does not block the
    /// other jobs.
    private let window: Int
    private var running = 0
    private var begun = 0
    private var isReading = true
    private var isSettling = true
    private var isStopped = false

    private var assessed: [Int: AssessedBatch] = [:]
    private var nextToSettle = 0
    private var settled: [(number: Int, records: [ReplayedRecord])] = []
    private var settledCount = 0
    private var rendered: [Int: Rendered] = [:]
    private var nextToWrite = 0

    /// Why the replay stops before the end of the corpus.
    private(set) var failure: ReplayError?

    init(jobs: Int) {
        self.jobs = max(1, jobs)
        window = 3 * self.jobs + 1
    }

    /// Whether another task may run.
    var hasRoom: Bool { running < jobs }

    var isBusy: Bool { running > 0 }

    /// Whether another batch may be read.
    var mayRead: Bool { isReading && isSettling && begun - nextToWrite < window }

    /// Registers the start of an assessment. Returns the batch's number.
    mutating func beginBatch() -> Int {
        running += 1
        begun += 1
        return begun - 1
    }

    /// The next batch to render.
    mutating func takeSettled() -> (number: Int, records: [ReplayedRecord])? {
        guard !settled.isEmpty else { return nil }
        running += 1
        return settled.removeFirst()
    }

    /// Stores the result of a task. Returns the batches that can be settled now, in order.
    mutating func takeAssessed(after step: Step) -> [AssessedBatch] {
        running -= 1
        switch step {
        case .assessed(let number, let batch): assessed[number] = batch
        case .rendered(let number, let result): rendered[number] = result
        }
        var ready: [AssessedBatch] = []
        while isSettling, let batch = assessed.removeValue(forKey: nextToSettle) {
            ready.append(batch)
            nextToSettle += 1
        }
        return ready
    }

    /// Queues a settled batch for rendering.
    mutating func settle(_ records: [ReplayedRecord]) {
        settled.append((settledCount, records))
        settledCount += 1
    }

    /// The next result in corpus order, if available.
    mutating func takeRendered() -> Rendered? {
        guard !isStopped, let result = rendered.removeValue(forKey: nextToWrite) else { return nil }
        nextToWrite += 1
        return result
    }

    mutating func endReading() { isReading = false }

    /// Stops settling, but writes settled batches; `error` is nil after a record that must be the last.
    mutating func endSettling(_ error: ReplayError?) {
        isSettling = false
        failure = error
        assessed = [:]
    }

    /// Stops settling and writing.
    mutating func stop() {
        isStopped = true
        isReading = false
        isSettling = false
        assessed = [:]
        settled = []
        rendered = [:]
    }
}
