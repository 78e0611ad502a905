import AssayPrimitives
package import FoundationEssentials

/// A row of a ledger, with all data that another ledger needs to continue from it.
package enum LedgerRecord: Sendable, Equatable {
    case challenge(IssuedChallenge, consumedAt: Date?)
    case key(EnrolledKey)
    case digest(UsedDigest)
    /// The latest `madeAt` of purged digests of an app and kind; or the end of the ledger's quarantine, see ``quarantine``.
    case forgotten(app: String, kind: String, madeAt: Int64)
    case standing(LedgerStanding)
    case `operator`(LedgerOperator, tokenHash: [UInt8])
    case sealedKey(SealedKey)
    case document(LedgerDocument, named: String)
    case task(LedgerTask)
    case audit(LedgerAuditEntry)

    /// The kind in the mark with an empty app whose time is the end of the ledger's quarantine. No app has an empty name.
    package static let quarantine = "quarantine"

    package var section: String {
        switch self {
        case .challenge: "challenges"
        case .key: "keys"
        case .digest: "digests"
        case .forgotten: "marks of purged digests"
        case .standing: "blocks and allowances"
        case .operator: "operators"
        case .sealedKey: "sealed keys"
        case .document: "documents"
        case .task: "tasks"
        case .audit: "entries of the audit trail"
        }
    }
}

/// A ledger whose records can be copied to another one.
///
/// From the beginning of a move, the ledger refuses all writers for good, including processes that opened it before.
/// Its mark names its new place. The copy has a mark until it is complete.
package protocol MovableLedger: Sendable {
    /// The mark of the ledger; nil for none.
    func mark() async throws(LedgerOutage) -> LedgerMark?

    /// Replaces the mark. Returns false, and changes nothing, if the ledger has another mark than `old`. Programs
    /// cannot open a ledger that has a mark.
    func changeMark(from old: LedgerMark?, to new: LedgerMark?) async throws(LedgerOutage) -> Bool

    /// Locks out all writers, and stores the ledger's new place. Returns the previous mark, which stays; nil if there
    /// was none.
    func beginMove(to place: String) async throws(LedgerOutage) -> LedgerMark?

    /// Lets writers in again.
    func cancelMove() async throws(LedgerOutage)

    /// Passes all records to `body`, in batches. The order of the sections is always the same.
    func records(_ body: @concurrent ([LedgerRecord]) async throws -> Void) async throws

    /// Stores records. Leaves a record unchanged if its key is already stored.
    func insert(_ records: [LedgerRecord]) async throws(LedgerOutage)
}
