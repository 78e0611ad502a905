import AssayPrimitives
public import FoundationEssentials

/// One change that an acceptance needs, and the check that it decides.
public struct LedgerEffect: Sendable, Equatable {
    /// The change.
    public enum Action: Sendable, Equatable {
        /// Consume a challenge: it must have been issued for this app and purpose, and be neither consumed nor expired.
        case consumeChallenge(value: [UInt8], app: String, purpose: ChallengePurpose)
        /// Enrol a key: it must not be blocked, and must be new in all apps unless the rules allow to refresh it.
        case enrol(EnrolledKey, EnrolmentRules = EnrolmentRules())
        /// Advance a key's counter.
        case advanceCounter(CounterAdvance)
        /// Remember a digest that must not be used again.
        case rememberDigest(UsedDigest)
        /// Use an enrolled key without changing it: the evidence was judged under the key as it was looked up, and the key must
        /// not have been blocked, retired or moved since.
        case useKey(KeyUse)
        /// Change nothing: a subject that was not blocked when it was looked up must not have been blocked since.
        case confirmUnblocked(LedgerSubject)
    }

    /// The check that the ledger decides.
    public let check: CheckID
    /// The change.
    public let action: Action

    /// Pairs a check with the change that decides it.
    package init(_ check: CheckID, _ action: Action) {
        self.check = check
        self.action = action
    }
}

extension LedgerEffect {
    /// Consumes a challenge that evidence carries, as bytes or as text; see ``LedgerChallenge``.
    package static func consumeChallenge(
        _ bytes: [UInt8], _ check: CheckID, _ kind: EvidenceKind, app: String
    ) -> LedgerEffect {
        LedgerEffect(
            check,
            .consumeChallenge(value: LedgerChallenge.value(of: bytes), app: app, purpose: ChallengePurpose(kind)))
    }

    /// The row of a ledger that decides about an effect. The block on a key decides together with the key.
    @usableFromInline
    package enum Row: Hashable, Sendable {
        case challenge([UInt8])
        case key(KeyIdentifier)
        case digest([UInt8])
        case standing(LedgerSubject)
    }
}

extension LedgerEffect.Action {
    /// The row that decides.
    @inlinable package var row: LedgerEffect.Row {
        switch self {
        case .consumeChallenge(let value, _, _): .challenge(value)
        case .enrol(let key, _): .key(key.identifier)
        case .advanceCounter(let advance): .key(advance.key)
        case .rememberDigest(let use): .digest(use.digest)
        case .useKey(let use): .key(use.key)
        case .confirmUnblocked(let subject): .standing(subject)
        }
    }

    /// Whether the action changes its row, which uses up what the evidence presents.
    @inlinable package var isChange: Bool {
        switch self {
        case .consumeChallenge, .enrol, .advanceCounter, .rememberDigest: true
        case .useKey, .confirmUnblocked: false
        }
    }
}

/// The requirements for enrolling a key.
public struct EnrolmentRules: Sendable, Equatable {
    /// Nil: a further enrolment of a key is refused. Otherwise an enrolment of the same key for the same app updates
    /// its properties. The counter, the time of enrolment, the account and the named properties never change: an
    /// enrolment with another value for one of these is refused.
    public let refreshKeeping: [String]?
    /// How many keys of an account the app may have; nil for any number.
    public let limit: AccountKeyLimit?

    /// States the rules.
    public init(refreshKeeping: [String]? = nil, limit: AccountKeyLimit? = nil) {
        self.refreshKeeping = refreshKeeping
        self.limit = limit
    }
}

/// How many enrolled keys of an app one account may have. Retired keys and keys without an account do not count.
public struct AccountKeyLimit: Sendable, Equatable {
    /// The treatment of a key beyond the limit.
    public enum Excess: String, Sendable, CaseIterable {
        /// It is enrolled, and the verdict notes it.
        case note
        /// It is refused.
        case refuse
        /// It is enrolled, and the oldest keys of the account are retired.
        case retireOldest = "retire-oldest"
    }

    /// The maximum number, at least 1.
    public let maximum: Int
    /// The treatment of a key beyond it.
    public let excess: Excess

    /// States a limit.
    public init(maximum: Int, excess: Excess) {
        self.maximum = max(1, maximum)
        self.excess = excess
    }
}

/// A step of a key's counter, decided in one atomic compare-and-advance.
public struct CounterAdvance: Sendable, Equatable {
    /// Which steps are allowed.
    public enum Rule: Sendable, Hashable {
        /// Strictly greater than the stored counter.
        case increasing
        /// Exactly one more than the stored counter.
        case successor
        /// Greater than the stored counter. Or at most this much smaller, if this rule has skipped it before. Each
        /// counter is accepted once, in any order. From 1 to ``CounterState/maximumWindow``.
        case window(Int)
    }

    /// The key.
    public let key: KeyIdentifier
    /// The app of the policy; the key must have been enrolled for it.
    public let app: String
    /// The counter that the evidence carries.
    public let counter: UInt32
    /// Which steps are allowed.
    public let rule: Rule
    /// A key that came with the evidence. An ephemeral ledger that does not know the key enrols this one first; a
    /// durable ledger ignores it.
    public let supplied: EnrolledKey?

    package init(key: KeyIdentifier, app: String, counter: UInt32, rule: Rule, supplied: EnrolledKey? = nil) {
        (self.key, self.app, self.counter) = (key, app, counter)
        (self.rule, self.supplied) = (rule, supplied)
    }

    /// Why the rule does not allow the step from a state; nil if it does.
    func refusal(from stored: CounterState) -> LedgerRefusal? {
        let greatest = stored.greatest
        switch rule {
        case .increasing:
            return counter > greatest ? nil : .counterNotIncreasing(presented: counter, stored: greatest)
        case .successor:
            let isNext = greatest < UInt32.max && counter == greatest + 1
            return isNext ? nil : .counterNotSuccessor(presented: counter, stored: greatest)
        case .window(let window):
            if counter > greatest { return nil }
            guard greatest - counter <= UInt32(clamping: window) else {
                return .counterBehindWindow(presented: counter, stored: greatest, window: window)
            }
            return stored.isSkipped(counter) ? nil : .counterUsed(presented: counter, stored: greatest)
        }
    }
}

/// A use of an enrolled key that changes nothing of it.
public struct KeyUse: Sendable, Equatable {
    /// The key.
    public let key: KeyIdentifier
    /// The app of the policy; the key must be enrolled for it.
    public let app: String
    /// The account that the key must belong to; nil for any or none.
    public let account: String?

    package init(key: KeyIdentifier, app: String, account: String? = nil) {
        (self.key, self.app, self.account) = (key, app, account)
    }
}

/// The decisions of a ledger.
public struct CommitOutcome: Sendable {
    /// One entry for each effect, in order: nil if the ledger can apply the effect.
    public let decisions: [LedgerRefusal?]
    /// A note for the verdict on the key that the commit has enrolled; nil for none.
    public let enrolment: EnrolmentNote?

    /// Reports the decisions. If one of them is a refusal, the ledger has applied nothing.
    public init(decisions: [LedgerRefusal?], enrolment: EnrolmentNote? = nil) {
        self.decisions = decisions
        self.enrolment = enrolment
    }

    /// Reports that a number of effects is applied.
    @inlinable
    package init(applied count: Int, enrolment: EnrolmentNote? = nil) {
        self.init(decisions: Array(repeating: nil, count: count), enrolment: enrolment)
    }

    /// Whether the ledger has applied the effects.
    public var isApplied: Bool {
        // `$0 == nil` would compare refusals, which is slower.
        decisions.allSatisfy { if case .none = $0 { true } else { false } }
    }
}

/// A note on a key that a ledger has enrolled.
@nonexhaustive
public enum EnrolmentNote: CheckFinding, Equatable {
    /// It was enrolled before, at this time. The ledger has updated its properties.
    case refreshed(Date)
    /// Its account now has this number of keys, more than the limit allows.
    case exceeds(keys: Int, maximum: Int)
    /// The ledger has retired this number of keys of its account to keep the limit.
    case retired(keys: Int, maximum: Int)

    /// The stable code.
    public var code: String {
        switch self {
        case .refreshed: CheckCode.keyRefreshed.name
        case .exceeds: CheckCode.devicesExceeded.name
        case .retired: CheckCode.oldestKeysRetired.name
        }
    }

    /// One sentence.
    public var detail: String {
        switch self {
        case .refreshed(let time): "the key was enrolled at \(RFC3339.format(time)); its facts are updated"
        case .exceeds(let keys, let maximum): "the account has \(keys) keys, and the policy allows \(maximum)"
        case .retired(let keys, let maximum):
            "the policy allows the account \(maximum) keys; \(keys) that were enrolled first are retired"
        }
    }

    /// Whether the check is annotated, not passed.
    package var isAnnotation: Bool {
        if case .exceeds = self { true } else { false }
    }
}

/// Why a ledger refused an effect.
@nonexhaustive
public enum LedgerRefusal: CheckFinding, Equatable {
    /// No such challenge was issued, or it expired and was purged.
    case challengeUnknown
    /// The challenge was issued for another app or purpose.
    case challengeMismatch(app: String, purpose: ChallengePurpose)
    /// The challenge expired before it was presented.
    case challengeExpired(Date)
    /// The challenge has been used.
    case challengeConsumed(Date)
    /// The key is already enrolled.
    case keyEnrolled(Date)
    /// No such key is enrolled.
    case keyUnknown
    /// The key is enrolled for another app of the policy.
    case keyOfAnotherApp(String)
    /// The key was retired, because its account had too many keys.
    case keyRetired(Date)
    /// The account has as many keys as the policy allows.
    case devicesExceeded(keys: Int, maximum: Int)
    /// The key belongs to another account.
    case keyOfAnotherAccount
    /// The counter is not greater than the stored one: a replay, or a copied key.
    case counterNotIncreasing(presented: UInt32, stored: UInt32)
    /// The counter is not the stored one plus one.
    case counterNotSuccessor(presented: UInt32, stored: UInt32)
    /// The counter is further behind the stored one than the window reaches.
    case counterBehindWindow(presented: UInt32, stored: UInt32, window: Int)
    /// The counter is inside the window, and was accepted before, or the ledger cannot exclude that it was.
    case counterUsed(presented: UInt32, stored: UInt32)
    /// The key is enrolled with another value of a property that a further enrolment must not change.
    case keyPropertyDiffers(String)
    /// The digest has been used.
    case digestUsed(Date)
    /// The subject is blocked.
    case blocked(LedgerBlock)

    /// The stable code.
    public var code: String { declaredCode.name }

    private var declaredCode: CheckCode {
        switch self {
        case .challengeUnknown: .challengeUnknown
        case .challengeMismatch: .challengeMismatch
        case .challengeExpired: .challengeExpired
        case .challengeConsumed: .challengeConsumed
        case .keyEnrolled: .keyEnrolled
        case .keyUnknown: .keyUnknown
        case .keyOfAnotherApp: .keyOfAnotherApp
        case .keyRetired: .keyRetired
        case .devicesExceeded: .devicesExceeded
        case .keyOfAnotherAccount: .keyOfAnotherAccount
        case .counterNotIncreasing: .counterNotIncreasing
        case .counterNotSuccessor: .counterNotSuccessor
        case .counterBehindWindow: .counterBehindWindow
        case .counterUsed: .counterUsed
        case .keyPropertyDiffers: .keyPropertyDiffers
        case .digestUsed: .digestUsed
        case .blocked: .blocked
        }
    }

    /// One sentence.
    public var detail: String {
        switch self {
        case .challengeUnknown: "the ledger has issued no such challenge, or it expired and is forgotten"
        case .challengeMismatch(let app, let purpose):
            "the challenge was issued for app \(app) and purpose \(purpose.name)"
        case .challengeExpired(let time): "the challenge expired at \(RFC3339.format(time))"
        case .challengeConsumed(let time): "the challenge was consumed at \(RFC3339.format(time))"
        case .keyEnrolled(let time): "the key was enrolled at \(RFC3339.format(time)); a key is enrolled once"
        case .keyUnknown: "the ledger has no such key"
        case .keyOfAnotherApp(let app): "the key is enrolled for app \(app)"
        case .keyRetired(let time):
            "the key was retired at \(RFC3339.format(time)), when its account enrolled a newer one beyond the policy's limit"
        case .devicesExceeded(let keys, let maximum):
            "the account has \(keys) keys in use, and the policy allows \(maximum)"
        case .keyOfAnotherAccount: "the key is enrolled for another account; assay ledger move gives it to this one"
        case .counterNotIncreasing(let presented, let stored):
            "counter \(presented) is not greater than the stored \(stored): a replay, or a copied key"
        case .counterNotSuccessor(let presented, let stored):
            "counter \(presented) is not the successor of the stored \(stored)"
        case .counterBehindWindow(let presented, let stored, let window):
            "counter \(presented) is more than \(window) behind the greatest, \(stored)"
        case .counterUsed(let presented, let stored):
            "counter \(presented) was accepted before, or was not awaited when \(stored) became the greatest: a replay, or a copied key"
        case .keyPropertyDiffers(let name):
            "the key is enrolled with another \(name), which a further attestation must not change"
        case .digestUsed(let time): "it was used at \(RFC3339.format(time)) and may be used once"
        case .blocked(let block): block.sentence
        }
    }
}
