public import FoundationEssentials

/// One change that an acceptance needs, and the check that it decides.
public struct LedgerEffect: Sendable, Equatable {
    /// The change.
    public enum Action: Sendable, Equatable {
        /// Consume a challenge: it must have been issued for this app and purpose, and be neither consumed nor expired.
        case consumeChallenge(value: [UInt8], app: String, purpose: ChallengePurpose)
        /// Enrol a key: its identifier must be new in all apps, and must not be blocked.
        case enrol(EnrolledKey)
        /// Enrol a key, or take over its properties if the same key is enrolled for the same app. Its counter, the time of its
        /// enrolment and the properties named in `keeping` stay as they are; another value of such a property is refused.
        case enrolOrRefresh(EnrolledKey, keeping: [String])
        /// Advance a key's counter.
        case advanceCounter(CounterAdvance)
        /// Remember a digest that must not be used again.
        case rememberDigest(UsedDigest)
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

/// A step of a key's counter, decided in one atomic compare-and-advance.
public struct CounterAdvance: Sendable, Equatable {
    /// Which steps are allowed.
    public enum Rule: Sendable, Hashable {
        /// Strictly greater than the stored counter.
        case increasing
        /// Exactly one more than the stored counter.
        case successor
        /// Greater than the stored counter, or at most so many behind it and skipped before under such a rule: each counter
        /// is accepted once, in any order. From 1 to ``CounterState/maximumWindow``.
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

    /// Describes a step.
    package init(key: KeyIdentifier, app: String, counter: UInt32, rule: Rule, supplied: EnrolledKey? = nil) {
        self.key = key
        self.app = app
        self.counter = counter
        self.rule = rule
        self.supplied = supplied
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

/// The decisions of a ledger.
public struct CommitOutcome: Sendable {
    /// One entry for each effect, in order: nil if the ledger can apply the effect.
    public let decisions: [LedgerRefusal?]
    /// When the key was enrolled that the commit has refreshed; nil if it has refreshed none.
    public let refreshedKeyEnrolledAt: Date?

    /// Reports the decisions. If one of them is a refusal, the ledger has applied nothing.
    public init(decisions: [LedgerRefusal?], refreshedKeyEnrolledAt: Date? = nil) {
        self.decisions = decisions
        self.refreshedKeyEnrolledAt = refreshedKeyEnrolledAt
    }

    /// Whether the ledger has applied the effects.
    public var isApplied: Bool {
        // `$0 == nil` would compare refusals, which is slower.
        decisions.allSatisfy { if case .none = $0 { true } else { false } }
    }
}

/// Why a ledger refused an effect.
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
    /// The counter is not greater than the stored one: a replay, or a copied key.
    case counterNotIncreasing(presented: UInt32, stored: UInt32)
    /// The counter is not the stored one plus one.
    case counterNotSuccessor(presented: UInt32, stored: UInt32)
    /// The counter is further behind the stored one than the window reaches.
    case counterBehindWindow(presented: UInt32, stored: UInt32, window: Int)
    /// The counter is inside the window, and was accepted before or cannot be told from such a one.
    case counterUsed(presented: UInt32, stored: UInt32)
    /// The key is enrolled with another value of a property that enrolling it again must not change.
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
