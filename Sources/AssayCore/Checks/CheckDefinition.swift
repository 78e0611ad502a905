/// What a check is for: the entry of the catalogue that `assay explain` prints.
public struct CheckDefinition: Sendable, Identifiable {
    /// Who decides the check, and whether a policy may relax it.
    public enum Kind: Sendable, Equatable {
        /// Authenticity: always enforced, not configurable. What depends on a failed gate is skipped.
        case gate
        /// Runs past the gates, in the mode that the policy sets.
        case policy(default: CheckMode)
        /// Runs past the gates as a policy check does, but is only ever noted: its failure means too little to reject for.
        case signal
        /// Decided by the ledger when the effects of an acceptance are committed.
        case ledger
    }

    /// The stable name.
    public let id: CheckID
    /// Who decides it.
    public let kind: Kind
    /// What holds when the check has passed.
    public let proves: String
    /// The attack that the check stops.
    public let stops: String
    /// What to look at when it fails.
    public let lookAt: String
    /// The document that demands it.
    public let source: String

    /// Describes a check.
    public init(_ id: CheckID, _ kind: Kind, proves: String, stops: String, lookAt: String, source: String) {
        self.id = id
        self.kind = kind
        self.proves = proves
        self.stops = stops
        self.lookAt = lookAt
        self.source = source
    }
}

/// How the result of a policy check counts.
public enum CheckMode: String, Sendable, CaseIterable {
    /// A failure rejects.
    case enforce
    /// A failure is noted in the verdict and does not reject.
    case annotate
    /// The check does not run.
    case off
}
