/// What a policy makes of the properties of a device that a token tells in `anno`.
public struct AnnotationRules: Sendable, Equatable {
    /// What is made of one property.
    public enum Rule: String, Sendable, CaseIterable {
        /// The token is rejected.
        case reject
        /// The verdict notes it.
        case note
        /// Nothing.
        case ignore
    }

    /// The annotations that are rejected.
    public let reject: [String]
    /// The annotations that the verdict notes.
    public let note: [String]
    /// The annotations that nothing is made of.
    public let ignore: [String]
    /// What is made of all others: the list of annotations grows.
    public let others: Rule

    /// States the rules. A configuration refuses an annotation that stands in several lists.
    public init(reject: [String] = [], note: [String] = [], ignore: [String] = [], others: Rule = .note) {
        self.reject = reject
        self.note = note
        self.ignore = ignore
        self.others = others
    }
}
