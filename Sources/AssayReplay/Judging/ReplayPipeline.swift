/// Which batches of a parallel replay are where. It starts nothing itself.
struct ReplayPipeline<Rendered: Sendable> {
    /// A piece of work that is done.
    enum Step: Sendable {
        case assessed(Int, RecordJudge, AssessedBatch)
        case rendered(Int, Rendered)
    }

    private let jobs: Int
    /// How many batches may be between reading and writing: enough that a slow one keeps nobody waiting.
    private let window: Int
    private var running = 0
    private var begun = 0
    private var isReading = true
    private var isSettling = true
    private var isStopped = false

    private var assessed: [Int: (RecordJudge, AssessedBatch)] = [:]
    private var nextToSettle = 0
    private var settled: [(number: Int, records: [ReplayedRecord])] = []
    private var settledCount = 0
    private var rendered: [Int: Rendered] = [:]
    private var nextToWrite = 0

    /// Why the replay ends before the corpus does.
    private(set) var failure: ReplayError?

    init(jobs: Int) {
        self.jobs = jobs
        window = 3 * jobs + 1
    }

    /// Whether another piece of work may run.
    var hasRoom: Bool { running < jobs }

    /// Whether any piece of work runs.
    var isBusy: Bool { running > 0 }

    /// Whether another batch may be read.
    var mayRead: Bool { isReading && isSettling && begun - nextToWrite < window }

    /// Counts a batch that is to be assessed now, and numbers it.
    mutating func beginBatch() -> Int {
        running += 1
        begun += 1
        return begun - 1
    }

    /// The first batch that is to be rendered now.
    mutating func takeSettled() -> (number: Int, records: [ReplayedRecord])? {
        guard !settled.isEmpty else { return nil }
        running += 1
        return settled.removeFirst()
    }

    /// Takes note of work that is done, and returns the batches that can be settled after it, in their order.
    mutating func takeAssessed(after step: Step) -> [(RecordJudge, AssessedBatch)] {
        running -= 1
        switch step {
        case .assessed(let number, let judge, let batch): assessed[number] = (judge, batch)
        case .rendered(let number, let result): rendered[number] = result
        }
        var ready: [(RecordJudge, AssessedBatch)] = []
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

    /// The next result in the order of the corpus, when it is there.
    mutating func takeRendered() -> Rendered? {
        guard !isStopped, let result = rendered.removeValue(forKey: nextToWrite) else { return nil }
        nextToWrite += 1
        return result
    }

    /// Nothing more is read.
    mutating func endReading(_ error: ReplayError?) {
        isReading = false
        if let error, failure == nil { failure = error }
    }

    /// Nothing more is settled: what is under way is dropped, what was settled is still written.
    ///
    /// - Parameter error: why; nil when what was settled last is meant to be the last.
    mutating func endSettling(_ error: ReplayError?) {
        isSettling = false
        failure = error
        assessed = [:]
    }

    /// Nothing more is done.
    mutating func stop() {
        isStopped = true
        isReading = false
        isSettling = false
        assessed = [:]
        settled = []
        rendered = [:]
    }
}
