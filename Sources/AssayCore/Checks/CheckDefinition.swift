/// A check's entry in the catalogue, which `assay explain` prints.
public struct CheckDefinition: Sendable, Identifiable {
    /// Who decides the check, and whether a policy may relax it.
    package enum Kind: Sendable, Equatable {
        /// Always enforced. If it establishes authenticity (``CheckRun/authenticity(_:_:)``), its failure skips all later checks.
        case gate
        /// Runs after the gates, in the mode that the policy sets.
        case policy(default: CheckMode)
        /// Runs after the gates. A failure is annotated and never rejects, whatever the policy says.
        case signal
        /// Decided by the ledger when the effects of an acceptance are committed.
        case ledger
    }

    /// The stable name.
    public let id: CheckID
    /// Who decides it.
    package let kind: Kind
    /// Whether a policy may switch the check off. False for a note that verdicts always have.
    package let mayBeOff: Bool
    /// What holds when the check has passed.
    public let proves: String
    /// The attack that the check stops.
    public let stops: String
    /// What to examine when the check fails.
    public let lookAt: String
    /// The document that requires the check.
    public let source: String
    /// What a client can do after a failure if its code has no remedy.
    private let remedy: Remedy
    /// Every code that a result of the check can carry.
    public let codes: [CheckCode]

    package init(
        _ id: CheckID, _ kind: Kind, mayBeOff: Bool = true, proves: String, stops: String, lookAt: String,
        source: String, remedy: Remedy, codes: [CheckCode]
    ) {
        (self.id, self.kind, self.mayBeOff) = (id, kind, mayBeOff)
        (self.proves, self.stops, self.lookAt) = (proves, stops, lookAt)
        (self.source, self.remedy, self.codes) = (source, remedy, codes)
    }

    /// The mode of the check unless the policy sets another; nil if it is always enforced, as gates and ledger checks are.
    public var defaultMode: CheckMode? {
        switch kind {
        case .gate, .ledger: nil
        case .policy(let mode): mode
        case .signal: .annotate
        }
    }

    /// What a client can do after a failure with a code of ``codes``, or with none.
    public func remedy(for code: String?) -> Remedy {
        codes.first { $0.name == code }?.remedy ?? remedy
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
