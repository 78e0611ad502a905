public import Assay
public import AssayCore
public import FoundationEssentials

/// The time at which records are judged.
public enum JudgementTime: Sendable {
    /// The time at which each record was received. A record without `receivedAt` is not judged.
    case asCaptured
    /// One fixed time for all records.
    case fixed(Date)
}

/// Which challenges count as issued.
public enum ReplayChallenges: Sendable {
    /// Every challenge at its first use. Each later use fails.
    case presumed
    /// None: evidence is rejected if its policy requires challenges from the ledger.
    case none
}

/// The policies of a replay.
public struct ReplayPolicies: Sendable {
    /// The file name of a policy for the records in its folder and subfolders.
    package static let fileName = "policy.yaml"

    let given: VerificationPolicy?
    let isNearestFirst: Bool
    let against: VerificationPolicy?

    /// Chooses policies.
    ///
    /// - Parameters:
    ///   - given: the policy for records without a nearest one; nil for none.
    ///   - isNearestFirst: whether the nearest `policy.yaml` overrides `given`. It is searched in the file's folder and
    ///     in those above it, up to the folder given as corpus. Always true without a given policy.
    ///   - against: a second policy for comparison; nil for none.
    public init(_ given: VerificationPolicy?, isNearestFirst: Bool = false, against: VerificationPolicy? = nil) {
        self.given = given
        self.isNearestFirst = isNearestFirst || given == nil
        self.against = against
    }
}

/// Options for a replay.
public struct ReplayOptions: Sendable {
    /// The time of judgement.
    public var time = JudgementTime.asCaptured
    /// Which challenges count as issued.
    public var challenges = ReplayChallenges.presumed
    /// A ledger whose keys, blocks and allowances apply. The replay only reads it.
    public var baseLedger: (any Ledger)?
    /// Whether each file has its own ledger, as test vectors need.
    public var isLedgerPerFile = false
    /// Whether the second policy keeps the keys that were enrolled before: those that the first policy enrols, and those of
    /// ``baseLedger``. If not, every device must enrol anew under the second policy.
    public var keepsEnrolledKeys = true
    /// Key stores in addition to the policies' keys.
    public var keyStores: [any KeyStore] = []
    /// The services of all verifiers, such as an archive of status lists.
    public var services: [any EngineService] = []
    /// The services of the verifier with the policy to compare with; nil for ``services``.
    public var againstServices: [any EngineService]?
    /// These options for the policy to compare with.
    var ofAgainst: ReplayOptions {
        var options = self
        options.services = againstServices ?? services
        return options
    }
    /// The private key for sealed records.
    public var captureKey: CapturePrivateKey?
    /// How many batches to assess in parallel, at least 1.
    public var jobs = 1
    /// Whether to stop at the first record without a verdict.
    public var stopsAtFailure = false
    /// Whether to end early, such as after a cancellation. It is called repeatedly.
    package var isInterrupted: @Sendable () -> Bool = { false }
    /// Whether to measure ``ReplayedRecord/duration``.
    package var isMeasured = false

    package var engines = EngineRegistry.standard

    /// As captured, with an isolated ledger and one job.
    public init() {}
}

/// The counts of a replay besides its records.
package struct ReplayStatistics: Sendable {
    package let presumptions: ReplayPresumptions
    /// What the ledger of the second policy presumed; nil without one.
    package let presumptionsAgainst: ReplayPresumptions?
    /// The number of signatures verified, counted only in a comparison.
    package let verifiedSignatures: Int
    /// The number of signatures that the second policy did not need to verify again.
    package let recalledSignatures: Int
    /// Why the replay ended before the corpus did; nil if it did not.
    package let failure: ReplayError?
}

/// Assumptions of a replay, which lacks the ledger of the time of capture, and what it noticed about the order.
package struct ReplayPresumptions: Sendable, Equatable {
    /// Challenges accepted at their first use.
    package internal(set) var challenges = 0
    /// Keys of the base ledger whose counter started at that of their first accepted assertion.
    package internal(set) var counters = 0
    /// Attestations of keys of the base ledger, accepted as the ones that enrolled them.
    package internal(set) var enrolments = 0
    /// Keys taken from records, without an attestation in the corpus.
    package internal(set) var suppliedKeys = 0
    /// Rejected records of a key that stand before the key's attestation.
    package internal(set) var beforeEnrolment = 0
    /// Keys kept under the second policy, which refused an attestation with which the first policy enrolled them.
    package internal(set) var keptKeys = 0

    package init() {}
}

/// Why a replay stopped early.
@nonexhaustive
public enum ReplayError: Error, Sendable, CustomStringConvertible {
    /// The base ledger or a key store cannot be reached.
    case outage(any Outage)
    case cancelled

    /// The message.
    public var description: String {
        switch self {
        case .outage(let error): error.description
        case .cancelled: "the replay was cancelled"
        }
    }
}
