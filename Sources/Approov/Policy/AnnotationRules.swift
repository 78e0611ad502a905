/// A policy's rules for the device properties in a token's `anno`.
package struct AnnotationRules: Sendable, Equatable {
    /// The treatment of an annotation.
    package enum Rule: String, Sendable, CaseIterable {
        /// Reject the token.
        case reject
        /// Note it in the verdict.
        case note
        /// Ignore it.
        case ignore
    }

    /// The annotations to reject.
    package let reject: [String]
    /// The annotations to note in the verdict.
    package let note: [String]
    /// The annotations to ignore.
    package let ignore: [String]
    /// The rule for all others, such as annotations that Approov adds later.
    package let others: Rule

    /// Creates the rules. A configuration rejects an annotation in several lists.
    package init(reject: [String] = [], note: [String] = [], ignore: [String] = [], others: Rule = .note) {
        self.reject = reject
        self.note = note
        self.ignore = ignore
        self.others = others
    }
}
