package import Assay
public import AssayCapture
public import AssayCore
public import FoundationEssentials

/// The time at which records are judged.
public enum JudgementTime: Sendable, Equatable {
    /// When each was received. A record that does not say is not judged.
    case asCaptured
    /// This time, for all of them.
    case fixed(Date)
}

/// Which policies records are held against.
public struct ReplayPolicies: Sendable {
    /// What the file of a policy is called that is meant for the records beside it and below.
    public static let fileName = "policy.yaml"

    /// The policy of records that have none of their own.
    public let given: Policy?
    /// Whether the `policy.yaml` nearest to a file is its policy: in its folder, or in one above it up to the folder that
    /// was named as corpus.
    public let isNearestFirst: Bool
    /// The policy that verdicts are compared with.
    public let against: Policy?

    /// Says which policies count.
    ///
    /// - Parameters:
    ///   - given: the policy of records that have none of their own; nil for none.
    ///   - isNearestFirst: whether files may have a policy of their own; always so without a given one.
    ///   - against: the policy that verdicts are compared with; nil for no comparison.
    public init(_ given: Policy?, isNearestFirst: Bool = false, against: Policy? = nil) {
        self.given = given
        self.isNearestFirst = isNearestFirst || given == nil
        self.against = against
    }
}

/// How a corpus is replayed.
public struct ReplayOptions: Sendable {
    /// The time of judgement.
    public var time = JudgementTime.asCaptured
    /// Which challenges count as issued.
    public var challenges = ReplayLedger.Challenges.presumed
    /// A ledger whose keys and blocks count. Nothing is written to it.
    public var baseLedger: (any Ledger)?
    /// Whether each file has a ledger of its own, as the files of test vectors do.
    public var isLedgerPerFile = false
    /// Where keys come from besides the policies.
    public var keyStores: [any KeyStore] = []
    /// What opens sealed records.
    public var captureKey: CapturePrivateKey?
    /// How many records are assessed at a time, at least 1.
    public var jobs = 1
    /// Whether the first record with a ``ReplayedRecord/failure`` is the last one.
    public var stopsAtFailure = false
    /// Whether ``ReplayedRecord/duration`` is measured.
    public var isMeasured = false

    /// The engines that judge.
    package var engines = EngineRegistry.standard

    /// As captured, with an isolated ledger, one record at a time.
    public init() {}
}

/// What there is to know of a replay besides its records.
public struct ReplayStatistics: Sendable {
    /// What the ledger presumed.
    public internal(set) var presumptions = ReplayPresumptions()
    /// What the ledger of the policy that is compared with presumed; nil without one.
    public internal(set) var presumptionsAgainst: ReplayPresumptions?
    /// How many signatures were verified, counted only under comparison.
    package var verifiedSignatures = 0
    /// How many answers on signatures the second policy took over from the first.
    package var recalledSignatures = 0
}

/// Why a replay ended before the corpus did.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
    /// The corpus cannot be read.
    case corpus(CorpusError)
    /// The base ledger or a key store cannot be reached.
    case outage(any Outage)
    /// The task was cancelled.
    case cancelled

    /// The sentence of the error inside.
    public var description: String {
        switch self {
        case .corpus(let error): error.description
        case .outage(let error): error.description
        case .cancelled: "the replay was cancelled"
        }
    }
}
