/// Input that cannot be decoded: a code, the byte where decoding failed, and a sentence.
public struct DecodeError: Error, CheckFinding, Equatable, CustomStringConvertible {
    /// The reason, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        package init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The bytes end before the item does.
        public static let truncated = Code("truncated")
        /// Bytes follow the item.
        public static let trailingBytes = Code("trailing-bytes")
        /// The bytes are not an item of the format.
        public static let malformed = Code("malformed")
        /// A longer encoding than the one that is allowed.
        public static let notMinimal = Code("not-minimal")
        /// An indefinite length where a definite one is demanded.
        public static let indefiniteLength = Code("indefinite-length")
        /// An item of another type than the one that is demanded.
        public static let unexpectedType = Code("unexpected-type")
        /// A value outside of what is allowed.
        public static let unexpectedValue = Code("unexpected-value")
        /// A length other than the one that is demanded.
        public static let unexpectedLength = Code("unexpected-length")
        /// The same key twice.
        public static let duplicateKey = Code("duplicate-key")
        /// A required part is not there.
        public static let missing = Code("missing")
        /// A part that is not allowed is there.
        public static let unexpected = Code("unexpected")
        /// Text that is not valid UTF-8, or not of its alphabet.
        public static let invalidText = Code("invalid-text")
        /// Nested deeper than the limit.
        public static let tooDeep = Code("too-deep")
        /// Larger than the limit, or more items than the limit.
        public static let tooLarge = Code("too-large")
    }

    /// The reason.
    public let reason: Code
    /// The byte of the input where decoding failed, counted from 0.
    public let offset: Int
    /// The part of the input, in the terms of its standard, such as `attStmt.x5c`; empty when there is only one.
    public let field: String
    /// What was found, and what is allowed.
    public let message: String

    /// Describes why input cannot be decoded.
    package init(_ reason: Code, at offset: Int, field: String = "", _ message: String) {
        self.reason = reason
        self.offset = offset
        self.field = field
        self.message = message
    }

    /// The same error for a part of a larger input: the path of the field begins with `outer`.
    package func within(_ outer: String) -> DecodeError {
        DecodeError(reason, at: offset, field: field.isEmpty ? outer : "\(outer).\(field)", message)
    }

    /// The stable code.
    public var code: String { reason.name }
    /// Field, byte and sentence.
    public var detail: String {
        field.isEmpty ? "byte \(offset): \(message)" : "\(field), byte \(offset): \(message)"
    }
    /// Field, byte and sentence.
    public var description: String { detail }
}
