import AssayCore

/// A JSON value (RFC 8259) as lenient reading found it, with its place.
package struct JSONNode: Sendable {
    /// What a value is.
    package enum Content: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case flag(Bool)
        /// A number as written.
        case number(String)
        /// A string, unescaped, and repaired where it is no UTF-8.
        case text(String)
        /// An array.
        case array([JSONNode])
        /// An object, in the order written; duplicate keys are kept.
        case object([(key: JSONNode, value: JSONNode)])
        /// No value of JSON, with the reason.
        case broken(String)
    }

    /// The bytes of the value, quotes and brackets included.
    package let range: Range<Int>
    /// What it is; of a string, array or object that is cut, the part that is there.
    package let content: Content
    /// What a strict reader has against the value itself, such as that it does not end, and nil when nothing.
    package let violation: String?

    /// Places a value.
    package init(_ content: Content, at range: Range<Int>, violation: String? = nil) {
        self.content = content
        self.range = range
        self.violation = violation
    }

    /// The value of the first member of an object with a name.
    package subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key.text?.isByteEqual(to: name) ?? false }?.value
    }

    /// The text of a string, and nil for another value.
    package var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// Whether it is an object.
    package var isObject: Bool {
        if case .object = content { true } else { false }
    }
}
