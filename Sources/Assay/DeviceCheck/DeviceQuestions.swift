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

    /// What a piece of evidence uses up.
    private enum Use: Hashable {
        case challenge([UInt8])
        case enrolment(KeyIdentifier)
        case counter(KeyIdentifier, UInt32)
        case digest([UInt8])

        init?(_ action: LedgerEffect.Action) {
            switch action {
            case .consumeChallenge(let value, _, _): self = .challenge(value)
            case .enrol(let key, _): self = .enrolment(key.identifier)
            case .advanceCounter(let advance): self = .counter(advance.key, advance.counter)
            case .rememberDigest(let use): self = .digest(use.digest)
            case .useKey: return nil
            }
        }
    }

    private typealias Counts = [Set<Use>: (count: Int, since: Date)]
    private let state = Mutex<(recent: Counts, former: Counts)>(([:], [:]))

    /// Counts a question about evidence with these effects. False if there were as many as allowed.
    func take(_ effects: [LedgerEffect], at now: Date) -> Bool {
        let uses = Set(effects.compactMap { Use($0.action) })
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
