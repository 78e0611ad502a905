import AssayPrimitives

/// Judges captured evidence in bulk.
///
/// The results equal those of judging the records one by one in corpus order, whatever the number of jobs: jobs assess
/// batches in parallel, then commit them to the ledger in order. An assessment that an earlier commit invalidates is
/// repeated. The number of batches in flight is bounded, so memory grows only with the ledger's entries.
public struct Replay: Sendable {
    /// How many milliseconds to wait for more input before settling finished batches.
    private static let readWait = 20

    private let policies: ReplayPolicies
    private let options: ReplayOptions

    /// Prepares a replay. Each run has its own ledgers.
    public init(_ policies: ReplayPolicies, _ options: ReplayOptions = ReplayOptions()) {
        self.policies = policies
        self.options = options
    }

    /// Judges the records of a corpus.
    ///
    /// - Parameters:
    ///   - corpus: the corpus.
    ///   - render: turns consecutive records into a result; called on worker threads.
    ///   - consume: takes the results in the order of the corpus, and returns whether to continue.
    /// - Throws: ``ReplayError`` when a ledger cannot be read or the task is cancelled. All earlier records were consumed.
    public func run<Rendered: Sendable>(
        _ corpus: CorpusReader, render: @escaping @Sendable ([ReplayedRecord]) -> Rendered,
        consume: (Rendered) -> Bool
    ) async throws(ReplayError) {
        var corpus = corpus
        if let failure = await run(&corpus, render: render, consume: consume).failure { throw failure }
    }

    /// Judges the records of any source. All records before a failure were consumed.
    package func run<Rendered: Sendable>(
        _ source: inout some CorpusSource, render: @escaping @Sendable ([ReplayedRecord]) -> Rendered,
        consume: (Rendered) -> Bool
    ) async -> ReplayStatistics {
        let options = options
        var benches = ReplayBenches(policies, options)
        var signatures = (verified: 0, recalled: 0)
        let failure = await withTaskGroup(of: ReplayPipeline<Rendered>.Step.self) { group -> ReplayError? in
            var pipeline = ReplayPipeline<Rendered>(jobs: options.jobs)
            func startWork(mayWait: Bool) {
                while pipeline.hasRoom {
                    if let (number, records) = pipeline.takeSettled() {
                        group.addTask { .rendered(number, render(records)) }
                    } else if pipeline.mayRead, source.isReady(within: mayWait ? Replay.readWait : 0) {
                        guard let batch = source.next() else {
                            pipeline.endReading()
                            continue
                        }
                        let judge = RecordJudge(benches.bench(for: batch.file), options)
                        let number = pipeline.beginBatch()
                        group.addTask { await .assessed(number, judge.assess(batch)) }
                    } else {
                        break
                    }
                }
            }
            while true {
                repeat {
                    if Task.isCancelled || options.isInterrupted() { pipeline.endSettling(.cancelled) }
                    startWork(mayWait: true)
                } while pipeline.mayRead && !pipeline.isBusy
                guard let step = await group.next() else { return pipeline.failure }
                let ready = pipeline.takeAssessed(after: step)
                // Settling takes a while: first start work for the idle job, but do not block on the corpus.
                startWork(mayWait: false)
                for batch in ready {
                    let (records, end) = await batch.settle(stopsAtFailure: options.stopsAtFailure)
                    pipeline.settle(records)
                    if let memo = batch.memo {
                        signatures.verified += memo.verified
                        signatures.recalled += memo.recalled
                    }
                    switch end {
                    case .next: continue
                    case .last: pipeline.endSettling(nil)
                    case .error(let error): pipeline.endSettling(error)
                    }
                    break
                }
                while let rendered = pipeline.takeRendered() {
                    guard consume(rendered) else {
                        pipeline.stop()
                        break
                    }
                }
            }
        }
        return ReplayStatistics(
            presumptions: benches.presumptions, presumptionsAgainst: benches.presumptionsAgainst,
            verifiedSignatures: signatures.verified, recalledSignatures: signatures.recalled,
            failure: failure)
    }
}
