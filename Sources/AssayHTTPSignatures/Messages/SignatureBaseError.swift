public import AssayCore

/// Why there is no signature base (RFC 9421 section 2.5): which component has no value, and why.
public struct SignatureBaseError: Error, CheckFinding, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// A name that begins with `@` and is not known, or `@signature-params`, which covers itself.
        public static let unknownComponent = Code("unknown-component")
        /// A name that no field has: upper case, or characters that names do not have.
        public static let invalidName = Code("invalid-name")
        /// A parameter that is not known, has a wrong value, or does not fit the component or another parameter.
        public static let invalidParameter = Code("invalid-parameter")
        /// The message has no such field, query parameter, dictionary key, status or related request.
        public static let notInMessage = Code("not-in-message")
        /// A query parameter that the query has several times.
        public static let ambiguous = Code("ambiguous")
        /// A value with characters that it cannot have: line breaks and other controls, or not ASCII where only ASCII
        /// stands.
        public static let invalidValue = Code("invalid-value")
        /// A field that is not the structured field that a parameter demands, or not known to be one.
        public static let notStructured = Code("not-structured")
    }

    /// What is wrong.
    public let reason: Code
    /// The component's identifier, as it stands in a signature base.
    public let component: String
    /// What was found, and what is allowed.
    public let message: String

    /// Describes what is wrong with a component.
    public init(_ reason: Code, _ component: SignatureComponent, _ message: String) {
        self.reason = reason
        self.component = component.text
        self.message = message
    }

    /// The stable code.
    public var code: String { reason.name }
    /// Component and sentence.
    public var detail: String { "\(component): \(message)" }
    /// Component and sentence.
    public var description: String { detail }
}
