import AssayCore
import FoundationEssentials
import Synchronization

/// The base ledger's entries that one commit needs.
struct KnownToBase: Sendable {
    let key: EnrolledKey?
    let block: LedgerBlock?

    static let nothing = KnownToBase(key: nil, block: nil)
}

/// Caches the entries of a live ledger: a replay reads each once, so that all records see the same state.
final class BaseLedger: Sendable {
    private struct State {
        var keys: [LedgerName: EnrolledKey?] = [:]
        var standings: [LedgerSubject: LedgerStanding?] = [:]
    }

    private let ledger: any Ledger
    private let state = Mutex(State())

    init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    var durability: LedgerDurability { ledger.durability }

    var isDurabilityWaived: Bool { ledger.isDurabilityWaived }

    func key(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        let name = LedgerName(identifier)
        if let known = state.withLock({ $0.keys[name] }) { return known }
        let key = try await ledger.enrolledKey(identifier)
        return state.withLock { state in
            // If a concurrent read stored an entry first, return that one.
            if let known = state.keys[name] { return known }
            state.keys[name] = .some(key)
            return key
        }
    }

    /// The block or allowance of a subject, including an expired one.
    func standing(of subject: LedgerSubject) async throws(LedgerOutage) -> LedgerStanding? {
        if let known = state.withLock({ $0.standings[subject] }) { return known }
        // .distantPast: include expired entries.
        let standing = try await ledger.standings(of: [subject], at: .distantPast).first
        return state.withLock { state in
            if let known = state.standings[subject] { return known }
            state.standings[subject] = .some(standing)
            return standing
        }
    }

    /// The entries that a commit concerns.
    func known(for action: LedgerEffect.Action) async throws(LedgerOutage) -> KnownToBase {
        switch action.row {
        case .challenge, .digest: .nothing
        case .key(let identifier):
            KnownToBase(key: try await key(identifier), block: try await standing(of: identifier.subject)?.block)
        case .standing(let subject): KnownToBase(key: nil, block: try await standing(of: subject)?.block)
        }
    }
}
