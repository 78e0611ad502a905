import Assay
import AssayCapture
import AssayCore
import AssayPrimitives
import FoundationEssentials

/// A record with what the checks found, before any ledger has decided.
struct AssessedRecord: Sendable {
    /// What one policy's checks found.
    enum Finding: Sendable {
        /// The assessment, and what a commit of an earlier record can still change of it.
        case assessment(Assessment, [UnsettledRead])
        /// There will be no verdict.
        case failure(ReplayFailure)
        /// There is no verdict for this record or any that follows.
        case outage(any Outage)

        init(_ error: VerificationError) {
            switch error {
            case .outage(let outage): self = .outage(outage)
            case .record(let error): self = .failure(ReplayFailure("unreadable", error.description))
            case .request(let error): self = .failure(ReplayFailure(error.code.name, error.message))
            }
        }
    }

    let place: CorpusPlace
    let id: String?
    /// What was read, and nil when it could not be.
    let record: EvidenceRecord?
    let time: Date
    let primary: Finding
    let against: Finding?
    let duration: Double?
}

/// Judges the records of one file in two steps: assessing, which can be done for many at once, and settling, which is
/// done in their order.
struct RecordJudge: Sendable {
    let bench: ReplayBench
    let time: JudgementTime
    let captureKey: CapturePrivateKey?
    let isMeasured: Bool
    private let primaryView: ReplayLedgerView?
    private let againstView: ReplayLedgerView?

    /// - Parameter bench: the policies and ledgers. A judge is used by one task at a time.
    init(_ bench: ReplayBench, _ options: ReplayOptions) {
        self.bench = bench
        time = options.time
        captureKey = options.captureKey
        isMeasured = options.isMeasured
        primaryView = bench.primary.ledger.map { ReplayLedgerView($0) }
        againstView = bench.against?.ledger.map { ReplayLedgerView($0) }
    }

    /// Reads and assesses a record. No ledger is changed.
    func assess(_ item: CorpusItem) async -> AssessedRecord {
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
                return failed(item.place, record.id, record, ReplayFailure(RequestError.Code.noTime.name, message))
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

    /// Commits what an acceptance needs. Every earlier record has been settled; an assessment that rests on what one of
    /// them has changed is made anew.
    ///
    /// - Parameter memo: what remembers signatures from the first policy to the second.
    func settle(_ assessed: AssessedRecord, _ memo: SignatureMemo?) async throws(ReplayError) -> ReplayedRecord {
        memo?.clear()
        let primary = try await settle(assessed.primary, of: assessed, bench.primary, primaryView, memo)
        var against: ReplayedRecord.Judgement?
        if let side = bench.against, let finding = assessed.against {
            against = try await settle(finding, of: assessed, side, againstView, memo)
        }
        return ReplayedRecord(
            place: assessed.place, id: assessed.id, receivedAt: assessed.record?.receivedAt,
            expect: assessed.record?.expect, judgement: primary, against: against, duration: assessed.duration)
    }

    private func settle(
        _ finding: AssessedRecord.Finding, of assessed: AssessedRecord, _ side: ReplayBench.Side,
        _ view: ReplayLedgerView?, _ memo: SignatureMemo?
    ) async throws(ReplayError) -> ReplayedRecord.Judgement {
        switch (finding, side) {
        case (.failure(let failure), _), (_, .failure(let failure)): return .failure(failure)
        case (.outage(let outage), _): throw .outage(outage)
        case (.assessment(let assessment, let reads), .verifier(_, let ledger)):
            if ledger.isOutdated(reads), let record = assessed.record {
                // What has changed stays as it is, so that this ends.
                let anew = await SignatureMemo.$current.withValue(memo) {
                    await assess(record, side, view, at: assessed.time)
                }
                return try await settle(anew, of: assessed, side, view, memo)
            }
            do throws(VerificationError) {
                let verdict = try await assessment.verdict(committingTo: ledger, at: assessed.time)
                if verdict.outcome == .reject, !reads.isEmpty { ledger.noteMissing(reads) }
                return .verdict(verdict)
            } catch {
                return try await settle(AssessedRecord.Finding(error), of: assessed, side, view, memo)
            }
        }
    }
}
