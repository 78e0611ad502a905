import AssayCore
import FoundationEssentials
import Synchronization

/// What a base ledger knows of the entries that one commit concerns.
struct KnownToBase: Sendable {
    let key: EnrolledKey?
    let block: Block?

    static let nothing = KnownToBase(key: nil, block: nil)
}

/// Reads a ledger that goes on living elsewhere, and each entry once: a replay holds all of its records against the same
/// state.
final class BaseLedger: Sendable {
    private struct State {
        var keys: [LedgerName: EnrolledKey?] = [:]
        var blocks: [LedgerSubject: Block?] = [:]
    }

    private let ledger: any Ledger
    private let state = Mutex(State())

    init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    /// Whether the ledger outlives the process.
    var durability: LedgerDurability { ledger.durability }

    /// The key that is enrolled under an identifier.
    func key(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        let name = LedgerName(identifier)
        if let known = state.withLock({ $0.keys[name] }) { return known }
        let key = try await ledger.enrolledKey(identifier)
        return state.withLock { state in
            // Whoever asked first has decided.
            if let known = state.keys[name] { return known }
            state.keys[name] = .some(key)
            return key
        }
    }

    /// The block on a subject, whether it is in force or has ended.
    func block(on subject: LedgerSubject) async throws(LedgerOutage) -> Block? {
        if let known = state.withLock({ $0.blocks[subject] }) { return known }
        // At this time no block has ended yet.
        let block = try await ledger.blocks(on: [subject], at: .distantPast).first
        return state.withLock { state in
            if let known = state.blocks[subject] { return known }
            state.blocks[subject] = .some(block)
            return block
        }
    }

    /// What is known for a commit.
    func known(for action: LedgerEffect.Action) async throws(LedgerOutage) -> KnownToBase {
        switch action {
        case .consumeChallenge, .rememberDigest: .nothing
        case .enrol(let key): try await known(key.identifier)
        case .advanceCounter(let advance): try await known(advance.key)
        }
    }

    private func known(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> KnownToBase {
        KnownToBase(key: try await key(identifier), block: try await block(on: identifier.subject))
    }
}
