/// A check's entry in the catalogue, which `assay explain` prints.
package struct CheckDefinition: Sendable, Identifiable {
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
    package let id: CheckID
    /// Who decides it.
    package let kind: Kind
    /// What holds when the check has passed.
    package let proves: String
    /// The attack that the check stops.
    package let stops: String
    /// What to examine when the check fails.
    package let lookAt: String
    /// The document that requires the check.
    package let source: String
    /// What a client can do after a failure if its code has no remedy.
    private let remedy: Remedy
    /// Every code that a result of the check can carry.
    package let codes: [CheckCode]

    /// Describes a check.
    package init(
        _ id: CheckID, _ kind: Kind, proves: String, stops: String, lookAt: String, source: String, remedy: Remedy,
        codes: [CheckCode]
    ) {
        self.id = id
        self.kind = kind
        self.proves = proves
        self.stops = stops
        self.lookAt = lookAt
        self.source = source
        self.remedy = remedy
        self.codes = codes
    }

    /// What a client can do after a failure with a code.
    package func remedy(for code: String?) -> Remedy {
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
