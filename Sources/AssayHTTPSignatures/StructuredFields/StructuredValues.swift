/// A parameter of an item or of an inner list (RFC 9651 section 3.1.2).
public struct StructuredParameter: Sendable, Equatable {
    /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
    public let key: String
    /// The value; a key that stands alone has the value true.
    public let value: StructuredBareItem
    /// The byte of the field value at which the key begins; 0 for what was not read.
    public let offset: Int

    /// Makes a parameter.
    public init(_ key: String, _ value: StructuredBareItem, offset: Int = 0) {
        self.key = key
        self.value = value
        self.offset = offset
    }

    /// Whether two parameters say the same, wherever they stood.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.value == right.value }
}

/// A value with its parameters (RFC 9651 section 3.3).
public struct StructuredItem: Sendable, Equatable {
    /// The value.
    public let value: StructuredBareItem
    /// The parameters in their order.
    public let parameters: [StructuredParameter]
    /// The byte of the field value at which the item begins; 0 for what was not read.
    public let offset: Int

    /// Makes an item.
    public init(_ value: StructuredBareItem, _ parameters: [StructuredParameter] = [], offset: Int = 0) {
        self.value = value
        self.parameters = parameters
        self.offset = offset
    }

    /// Whether two items say the same, wherever they stood.
    public static func == (left: Self, right: Self) -> Bool {
        left.value == right.value && left.parameters == right.parameters
    }
}

/// Items between parentheses, with parameters of the whole (RFC 9651 section 3.1.1).
public struct StructuredInnerList: Sendable, Equatable {
    /// The items in their order.
    public let items: [StructuredItem]
    /// The parameters in their order.
    public let parameters: [StructuredParameter]

    /// Makes an inner list.
    public init(_ items: [StructuredItem], _ parameters: [StructuredParameter] = []) {
        self.items = items
        self.parameters = parameters
    }
}

/// What a list or a dictionary consists of.
public enum StructuredMember: Sendable, Equatable {
    /// One value.
    case item(StructuredItem)
    /// Several of them.
    case innerList(StructuredInnerList)

    /// What kind of member it is, in the words of the RFC, for messages.
    public var kindName: String {
        switch self {
        case .item(let item): item.value.kindName
        case .innerList: "an Inner List"
        }
    }
}

/// Members with keys, in an order (RFC 9651 section 3.2).
public struct StructuredDictionary: Sendable, Equatable {
    /// A member and its key.
    public struct Entry: Sendable, Equatable {
        /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
        public let key: String
        /// The member.
        public let member: StructuredMember
        /// The byte of the field value at which the key begins; 0 for what was not read.
        public let offset: Int
        /// The bytes of the field value that the member was read from, without key and `=`: empty for a key that stands
        /// alone, and for what was not read.
        public let source: Range<Int>

        /// Makes an entry.
        public init(_ key: String, _ member: StructuredMember, offset: Int = 0, source: Range<Int> = 0..<0) {
            self.key = key
            self.member = member
            self.offset = offset
            self.source = source
        }

        /// Whether two entries say the same, wherever they stood.
        public static func == (left: Self, right: Self) -> Bool {
            left.key == right.key && left.member == right.member
        }
    }

    /// The entries in their order; no key comes twice in what was read.
    public let entries: [Entry]

    /// Makes a dictionary.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// The member with a key.
    public subscript(key: String) -> StructuredMember? {
        entries.first { $0.key == key }?.member
    }
}
