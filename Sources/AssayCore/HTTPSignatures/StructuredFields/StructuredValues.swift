/// A parameter of an item or of an inner list (RFC 9651 section 3.1.2).
package struct StructuredParameter: Sendable, Equatable {
    /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
    package let key: String
    /// The value; true for a key without a value.
    package let value: StructuredBareItem
    /// The index of the key in the field value; 0 if it was not read.
    package let offset: Int

    package init(_ key: String, _ value: StructuredBareItem, offset: Int = 0) {
        (self.key, self.value, self.offset) = (key, value, offset)
    }

    /// Compares key and value, not offsets.
    package static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.value == right.value }
}

/// A value with its parameters (RFC 9651 section 3.3).
package struct StructuredItem: Sendable, Equatable {
    package let value: StructuredBareItem
    package let parameters: [StructuredParameter]
    /// The index of the item in the field value; 0 if it was not read.
    package let offset: Int

    package init(_ value: StructuredBareItem, _ parameters: [StructuredParameter] = [], offset: Int = 0) {
        (self.value, self.parameters, self.offset) = (value, parameters, offset)
    }

    /// Compares value and parameters, not offsets.
    package static func == (left: Self, right: Self) -> Bool {
        left.value == right.value && left.parameters == right.parameters
    }
}

/// An inner list: items in parentheses, with parameters for the whole list (RFC 9651 section 3.1.1).
package struct StructuredInnerList: Sendable, Equatable {
    /// The items in order.
    package let items: [StructuredItem]
    package let parameters: [StructuredParameter]

    package init(_ items: [StructuredItem], _ parameters: [StructuredParameter] = []) {
        self.items = items
        self.parameters = parameters
    }
}

/// A member of a list or a dictionary.
package enum StructuredMember: Sendable, Equatable {
    case item(StructuredItem)
    case innerList(StructuredInnerList)

    /// The RFC's name for the type, for messages.
    package var kindName: String {
        switch self {
        case .item(let item): item.value.kindName
        case .innerList: "an Inner List"
        }
    }
}

/// An ordered dictionary (RFC 9651 section 3.2).
package struct StructuredDictionary: Sendable, Equatable {
    /// A member and its key.
    package struct Entry: Sendable, Equatable {
        /// The key: lower-case letters, digits, `_`, `-`, `.` and `*`.
        package let key: String
        package let member: StructuredMember
        /// The index of the key in the field value; 0 if it was not read.
        package let offset: Int
        /// The range of the member in the field value, without key and `=`; empty if there is no value or it was not
        /// read.
        package let source: Range<Int>

        package init(_ key: String, _ member: StructuredMember, offset: Int = 0, source: Range<Int> = 0..<0) {
            (self.key, self.member, self.offset, self.source) = (key, member, offset, source)
        }

        /// Compares key and member, not offsets.
        package static func == (left: Self, right: Self) -> Bool {
            left.key == right.key && left.member == right.member
        }
    }

    /// The entries in order. Dictionaries that were read have unique keys.
    package let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    package subscript(key: String) -> StructuredMember? {
        entries.first { $0.key == key }?.member
    }
}
