import AssayTesting

extension CBORItem: EditableTree {
    private var items: [CBORItem] {
        get {
            switch self {
            case .array(let items), .map(let items), .indefiniteArray(let items), .indefiniteMap(let items): items
            case .tagged(_, let item): [item]
            case .unsigned, .negative, .bytes, .text, .simple, .indefiniteBytes, .indefiniteText, .head, .raw: []
            }
        }
        set {
            switch self {
            case .array: self = .array(newValue)
            case .map: self = .map(newValue)
            case .indefiniteArray: self = .indefiniteArray(newValue)
            case .indefiniteMap: self = .indefiniteMap(newValue)
            case .tagged(let tag, _): self = newValue.first.map { .tagged(tag, $0) } ?? .raw([])
            case .unsigned, .negative, .bytes, .text, .simple, .indefiniteBytes, .indefiniteText, .head, .raw: break
            }
        }
    }

    var childCount: Int { items.count }
    subscript(child index: Int) -> CBORItem {
        get { items[index] }
        set { items[index] = newValue }
    }
    mutating func removeChild(at index: Int) { items.remove(at: index) }
    mutating func repeatChild(at index: Int) { items.insert(items[index], at: index) }

    mutating func change(by edit: Edit) {
        switch edit.operation & 0x0F {
        case 2: self = .bytes(edit.operand)
        case 3: self = .text(edit.text)
        case 4: self = .raw(edit.operand)
        case 5: self = .integer(edit.number)
        case 6: self = .tagged(UInt64(edit.place), self)
        case 7: if case .map(let items) = self { self = .indefiniteMap(items) }
        case 8: if case .bytes(let bytes) = self { self = .indefiniteBytes([bytes]) }
        case 9: self = .raw([edit.operand.first ?? 0] + encoded.dropFirst())
        case 10: items += [.text(edit.text), .raw(Array(edit.operand.prefix(edit.place % 16)))]
        case 11: items.reverse()
        default: changeLeaf(edit)
        }
    }

    private mutating func changeLeaf(_ edit: Edit) {
        switch self {
        case .bytes(let bytes): self = .bytes(edit.bytes(bytes))
        case .text(let text): self = .text(edit.text(text))
        default: self = .raw(edit.bytes(encoded))
        }
    }
}
