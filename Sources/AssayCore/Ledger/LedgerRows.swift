public import FoundationEssentials

/// The rows of a ledger, as its storage finds and changes them. ``LedgerRules/commit(_:on:at:)`` decides over them.
///
/// A look-up shows what earlier changes left. The caller makes the look-ups and changes of a commit one atomic step.
@usableFromInline
package protocol LedgerRows {
    /// What a look-up or a change throws. The caller then undoes the changes of the commit.
    associatedtype Failure: Error
    /// A key that an enrolment beyond the limit of its account can retire.
    associatedtype OtherKey = EnrolledKey

    /// A challenge, and when it was consumed.
    typealias ChallengeRow = (challenge: IssuedChallenge, consumedAt: Date?)
    /// The part of a key that decides about a step of its counter.
    typealias CounterRow = (app: String, counters: CounterState, retiredAt: Date?)
    /// The part of a key that decides about its use.
    typealias OwnerRow = (app: String, account: String?, retiredAt: Date?)

    /// Selects the effect of the next calls by its index in the commit. Rows that are looked up by name ignore it.
    mutating func select(effect index: Int)

    /// The challenge with a value. App and purpose are those of the evidence; a stored challenge may have others.
    func challenge(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose) throws(Failure) -> ChallengeRow?
    func key(_ identifier: KeyIdentifier) throws(Failure) -> EnrolledKey?
    /// The key to advance. An ephemeral ledger takes a supplied key for an enrolled one.
    func counterRow(_ advance: CounterAdvance) throws(Failure) -> CounterRow?
    /// The key to use.
    func ownerRow(_ identifier: KeyIdentifier) throws(Failure) -> OwnerRow?
    /// The other keys in use of an account, of the engine and the app of a key, the oldest first.
    func others(of key: EnrolledKey, in account: String) throws(Failure) -> [OtherKey]
    /// When a digest was used; nil if it is not stored.
    func timeOfUse(_ digest: [UInt8]) throws(Failure) -> Date?
    /// Calls ``LedgerRules/requireRemembered(_:forgotten:)`` for a digest that is not stored.
    func requireRemembered(_ use: UsedDigest) throws(Failure)
    /// The block on a key, in force or not.
    func block(on key: KeyIdentifier) throws(Failure) -> LedgerBlock?
    /// The block on a subject, in force or not.
    func block(on subject: LedgerSubject) throws(Failure) -> LedgerBlock?

    /// Marks a challenge as consumed.
    mutating func consume(_ value: [UInt8], for app: String, _ purpose: ChallengePurpose, at now: Date) throws(Failure)
    /// Stores a new key, or the properties and the account of one that is stored.
    mutating func store(_ key: EnrolledKey, isNew: Bool) throws(Failure)
    /// Retires a key of ``others(of:in:)``.
    mutating func retire(_ other: OtherKey, at now: Date) throws(Failure)
    /// Stores ``LedgerRules/counters(after:from:)``, which need the stored counters only if the rule is a window.
    mutating func apply(_ advance: CounterAdvance) throws(Failure)
    /// Stores a digest that is not stored.
    mutating func insert(_ use: UsedDigest) throws(Failure)
}

extension LedgerRows {
    /// Does nothing.
    @inlinable package mutating func select(effect index: Int) {}
}
