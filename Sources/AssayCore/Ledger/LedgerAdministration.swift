public import FoundationEssentials

/// The ledger's operations for operators: standings, accounts, operators, documents, tasks, listing, purging and checking. No
/// verification depends on them.
///
/// Contract, in addition to that of ``Ledger``:
/// - A change is durable when the function returns, and applies to every later commit.
/// - A subject has one standing at a time. A block replaces the previous one; an allowance replaces it unless it is a block in force.
/// - A change by hand concerns a block, an allowance, an account, an operator or the quarantine. Each one appends an entry to
///   the audit trail in the same transaction. Operations that change nothing append none.
/// - A failed operation throws ``LedgerOutage``. If only its answer was lost, the ledger may have applied the change;
///   repeating it is safe.
/// - The audit trail of a durable ledger is a chain of hashes, see ``LedgerAuditEntry``.
///
/// An actor declares the functions that take a `body` as `nonisolated`.
public protocol LedgerAdministration: Ledger, LedgerDocuments, LedgerTasks {
    /// Blocks a subject. Replaces its block or allowance.
    func block(_ block: LedgerBlock) async throws(LedgerOutage)

    /// Annotates failures of some policy checks for a subject. Replaces its allowance, or a block that has ended.
    ///
    /// - Returns: the block that is in force at ``LedgerAllowance/since``: it stays, and nothing changes. Nil if the subject is
    ///   allowed. Comparing and storing are one atomic step.
    @discardableResult
    func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock?

    /// Removes the subject's block or allowance, in force or not, and returns it; nil if there was none.
    ///
    /// - Parameter kind: what to remove; a standing of the other kind stays. Nil for either. Comparing and removing are one atomic step.
    @discardableResult
    func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding?

    /// All blocks and allowances, in force or not, in the order of the UTF-8 bytes of kind and name.
    func standings() async throws(LedgerOutage) -> [LedgerStanding]

    /// The enrolled keys of an account, for all engines and apps, in the order of their enrolment.
    func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey]

    /// Moves an enrolled key to another account, or removes its account. A move to the same account changes nothing.
    ///
    /// - Returns: the key before the move; nil if there is none.
    @discardableResult
    func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey?

    /// Adds an operator. ``LedgerRules/refusal(adding:sameName:isTokenKnown:)`` decides, in the same atomic step.
    ///
    /// - Parameter tokenHash: SHA-256 of the token's 32 random bytes. The ledger keeps it when the operator ends or is
    ///   revoked.
    /// - Returns: why the operator was not added; nil if it was.
    func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal?

    /// Revokes the operator with a name: every later look-up of its token finds none. Also revokes expired operators
    /// with this name.
    ///
    /// - Parameter withDescendants: whether to revoke also the operators that it added, those that they added, and so on; see
    ///   ``LedgerRules/descendants(ofOperator:among:at:)``. They are revoked in the same atomic step, each with its own entry in the
    ///   audit trail, also if the operator itself was revoked before.
    /// - Returns: the operators before the revocation, see ``LedgerRules/revocable(among:)``: the named one first, unless it was
    ///   revoked before; empty if there is none to revoke.
    @discardableResult
    func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator]

    /// All operators, including expired and revoked ones. Sorts by the UTF-8 bytes of the name, then by the time of
    /// addition.
    func operators() async throws(LedgerOutage) -> [LedgerOperator]

    /// The operator with a token hash, if it is live at a time; nil for none. A service calls this for each request. It
    /// takes one indexed read, which sees every revocation that returned before it began.
    ///
    /// The duration of the index's comparison depends on the hash. This reveals nothing useful: an attacker without the
    /// token cannot choose a hash that begins like a stored one.
    func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator?

    /// Appends an entry to the audit trail, and changes nothing else: for acts that concern no entry of the ledger. It is durable when
    /// the function returns.
    func record(_ change: LedgerChange) async throws(LedgerOutage)

    /// Stores a document like ``LedgerDocuments/store(_:named:replacing:at:)``, and appends entries to the audit trail in the same
    /// transaction: for documents that operators change, see ``LedgerRegister``.
    ///
    /// - Parameter changes: what the audit trail says about the document, in order.
    /// - Returns: false if the stored revision is another one; the audit trail has no new entry then.
    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool

    /// Passes the audit trail to `body`, in a consistent snapshot, the first entry first. Rethrows its errors.
    @concurrent func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws

    /// The last entries of the audit trail, the last one first. The default goes through the whole trail; a ledger with an index
    /// reads these entries alone.
    ///
    /// - Parameters:
    ///   - subject: the ``LedgerChange/subject`` of the entries; nil for all.
    ///   - number: entries from this number on are left out; nil for none.
    ///   - limit: the most entries, at least 1.
    func auditEntries(
        of subject: String?, before number: Int?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerAuditEntry]

    /// Passes the audit trail to `body`, and compares what its entries say with what the ledger has: standings, operators, sealed
    /// keys, and the accounts of moved keys. All of it comes from one consistent snapshot. Rethrows the errors of `body`.
    ///
    /// - Returns: one sentence for each difference: another program has written to the storage. Empty for a ledger in
    ///   memory, to which no other program can write.
    @concurrent func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String]

    /// Deletes all challenges and digests that ``LedgerRules/purgeHorizon(at:clock:)`` allows, and returns their
    /// number. Ledgers may also purge with each write.
    @discardableResult
    func purge(at now: Date) async throws(LedgerOutage) -> Int

    /// Passes every entry to `body`, in a consistent snapshot, in the order of ``LedgerEntry``. Rethrows its errors.
    @concurrent func export(_ body: (LedgerEntry) throws -> Void) async throws

    /// Counts the entries of the ledger at a time.
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary

    /// Looks for damage in the storage and in the entries.
    ///
    /// - Parameter keyProblem: the problem with an enrolled key by the rules of its engine, as a predicate such as "has
    ///   no P-256 point"; nil if there is none. `Verifier.problem(withKey:)` provides it.
    /// - Returns: one sentence for each problem, at most a hundred of each sort.
    /// - Throws: ``LedgerOutage`` when the ledger cannot be read. Damage is a result, not an outage.
    func check(_ keyProblem: @escaping @Sendable (EnrolledKey) -> String?) async throws(LedgerOutage) -> [String]

    /// Looks for settings of the storage that put the ledger at risk, such as those of a database server. They damage nothing: each
    /// can be corrected in place.
    ///
    /// - Returns: one sentence for each, with what to do.
    func settingProblems() async throws(LedgerOutage) -> [String]

    /// Shows that the ledger takes writes: the open ledger is the one at its place, its tables can be read, and a write has become
    /// durable within the last two seconds. Makes one if there was none; it changes nothing that decides.
    ///
    /// - Throws: the ``LedgerOutage`` that a commit would throw now. Returns late if a commit would.
    func proveWritable(at now: Date) async throws(LedgerOutage)

    /// Puts the ledger in quarantine after a backup was restored: removes the challenges that are not consumed, and refuses evidence
    /// without a challenge until a time, see ``LedgerRules/requireOutsideQuarantine(_:until:at:)``. Other processes learn it
    /// within a second. An end that is not later than `now` ends the quarantine.
    func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage)

    /// When the last quarantine ends or has ended; nil if there was none.
    func quarantineEnd() async throws(LedgerOutage) -> Date?
}

extension LedgerAdministration {
    /// None: the storage has no settings.
    public func settingProblems() async throws(LedgerOutage) -> [String] { [] }

    /// Appends nothing to the audit trail.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await store(bytes, named: name, replacing: revision, recording: [], at: now)
    }

    /// Removes the subject's block or allowance.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await removeStanding(of: subject, only: nil, by: operatorName, at: now)
    }

    /// Goes through the whole trail.
    public func auditEntries(
        of subject: String?, before number: Int?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerAuditEntry] {
        var found: [LedgerAuditEntry] = []
        do {
            try await audit { entry in
                guard entry.number < number ?? .max, subject.map({ entry.change.subject.isByteEqual(to: $0) }) ?? true
                else { return }
                found.append(entry)
                if found.count >= 2 * limit { found.removeFirst(limit) }
            }
        } catch { throw error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)") }
        return found.suffix(limit).reversed()
    }

    /// Commits nothing, which fails if the ledger cannot be reached.
    public func proveWritable(at now: Date) async throws(LedgerOutage) { _ = try await commit([], at: now) }
}

extension LedgerAdministration {
    /// Revokes the operator with a name, and none of its descendants. Returns it before the revocation; nil if there is none.
    @discardableResult
    public func revokeOperator(
        named name: String, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerOperator? {
        try await revokeOperator(named: name, withDescendants: false, by: operatorName, at: now).first
    }
}

/// One entry of a ledger, as exported.
public enum LedgerEntry: Sendable, Equatable {
    /// An issued challenge, and when it was consumed.
    case challenge(IssuedChallenge, consumedAt: Date?)
    /// An enrolled key with its counter.
    case key(EnrolledKey)
    /// A digest that was used.
    case digest(UsedDigest)
    /// A block.
    case block(LedgerBlock)
    /// An allowance.
    case allowance(LedgerAllowance)
    /// An operator, without the hash of its token.
    case `operator`(LedgerOperator)
    /// A document, with its name.
    case document(LedgerDocument, named: String)
    /// A task.
    case task(LedgerTask)
}

extension EnrolledKey {
    /// The name of the key in sentences of ``LedgerAdministration/check(_:)``.
    package var label: String { "key \(identifier.subject.name) of \(identifier.engine)" }
}

/// How many entries a ledger holds.
public struct LedgerSummary: Sendable, Equatable {
    /// Challenges that can still be consumed.
    public let openChallenges: Int
    /// Challenges that were consumed and have not expired.
    public let consumedChallenges: Int
    /// Enrolled keys.
    public let keys: Int
    /// Digests whose window has not ended.
    public let digests: Int
    /// Blocks in force.
    public let blocks: Int
    /// Allowances in force.
    public let allowances: Int
    /// Operators whose tokens are valid.
    public let operators: Int
    /// Documents.
    public let documents: Int
    /// Tasks.
    public let tasks: Int

    /// Counts a ledger's entries.
    public init(
        openChallenges: Int, consumedChallenges: Int, keys: Int, digests: Int, blocks: Int, allowances: Int,
        operators: Int, documents: Int, tasks: Int
    ) {
        (self.openChallenges, self.consumedChallenges, self.keys) = (openChallenges, consumedChallenges, keys)
        (self.digests, self.blocks, self.allowances) = (digests, blocks, allowances)
        (self.operators, self.documents, self.tasks) = (operators, documents, tasks)
    }
}
