/// JSON that is rendered exactly as written here, with members in their order: a test can set every byte.
indirect enum JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case raw(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .raw("\(value)") }
    init(booleanLiteral value: Bool) { self = .raw("\(value)") }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { (key: $0.0, value: $0.1) }) }

    /// A string that needs no escapes.
    static func text(_ value: String) -> JSON { .raw("\"\(value)\"") }

    /// The JSON on one line.
    var rendered: String {
        switch self {
        case .raw(let text): text
        case .array(let elements): "[\(elements.map(\.rendered).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\"\($0.key)\":\($0.value.rendered)" }.joined(separator: ","))}"
        }
    }

    /// The value at a path of member names, separated by periods. Setting nil removes the member.
    subscript(path: String) -> JSON? {
        get { self[path.split(separator: ".").map(String.init)[...]] }
        set { self[path.split(separator: ".").map(String.init)[...]] = newValue }
    }

    private subscript(path: ArraySlice<String>) -> JSON? {
        get {
            guard let name = path.first else { return self }
            guard case .object(let members) = self else { return nil }
            return members.first { $0.key == name }?.value[path.dropFirst()]
        }
        set {
            guard let name = path.first else {
                if let newValue { self = newValue }
                return
            }
            var members: [(key: String, value: JSON)] = []
            if case .object(let existing) = self { members = existing }
            let index = members.firstIndex { $0.key == name }
            if path.count == 1, newValue == nil {
                if let index { members.remove(at: index) }
            } else {
                var value = index.map { members[$0].value } ?? .object([])
                value[path.dropFirst()] = newValue
                if let index { members[index].value = value } else { members.append((name, value)) }
            }
            self = .object(members)
        }
    }
}
