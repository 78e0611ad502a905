import AssayCore

/// A JSON value (RFC 8259) with its range, as the lenient reader found it.
package struct JSONNode: Sendable {
    /// The value.
    package enum Content: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case flag(Bool)
        /// A number as written.
        case number(String)
        /// A string, unescaped, with invalid UTF-8 replaced.
        case text(String)
        /// An array.
        case array([JSONNode])
        /// An object in document order, with duplicate keys.
        case object([(key: JSONNode, value: JSONNode)])
        /// Not a JSON value. The text is the reason.
        case broken(String)
    }

    /// The bytes of the value, including quotes and brackets.
    package let range: Range<Int>
    /// The value; for a truncated string, array or object, the available part.
    package let content: Content
    /// The strict reader's error for the value itself, such as a missing end; nil for none.
    package let violation: String?

    /// Creates a value.
    package init(_ content: Content, at range: Range<Int>, violation: String? = nil) {
        self.content = content
        self.range = range
        self.violation = violation
    }

    /// The value of the first member with a name.
    package subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key.text?.isByteEqual(to: name) ?? false }?.value
    }

    /// The text of a string; nil for other values.
    package var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// Whether the value is an object.
    package var isObject: Bool {
        if case .object = content { true } else { false }
    }
}
