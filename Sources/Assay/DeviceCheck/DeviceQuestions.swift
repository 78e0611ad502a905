import AssayCore
import FoundationEssentials
import Synchronization

/// Counts how often Apple was asked about the same evidence. Only the ledger knows whether evidence was used before, and it decides after
/// Apple: without a limit, a client could use up the quota with one attestation.
final class DeviceQuestions: Sendable {
    /// How often Apple is asked about the same evidence in an hour. Clients repeat evidence after an outage.
    static let limit = 3
    private static let period = 3600.0
    /// The most evidence that is counted, twice.
    private static let capacity = 50_000

    /// What a piece of evidence uses up: a row of the ledger, and the counter of a key. Blocked evidence uses up
    /// nothing; the standing of its key, device or account represents it.
    private struct Use: Hashable {
        let row: LedgerEffect.Row
        var counter: UInt32?

        init(blocked subject: LedgerSubject) { row = .standing(subject) }

        init?(_ action: LedgerEffect.Action) {
            guard action.isChange else { return nil }
            row = action.row
            if case .advanceCounter(let advance) = action { counter = advance.counter }
        }
    }

    private typealias Counts = [Set<Use>: (count: Int, since: Date)]
    /// Evidence whose enrolment the bits of its device count.
    private let counted = Mutex<(recent: Set<Set<Use>>, former: Set<Set<Use>>)>(([], []))
    private let state = Mutex<(recent: Counts, former: Counts)>(([:], [:]))

    private static func uses(of assessment: Assessment) -> Set<Use> {
        let uses = Set(assessment.effects.compactMap { Use($0.action) })
        guard uses.isEmpty, !assessment.isAcceptable, let subject = assessment.subject,
            let identifier = subject.identifier
        else { return uses }
        return [Use(blocked: LedgerSubject(subject.identifierKind, identifier))]
    }

    /// Whether the bits count the enrolment already, as an earlier attempt with the same evidence had no verdict.
    func hasCounted(_ assessment: Assessment) -> Bool {
        let uses = Self.uses(of: assessment)
        return counted.withLock { $0.recent.contains(uses) || $0.former.contains(uses) }
    }

    /// Notes that the bits count the enrolment.
    func setCounted(_ assessment: Assessment) {
        let uses = Self.uses(of: assessment)
        guard !uses.isEmpty else { return }
        counted.withLock { counted in
            if counted.recent.count >= Self.capacity { counted = ([], counted.recent) }
            counted.recent.insert(uses)
        }
    }

    /// Counts a question about evidence with these effects, or about a blocked subject. False if there were as many as allowed.
    func take(_ assessment: Assessment, at now: Date) -> Bool {
        let uses = Self.uses(of: assessment)
        guard !uses.isEmpty else { return true }
        return state.withLock { state in
            let known = state.recent[uses] ?? state.former[uses]
            let (count, since) =
                known.flatMap { abs(now.timeIntervalSince($0.since)) < Self.period ? $0 : nil } ?? (0, now)
            guard count < Self.limit else { return false }
            if state.recent.count >= Self.capacity { state = ([:], state.recent) }
            state.recent[uses] = (count + 1, since)
            return true
        }
    }
}
