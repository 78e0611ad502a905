/// A named set of apps. A server requires their evidence for the requests to some of its routes.
package struct PolicyRoute: Sendable, Equatable {
    /// How many of the apps must accept a request.
    package enum Requirement: String, Sendable, CaseIterable {
        /// One of them: for clients on several platforms.
        case any
        /// Each of them: for requests that carry several kinds of evidence.
        case all
    }

    /// One kind of evidence of one app.
    package struct Evidence: Sendable, Equatable {
        package let app: String
        package let kind: EvidenceKind

        package init(app: String, kind: EvidenceKind) {
            self.app = app
            self.kind = kind
        }
    }

    /// The name, which no app of the policy has.
    package let name: String
    /// How many of the apps must accept a request.
    package let requirement: Requirement
    /// The evidence, in the order in which it is verified.
    package let evidence: [Evidence]

    package init(name: String, requirement: Requirement, evidence: [Evidence]) {
        (self.name, self.requirement, self.evidence) = (name, requirement, evidence)
    }
}
