public import FoundationEssentials

/// The ledger's operations besides verification: standings, operators of a service, documents, listing, purging and checking. No
/// verification depends on it.
///
/// Contract, in addition to that of ``Ledger``:
/// - A change is durable when the function returns, and applies to every later commit.
/// - A subject has one standing at a time: a block or an allowance replaces the previous one.
/// - Each change by hand, of blocks, allowances, accounts and operators, appends an entry to the audit trail in the same transaction.
///   Operations that change nothing append none.
/// - A failed operation throws ``LedgerOutage``. The change may still have been applied if its answer was lost;
///   repeating it is safe.
public protocol LedgerAdministration: Ledger, LedgerDocuments {
    /// Blocks a subject. Replaces its block or allowance.
    func block(_ block: LedgerBlock) async throws(LedgerOutage)

    /// Allows a subject what policy would refuse. Replaces its block or allowance.
    func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage)

    /// Removes the subject's block or allowance, in force or not, and returns it; nil if there was none.
    @discardableResult
    func removeStanding(
        of subject: LedgerSubject, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding?

    /// All blocks and allowances, in force or not, in the order of the UTF-8 bytes of kind and name.
    func standings() async throws(LedgerOutage) -> [LedgerStanding]

    /// The enrolled keys of an account, for all engines and apps, in the order of their enrolment.
    func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey]

    /// Moves an enrolled key to another account, or takes its account away. Returns the key as it was; nil if there is none.
    /// A move to the account that it has changes nothing.
    @discardableResult
    func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey?

    /// Adds an operator. ``LedgerRules/refusal(adding:sameName:isTokenKnown:)`` decides, in the same atomic step.
    ///
    /// - Parameter tokenHash: SHA-256 of the token's 32 random bytes. It stays stored when the operator ends or is revoked.
    /// - Returns: why the operator was not added; nil if it was.
    func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal?

    /// Revokes the operator of a name: every later look-up of its token finds none. Operators of this name that have ended are
    /// revoked as well.
    ///
    /// - Returns: the operator as it was, see ``LedgerRules/revocable(among:)``; nil if there is none to revoke.
    @discardableResult
    func revokeOperator(
        named name: String, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerOperator?

    /// All operators, also those that have ended or are revoked, in the order of the UTF-8 bytes of their names, those of one
    /// name in the order in which they were added.
    func operators() async throws(LedgerOutage) -> [LedgerOperator]

    /// The operator whose token has a hash and counts at a time; nil for none. A service asks this for each request: it takes
    /// one indexed read, and knows every revocation that has returned before it began.
    ///
    /// The time of an index's comparison depends on the hash. It reveals nothing of use: an attacker without the token
    /// cannot choose a hash that begins like a stored one.
    func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator?

    /// Passes the audit trail to `body`, in a consistent snapshot, the first entry first. Rethrows its errors.
    func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws

    /// Deletes all challenges and digests that ``LedgerRules/purgeHorizon(at:clock:)`` allows, and returns their
    /// number. Ledgers may also purge with each write.
    @discardableResult
    func purge(at now: Date) async throws(LedgerOutage) -> Int

    /// Passes every entry to `body`, in a consistent snapshot, in the order of ``LedgerEntry``. Rethrows its errors.
    func export(_ body: (LedgerEntry) throws -> Void) async throws

    /// Counts the entries of the ledger at a time.
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary

    /// Looks for damage in the storage and in the entries.
    ///
    /// - Parameter keyProblem: the problem with an enrolled key by the rules of its engine, as a predicate such as "has
    ///   no P-256 point"; nil if there is none. `Verifier.problem(withKey:)` provides it.
    /// - Returns: one sentence for each problem, at most a hundred of each sort.
    /// - Throws: ``LedgerOutage`` when the ledger cannot be read. Damage is a result, not an outage.
    func check(_ keyProblem: @escaping @Sendable (EnrolledKey) -> String?) async throws(LedgerOutage) -> [String]
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
    /// Operators whose tokens count.
    public let operators: Int
    /// Documents.
    public let documents: Int

    /// Counts a ledger's entries.
    public init(
        openChallenges: Int, consumedChallenges: Int, keys: Int, digests: Int, blocks: Int, allowances: Int,
        operators: Int, documents: Int
    ) {
        self.openChallenges = openChallenges
        self.consumedChallenges = consumedChallenges
        self.keys = keys
        self.digests = digests
        self.blocks = blocks
        self.allowances = allowances
        self.operators = operators
        self.documents = documents
    }
}
