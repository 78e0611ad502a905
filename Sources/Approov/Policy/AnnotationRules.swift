/// What a policy makes of the properties of a device that a token tells in `anno`.
package struct AnnotationRules: Sendable, Equatable {
    /// What is made of one property.
    package enum Rule: String, Sendable, CaseIterable {
        /// The token is rejected.
        case reject
        /// The verdict notes it.
        case note
        /// Nothing.
        case ignore
    }

    /// The annotations that are rejected.
    package let reject: [String]
    /// The annotations that the verdict notes.
    package let note: [String]
    /// The annotations that nothing is made of.
    package let ignore: [String]
    /// What is made of all others: the list of annotations grows.
    package let others: Rule

    /// States the rules. A configuration refuses an annotation that stands in several lists.
    package init(reject: [String] = [], note: [String] = [], ignore: [String] = [], others: Rule = .note) {
        self.reject = reject
        self.note = note
        self.ignore = ignore
        self.others = others
    }
}
