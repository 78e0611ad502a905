package import AssayCore

/// A JSON value to encode (RFC 8259), valid or malformed. Object members keep their order and may repeat.
public indirect enum JSONItem: Sendable, Equatable {
    /// A member of an object.
    public struct Member: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONItem

        /// Creates a member.
        public init(_ name: String, _ value: JSONItem) {
            self.name = name
            self.value = value
        }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case flag(Bool)
    /// A number in its written form, such as `-0` or `1e3`.
    case number(String)
    /// A string with minimal escapes.
    case text(String)
    /// An array.
    case array([JSONItem])
    /// An object.
    case object([Member])
    /// Raw text, such as a string with unnecessary escapes.
    case raw(String)

    /// A whole number.
    package static func integer(_ value: some BinaryInteger) -> JSONItem { .number(String(value)) }

    /// An object from names and values.
    package static func object(_ members: KeyValuePairs<String, JSONItem>) -> JSONItem {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// The text, without white space.
    package var text: String {
        switch self {
        case .null: "null"
        case .flag(let value): value ? "true" : "false"
        case .number(let number): number
        case .text(let text): RecordJSON.quoted(text)
        case .array(let items): "[\(items.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(RecordJSON.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        case .raw(let text): text
        }
    }

    /// The text in UTF-8.
    public var encoded: [UInt8] { Array(text.utf8) }

    /// The value of an object's first member with this name; nil if absent. Setting a value replaces that member or
    /// appends one; setting nil removes it. Other items stay unchanged.
    public subscript(name: String) -> JSONItem? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name.isByteEqual(to: name) }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            switch (members.firstIndex { $0.name.isByteEqual(to: name) }, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): break
            }
            self = .object(members)
        }
    }

    /// The value at a path of names. Setting a value creates missing objects on the path.
    package subscript(path path: some Collection<String>) -> JSONItem? {
        get {
            guard let name = path.first else { return self }
            return self[name]?[path: Array(path.dropFirst())]
        }
        set {
            guard let name = path.first else {
                self = newValue ?? .null
                return
            }
            guard path.count > 1 else {
                self[name] = newValue
                return
            }
            guard var child = self[name] ?? (newValue == nil ? nil : .object([])) else { return }
            child[path: Array(path.dropFirst())] = newValue
            self[name] = child
        }
    }

    /// The value in the form of records; nil for raw text, which may not be JSON.
    package var recordContent: RecordValue.Content? {
        func values(_ items: [JSONItem]) -> [RecordValue]? {
            let contents = items.compactMap(\.recordContent)
            return contents.count == items.count ? contents.map { RecordValue($0, offset: 0) } : nil
        }
        switch self {
        case .null: return .null
        case .flag(let value): return .flag(value)
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .array(let items): return values(items).map { .array($0) }
        case .object(let members):
            return values(members.map(\.value)).map { values in
                .object(RecordObject(zip(members, values).map { ($0.name, $1.content) }))
            }
        case .raw: return nil
        }
    }
}

extension JSONItem: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
    /// An array.
    public init(arrayLiteral elements: JSONItem...) { self = .array(elements) }
    /// An object with its members in order.
    public init(dictionaryLiteral elements: (String, JSONItem)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
