import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials

/// A record with the results of its checks, before its commit.
struct AssessedRecord: Sendable {
    /// The result of one policy's checks.
    enum Finding: Sendable {
        /// The assessment, and the key lookups whose results an earlier record's commit can change.
        case assessment(Assessment, [UnsettledRead])
        /// No verdict is possible.
        case failure(ReplayFailure)
        /// An outage that ends the replay.
        case outage(any Outage)

        init(_ error: VerificationError) {
            switch error {
            case .outage(let outage): self = .outage(outage)
            case .record(let error): self = .failure(ReplayFailure("unreadable", error.description))
            case .request(let error): self = .failure(ReplayFailure(error.code, error.message))
            }
        }
    }

    let place: CorpusPlace
    let id: String?
    /// The record; nil if unreadable.
    let record: EvidenceRecord?
    let time: Date
    let primary: Finding
    let against: Finding?
    let duration: Double?
}

/// A batch ready to be settled.
struct AssessedBatch: Sendable {
    fileprivate enum Records: Sendable {
        /// Assessed in advance. Settling repeats an assessment that an earlier record invalidated.
        case assessed([AssessedRecord])
        /// Assessed one by one during settling, so that no assessment is repeated.
        case pending([CorpusItem])
    }

    private let judge: RecordJudge
    private let records: Records
    /// Caches verified signatures for the second policy; nil without a comparison.
    let memo: SignatureMemo?

    fileprivate init(_ judge: RecordJudge, _ records: Records, _ memo: SignatureMemo?) {
        (self.judge, self.records, self.memo) = (judge, records, memo)
    }

    /// Whether the replay continues after a batch.
    enum End {
        case next
        case last
        case error(ReplayError)
    }

    /// Settles the records in order. Stops at the first error; with `stopsAtFailure`, also at the first failure.
    func settle(stopsAtFailure: Bool) async -> (records: [ReplayedRecord], end: End) {
        var settled: [ReplayedRecord] = []
        do throws(ReplayError) {
            switch records {
            case .assessed(let records):
                settled.reserveCapacity(records.count)
                for record in records {
                    settled.append(try await judge.settle(record, memo))
                    if stopsAtFailure, settled.last?.failure != nil { return (settled, .last) }
                }
            case .pending(let items):
                settled.reserveCapacity(items.count)
                for item in items {
                    settled.append(try await judge.settle(judge.assess(item, memo), memo))
                    if stopsAtFailure, settled.last?.failure != nil { return (settled, .last) }
                }
            }
        } catch {
            return (settled, .error(error))
        }
        return (settled, .next)
    }
}

/// Judges the records of one file in two steps: assessment (in parallel) and settlement (in order).
struct RecordJudge: Sendable {
    private let bench: ReplayBench
    private let time: JudgementTime
    private let captureKey: CapturePrivateKey?
    private let engines: EngineRegistry
    private let isMeasured: Bool
    private let isAhead: Bool
    private let keepsEnrolledKeys: Bool
    private let primaryView: ReplayLedgerView?
    private let againstView: ReplayLedgerView?

    /// - Parameter bench: the verifiers and ledgers. Only one task at a time may use a judge.
    init(_ bench: ReplayBench, _ options: ReplayOptions) {
        self.bench = bench
        time = options.time
        captureKey = options.captureKey
        engines = options.engines
        isMeasured = options.isMeasured
        isAhead = options.jobs > 1
        keepsEnrolledKeys = options.keepsEnrolledKeys
        primaryView = bench.primary.ledger.map { ReplayLedgerView($0) }
        againstView = bench.against?.ledger.map { ReplayLedgerView($0) }
    }

    /// Decodes and assesses a batch without changing a ledger. With one job, defers the assessment to the settlement.
    func assess(_ batch: CorpusBatch) async -> AssessedBatch {
        let memo = bench.against == nil ? nil : SignatureMemo()
        guard isAhead else { return AssessedBatch(self, .pending(batch.items), memo) }
        var records: [AssessedRecord] = []
        records.reserveCapacity(batch.items.count)
        for item in batch.items { records.append(await assess(item, memo)) }
        return AssessedBatch(self, .assessed(records), memo)
    }

    fileprivate func assess(_ item: CorpusItem, _ memo: SignatureMemo?) async -> AssessedRecord {
        guard let memo else { return await assess(item) }
        memo.clear()
        return await SignatureMemo.$current.withValue(memo) { await assess(item) }
    }

    private func assess(_ item: CorpusItem) async -> AssessedRecord {
        switch item.record(opening: captureKey) {
        case .failure(let unreadable):
            return failed(item.place, unreadable.id, nil, ReplayFailure("unreadable", unreadable.message))
        case .success(let record):
            let now: Date
            switch (time, record.receivedAt) {
            case (.fixed(let time), _): now = time
            case (.asCaptured, let time?): now = time
            case (.asCaptured, nil):
                let message = "there is no receivedAt to judge it as captured; give --at or --now"
                return failed(
                    item.place, record.id, record, ReplayFailure(RequestError.Reason.noTime.rawValue, message))
            }
            let missing = record.indispensableFields(knowing: engines)
            guard missing.isEmpty else {
                return failed(item.place, record.id, record, ReplayFailure(redacted: missing))
            }
            let start = isMeasured ? ContinuousClock.now : nil
            let primary = await assess(record, bench.primary, primaryView, at: now)
            let duration = start.map { $0.duration(to: .now) / .seconds(1) }
            var against: AssessedRecord.Finding?
            if let side = bench.against { against = await assess(record, side, againstView, at: now) }
            return AssessedRecord(
                place: item.place, id: record.id, record: record, time: now, primary: primary, against: against,
                duration: duration)
        }
    }

    private func failed(
        _ place: CorpusPlace, _ id: String?, _ record: EvidenceRecord?, _ failure: ReplayFailure
    ) -> AssessedRecord {
        AssessedRecord(
            place: place, id: id, record: record, time: .distantPast, primary: .failure(failure),
            against: bench.against.map { _ in .failure(failure) }, duration: nil)
    }

    private func assess(
        _ record: EvidenceRecord, _ side: ReplayBench.Side, _ view: ReplayLedgerView?, at now: Date
    ) async -> AssessedRecord.Finding {
        switch side {
        case .failure(let failure): return .failure(failure)
        case .verifier(let verifier, let ledger):
            let view = view ?? ReplayLedgerView(ledger)
            do throws(VerificationError) {
                let assessment = try await verifier.assess(record, ledger: view, at: now)
                return .assessment(assessment, view.takeUnsettled())
            } catch {
                _ = view.takeUnsettled()
                return AssessedRecord.Finding(error)
            }
        }
    }

    /// Commits the effects of an accepted record after all earlier records. Repeats an assessment that one invalidated.
    fileprivate func settle(
        _ assessed: AssessedRecord, _ memo: SignatureMemo?
    ) async throws(ReplayError) -> ReplayedRecord {
        memo?.clear()
        let primary = try await settle(assessed.primary, of: assessed, bench.primary, primaryView, memo)
        var against: Settlement?
        var root: ReplayRoot?
        if let side = bench.against, let finding = assessed.against {
            let settlement = try await settle(finding, of: assessed, side, againstView, memo)
            if primary.isAccepted != settlement.isAccepted { root = compare(assessed, primary, settlement) }
            against = settlement
        }
        let isChange = against.map { $0.isAccepted != primary.isAccepted } ?? false
        return ReplayedRecord(
            place: assessed.place, id: assessed.id, receivedAt: assessed.record?.receivedAt,
            expect: assessed.record?.expect, judgement: primary.judgement, against: against?.judgement,
            duration: assessed.duration, account: isChange ? assessed.record?.account : nil, root: root)
    }

    /// The decision of one policy, and the keys that it concerns.
    private struct Settlement {
        let judgement: ReplayedRecord.Judgement
        /// The keys that an accepted record enrols.
        var enrolled: [KeyIdentifier] = []
        /// The keys that a rejected record needs, and that are not enrolled.
        var missing: [KeyIdentifier] = []

        var isAccepted: Bool { judgement.outcome == .accepted }
    }

    /// Keeps, or notes as refused, the keys that only one policy enrols. Returns the refused attestation of the key that the other
    /// policy misses; nil if it does not accept the record for another reason.
    private func compare(_ assessed: AssessedRecord, _ primary: Settlement, _ against: Settlement) -> ReplayRoot? {
        let (accepting, refusing) = primary.isAccepted ? (primary, against) : (against, primary)
        guard let ledger = primary.isAccepted ? bench.against?.ledger : bench.primary.ledger else { return nil }
        for key in accepting.enrolled {
            if primary.isAccepted, keepsEnrolledKeys {
                if let key = bench.primary.ledger?.ownKey(key) { ledger.adopt(key) }
            } else {
                let attestation = ReplayRoot(check: refusing.judgement.reason, id: assessed.id, place: assessed.place)
                ledger.noteRefused(key, attestation)
            }
        }
        guard refusing.judgement.firstFailed?.finding?.code == CheckCode.keyUnknown.name else { return nil }
        return ledger.refusal(ofAnyOf: refusing.missing)
    }

    private func settle(
        _ finding: AssessedRecord.Finding, of assessed: AssessedRecord, _ side: ReplayBench.Side,
        _ view: ReplayLedgerView?, _ memo: SignatureMemo?
    ) async throws(ReplayError) -> Settlement {
        switch (finding, side) {
        case (.failure(let failure), _), (_, .failure(let failure)): return Settlement(judgement: .failure(failure))
        case (.outage(let outage), _): throw .outage(outage)
        case (.assessment(let assessment, let reads), .verifier(_, let ledger)):
            if ledger.isOutdated(reads), let record = assessed.record {
                // Terminates: records are settled one after the other, so nothing changes during the repetition.
                let repeated = await SignatureMemo.$current.withValue(memo) {
                    await assess(record, side, view, at: assessed.time)
                }
                return try await settle(repeated, of: assessed, side, view, memo)
            }
            do throws(VerificationError) {
                let verdict = try await assessment.verdict(committingTo: ledger, at: assessed.time)
                let redacted = assessed.record?.redactedField(behind: verdict, knowing: engines)
                var settlement = Settlement(
                    judgement: redacted.map { .failure(ReplayFailure(redacted: [$0])) } ?? .verdict(verdict))
                if verdict.outcome == .accept {
                    settlement.enrolled = assessment.effects.compactMap(\.enrolledKey)
                } else if !reads.isEmpty {
                    ledger.noteMissing(reads)
                    settlement.missing = reads.filter { !$0.isEnrolled }.map(\.identifier)
                }
                return settlement
            } catch {
                return try await settle(AssessedRecord.Finding(error), of: assessed, side, view, memo)
            }
        }
    }
}

extension LedgerEffect {
    fileprivate var enrolledKey: KeyIdentifier? {
        if case .enrol(let key, _) = action { key.identifier } else { nil }
    }
}
