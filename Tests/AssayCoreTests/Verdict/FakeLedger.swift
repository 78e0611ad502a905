import AssayCore
import Foundation
import Synchronization

/// A ledger that returns given decisions, including invalid ones, and counts its commits.
final class FakeLedger: Ledger {
    let durability = LedgerDurability.ephemeral
    private let answer: @Sendable ([LedgerEffect]) -> Result<[LedgerRefusal?], LedgerOutage>
    private let committed = Mutex(0)

    var commits: Int { committed.withLock { $0 } }

    init(_ answer: @escaping @Sendable ([LedgerEffect]) -> Result<[LedgerRefusal?], LedgerOutage>) {
        self.answer = answer
    }

    /// A ledger that allows everything.
    convenience init() {
        self.init { .success($0.map { _ in nil }) }
    }

    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        committed.withLock { $0 += 1 }
        return CommitOutcome(decisions: try answer(effects).get())
    }

    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {}
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? { nil }
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] { [] }
}
