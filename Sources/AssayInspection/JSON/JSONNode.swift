import AssayCore

/// A JSON value (RFC 8259) as lenient reading found it, with its place.
public struct JSONNode: Sendable {
    /// What a value is.
    public enum Content: Sendable {
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
        /// An object, its members in the order written; duplicate names are kept.
        case object([Member])
        /// The bytes end, or are no JSON, before the value is complete; why.
        case broken(String)
    }

    /// A member of an object.
    public struct Member: Sendable {
        /// The name, unescaped.
        public let name: String
        /// The bytes of the name, its quotes included.
        public let nameRange: Range<Int>
        /// The value.
        public let value: JSONNode

        /// Places a member.
        public init(_ name: String, at nameRange: Range<Int>, _ value: JSONNode) {
            self.name = name
            self.nameRange = nameRange
            self.value = value
        }

        /// The bytes of the name and of the value.
        public var range: Range<Int> { nameRange.lowerBound..<max(nameRange.upperBound, value.range.upperBound) }
    }

    /// The bytes of the value.
    public let range: Range<Int>
    /// What it is.
    public let content: Content
    /// Why reading ended inside of an array or object, and nil when it is complete.
    public let broken: String?

    /// Places a value.
    public init(_ content: Content, at range: Range<Int>, broken: String? = nil) {
        self.content = content
        self.range = range
        self.broken = broken
    }

    /// The value of the first member of an object with a name.
    public subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name.isByteEqual(to: name) }?.value
    }

    /// The text of a string, and nil for anything else.
    public var text: String? { if case .text(let text) = content { text } else { nil } }

    /// The members of an object, and none for anything else.
    public var members: [Member] { if case .object(let members) = content { members } else { [] } }

    /// The elements of an array, and none for anything else.
    public var elements: [JSONNode] { if case .array(let elements) = content { elements } else { [] } }
}
