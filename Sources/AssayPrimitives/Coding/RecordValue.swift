/// A JSON value, with the byte at which it begins, for errors.
// The initialisers are inlinable: a JSON reader in another module creates one for each value.
@usableFromInline
package struct RecordValue: Sendable {
    /// A JSON value.
    @usableFromInline
    package enum Content: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case flag(Bool)
        /// A number as written, not interpreted.
        case number(String)
        /// A string, unescaped.
        case text(String)
        case array([RecordValue])
        /// An object; its keys are unique.
        case object(RecordObject)
    }

    @usableFromInline package let content: Content
    /// The byte of the document at which the value begins.
    @usableFromInline package let offset: Int
    /// Whether a string was written with escapes: offsets inside it then differ from those of the document.
    @usableFromInline package let hasEscapes: Bool

    @inlinable
    package init(_ content: Content, offset: Int) {
        self.init(content, offset: offset, hasEscapes: false)
    }

    /// Places a value that may be a string with escapes.
    @inlinable
    package init(_ content: Content, offset: Int, hasEscapes: Bool) {
        (self.content, self.offset, self.hasEscapes) = (content, offset, hasEscapes)
    }

    /// Whether the value is `null`.
    package var isNull: Bool { if case .null = content { true } else { false } }

    /// The type of the value in words, for error messages.
    package var kindName: String {
        switch content {
        case .null: "null"
        case .flag: "a boolean"
        case .number: "a number"
        case .text: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A JSON object of a record: unique keys, in the order written.
@usableFromInline
package struct RecordObject: Sendable {
    @usableFromInline
    package struct Member: Sendable {
        /// The key, unescaped.
        @usableFromInline package let name: String
        /// The byte of the document at which the key begins.
        @usableFromInline package let offset: Int
        @usableFromInline package let value: RecordValue

        @inlinable
        package init(name: String, offset: Int, value: RecordValue) {
            (self.name, self.offset, self.value) = (name, offset, value)
        }
    }

    /// The members in the order written; their names are unique.
    @usableFromInline package let members: [Member]
    /// The byte of the document at which the object begins.
    @usableFromInline package let offset: Int

    @inlinable
    package init(_ members: [Member], offset: Int) {
        self.members = members
        self.offset = offset
    }

    /// The object without the members that are `null`.
    package var withoutNulls: RecordObject {
        members.contains { $0.value.isNull }
            ? RecordObject(members.filter { !$0.value.isNull }, offset: offset) : self
    }

    /// The value of a member; nil if there is none.
    package subscript(name: String) -> RecordValue? {
        // By index: `first` copies each member.
        for index in members.indices where members[index].name.isByteEqual(to: name) { return members[index].value }
        return nil
    }
}
