import AssayPrimitives

/// Judges captured evidence in bulk.
///
/// What comes out is what judging one record after the other gives, in the order of the corpus, however many are assessed
/// at a time: assessing, the expensive part, runs for many batches at once; the ledger's commits happen in order, and an
/// assessment that an earlier commit has made untrue is made anew; what is made of the results is made for many batches at
/// once again, and handed over in order. A bounded number of batches is under way, so that memory does not grow with the
/// corpus but for the ledger's entries.
public struct Replay: Sendable {
    /// How many milliseconds results wait for more of the corpus to come.
    private static let patience = 20

    private let policies: ReplayPolicies
    private let options: ReplayOptions

    /// Prepares a replay. Each ``run(_:render:consume:)`` has ledgers of its own.
    public init(_ policies: ReplayPolicies, _ options: ReplayOptions = ReplayOptions()) {
        self.policies = policies
        self.options = options
    }

    /// Judges the records of a corpus.
    ///
    /// - Parameters:
    ///   - source: the corpus.
    ///   - render: what is to be made of some consecutive records; it runs on whichever thread has time.
    ///   - consume: takes what was made, in the order of the corpus, and says whether to go on.
    /// - Returns: what there is to know besides the records.
    /// - Throws: ``ReplayError`` when the corpus or a ledger cannot be read, or the task is cancelled. What was judged before
    ///   that has been consumed.
    public func run<Rendered: Sendable>(
        _ source: inout some CorpusSource,
        render: @escaping @Sendable ([ReplayedRecord]) -> Rendered,
        consume: (Rendered) -> Bool
    ) async throws(ReplayError) -> ReplayStatistics {
        var benches = ReplayBenches(policies, options)
        var account = ReplayAccount(isComparison: policies.against != nil)
        if options.jobs > 1 {
            try await runParallel(&source, &benches, &account, render, consume)
        } else {
            try await runPlain(&source, &benches, &account, render, consume)
        }
        return account.finished
    }

    private func runPlain<Rendered: Sendable>(
        _ source: inout some CorpusSource, _ benches: inout ReplayBenches, _ account: inout ReplayAccount,
        _ render: ([ReplayedRecord]) -> Rendered, _ consume: (Rendered) -> Bool
    ) async throws(ReplayError) {
        while !Task.isCancelled {
            guard let batch = try Replay.next(of: &source) else { return }
            let judge = RecordJudge(benches.bench(for: batch.file), options)
            account.open(judge.bench)
            var records: [ReplayedRecord] = []
            records.reserveCapacity(batch.items.count)
            let memo = judge.memo
            var isLast = false
            do throws(ReplayError) {
                for item in batch.items where !isLast {
                    let record = try await judge.settle(judge.assess(item, memo), memo)
                    records.append(record)
                    isLast = options.stopsAtFailure && record.failure != nil
                }
            } catch {
                _ = consume(render(records))
                throw error
            }
            account.add(memo)
            guard consume(render(records)), !isLast else { return }
        }
        throw .cancelled
    }

    /// The next batch, with the error of a replay.
    static func next(of source: inout some CorpusSource) throws(ReplayError) -> CorpusBatch? {
        do { return try source.next() } catch { throw .corpus(error) }
    }

    private func runParallel<Rendered: Sendable>(
        _ source: inout some CorpusSource, _ benches: inout ReplayBenches, _ account: inout ReplayAccount,
        _ render: @escaping @Sendable ([ReplayedRecord]) -> Rendered, _ consume: (Rendered) -> Bool
    ) async throws(ReplayError) {
        let options = options
        let failure = await withTaskGroup(of: ReplayPipeline<Rendered>.Step.self) { group -> ReplayError? in
            var pipeline = ReplayPipeline<Rendered>(jobs: options.jobs)
            func startWork(mayWait: Bool) {
                while pipeline.hasRoom {
                    if let (number, records) = pipeline.takeSettled() {
                        group.addTask { .rendered(number, render(records)) }
                    } else if pipeline.mayRead,
                        mayWait && !pipeline.isBusy || source.isReady(within: mayWait ? Replay.patience : 0)
                    {
                        do throws(ReplayError) {
                            guard let batch = try Replay.next(of: &source) else {
                                pipeline.endReading(nil)
                                continue
                            }
                            let judge = RecordJudge(benches.bench(for: batch.file), options)
                            let number = pipeline.beginBatch()
                            group.addTask { await .assessed(number, judge, judge.assess(batch)) }
                        } catch {
                            pipeline.endReading(error)
                        }
                    } else {
                        break
                    }
                }
            }
            while true {
                if Task.isCancelled { pipeline.endSettling(.cancelled) }
                startWork(mayWait: true)
                guard let step = await group.next() else { return pipeline.failure }
                let ready = pipeline.takeAssessed(after: step)
                // The processor that has become free gets work before the results are settled, which takes a while; but
                // they do not wait for records that are still to come.
                startWork(mayWait: false)
                for (judge, assessed) in ready {
                    account.open(judge.bench)
                    var records: [ReplayedRecord] = []
                    records.reserveCapacity(assessed.records.count)
                    var isLast = false
                    do throws(ReplayError) {
                        for item in assessed.records where !isLast {
                            let record = try await judge.settle(item, assessed.memo)
                            records.append(record)
                            isLast = options.stopsAtFailure && record.failure != nil
                        }
                        pipeline.settle(records)
                        account.add(assessed.memo)
                        guard isLast else { continue }
                        pipeline.endSettling(nil)
                        break
                    } catch {
                        pipeline.settle(records)
                        pipeline.endSettling(error)
                        break
                    }
                }
                while let rendered = pipeline.takeRendered() {
                    guard consume(rendered) else {
                        pipeline.stop()
                        break
                    }
                }
            }
        }
        if let failure { throw failure }
    }
}

/// A batch whose records were assessed.
struct AssessedBatch: Sendable {
    let records: [AssessedRecord]
    let memo: SignatureMemo?
}

extension RecordJudge {
    /// What remembers signatures from the first policy to the second; nil without a comparison.
    var memo: SignatureMemo? { bench.against == nil ? nil : SignatureMemo() }

    /// Assesses a record; signatures that the first policy has verified are not verified again for the second.
    func assess(_ item: CorpusItem, _ memo: SignatureMemo?) async -> AssessedRecord {
        guard let memo else { return await assess(item) }
        memo.clear()
        return await SignatureMemo.$current.withValue(memo) { await assess(item) }
    }

    /// Assesses the records of a batch.
    func assess(_ batch: CorpusBatch) async -> AssessedBatch {
        var records: [AssessedRecord] = []
        records.reserveCapacity(batch.items.count)
        let memo = memo
        for item in batch.items { records.append(await assess(item, memo)) }
        return AssessedBatch(records: records, memo: memo)
    }
}
