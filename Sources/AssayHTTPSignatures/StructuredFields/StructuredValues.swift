/// A parameter of an item or of an inner list (RFC 9651 section 3.1.2).
package struct StructuredParameter: Sendable, Equatable {
    /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
    package let key: String
    /// The value; a key that stands alone has the value true.
    package let value: StructuredBareItem
    /// The byte of the field value at which the key begins; 0 for what was not read.
    package let offset: Int

    /// Makes a parameter.
    package init(_ key: String, _ value: StructuredBareItem, offset: Int = 0) {
        self.key = key
        self.value = value
        self.offset = offset
    }

    /// Whether two parameters say the same, wherever they stood.
    package static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.value == right.value }
}

/// A value with its parameters (RFC 9651 section 3.3).
package struct StructuredItem: Sendable, Equatable {
    /// The value.
    package let value: StructuredBareItem
    /// The parameters in their order.
    package let parameters: [StructuredParameter]
    /// The byte of the field value at which the item begins; 0 for what was not read.
    package let offset: Int

    /// Makes an item.
    package init(_ value: StructuredBareItem, _ parameters: [StructuredParameter] = [], offset: Int = 0) {
        self.value = value
        self.parameters = parameters
        self.offset = offset
    }

    /// Whether two items say the same, wherever they stood.
    package static func == (left: Self, right: Self) -> Bool {
        left.value == right.value && left.parameters == right.parameters
    }
}

/// Items between parentheses, with parameters of the whole (RFC 9651 section 3.1.1).
package struct StructuredInnerList: Sendable, Equatable {
    /// The items in their order.
    package let items: [StructuredItem]
    /// The parameters in their order.
    package let parameters: [StructuredParameter]

    /// Makes an inner list.
    package init(_ items: [StructuredItem], _ parameters: [StructuredParameter] = []) {
        self.items = items
        self.parameters = parameters
    }
}

/// What a list or a dictionary consists of.
package enum StructuredMember: Sendable, Equatable {
    /// One value.
    case item(StructuredItem)
    /// Several of them.
    case innerList(StructuredInnerList)

    /// What kind of member it is, in the words of the RFC, for messages.
    package var kindName: String {
        switch self {
        case .item(let item): item.value.kindName
        case .innerList: "an Inner List"
        }
    }
}

/// Members with keys, in an order (RFC 9651 section 3.2).
package struct StructuredDictionary: Sendable, Equatable {
    /// A member and its key.
    package struct Entry: Sendable, Equatable {
        /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
        package let key: String
        /// The member.
        package let member: StructuredMember
        /// The byte of the field value at which the key begins; 0 for what was not read.
        package let offset: Int
        /// The bytes of the field value that the member was read from, without key and `=`: empty for a key that stands
        /// alone, and for what was not read.
        package let source: Range<Int>

        /// Makes an entry.
        package init(_ key: String, _ member: StructuredMember, offset: Int = 0, source: Range<Int> = 0..<0) {
            self.key = key
            self.member = member
            self.offset = offset
            self.source = source
        }

        /// Whether two entries say the same, wherever they stood.
        package static func == (left: Self, right: Self) -> Bool {
            left.key == right.key && left.member == right.member
        }
    }

    /// The entries in their order; no key comes twice in what was read.
    package let entries: [Entry]

    /// Makes a dictionary.
    package init(_ entries: [Entry]) { self.entries = entries }

    /// The member with a key.
    package subscript(key: String) -> StructuredMember? {
        entries.first { $0.key == key }?.member
    }
}
