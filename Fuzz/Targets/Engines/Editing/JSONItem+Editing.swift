import AssayTesting

extension JSONItem: EditableTree {
    var childCount: Int {
        switch self {
        case .array(let items): items.count
        case .object(let members): members.count
        case .null, .flag, .number, .text, .raw: 0
        }
    }

    subscript(child index: Int) -> JSONItem {
        get {
            switch self {
            case .array(let items): items[index]
            case .object(let members): members[index].value
            case .null, .flag, .number, .text, .raw: self
            }
        }
        set {
            switch self {
            case .array(var items):
                items[index] = newValue
                self = .array(items)
            case .object(var members):
                members[index].value = newValue
                self = .object(members)
            case .null, .flag, .number, .text, .raw: break
            }
        }
    }

    mutating func removeChild(at index: Int) {
        switch self {
        case .array(var items):
            items.remove(at: index)
            self = .array(items)
        case .object(var members):
            members.remove(at: index)
            self = .object(members)
        case .null, .flag, .number, .text, .raw: break
        }
    }

    mutating func repeatChild(at index: Int) {
        switch self {
        case .array(var items):
            items.insert(items[index], at: index)
            self = .array(items)
        case .object(var members):
            members.insert(members[index], at: index)
            self = .object(members)
        case .null, .flag, .number, .text, .raw: break
        }
    }

    mutating func change(by edit: Edit) {
        switch edit.operation & 0x0F {
        case 2: self = .text(edit.text)
        case 3: self = .number(edit.text)
        case 4: self = .raw(edit.text)
        case 5: self = [.null, .flag(true), .flag(false), [], [:], ""][edit.place % 6]
        case 6: rename(edit)
        case 7: add(edit)
        default: changeLeaf(edit)
        }
    }

    private mutating func rename(_ edit: Edit) {
        guard case .object(var members) = self, !members.isEmpty else { return }
        let index = edit.place % members.count
        members[index].name = edit.operand.isEmpty ? members[0].name : edit.text
        self = .object(members)
    }

    private mutating func add(_ edit: Edit) {
        switch self {
        case .array(let items): self = .array(items + [.text(edit.text)])
        case .object(let members):
            // The name ends where the value begins.
            let parts = edit.text.split(separator: ":", maxSplits: 1).map(String.init)
            self = .object(members + [Member(parts.first ?? "", .raw(parts.count == 2 ? parts[1] : "null"))])
        case .null, .flag, .number, .text, .raw: changeLeaf(edit)
        }
    }

    private mutating func changeLeaf(_ edit: Edit) {
        switch self {
        case .text(let text): self = .text(edit.text(text))
        case .number(let number): self = .number(edit.text(number))
        case .raw(let text): self = .raw(edit.text(text))
        case .null, .flag, .array, .object: self = .raw(edit.text(text))
        }
    }

    /// Whether every value was composed, none is raw text, and no name occurs twice. The content is then known without
    /// parsing.
    var isComposed: Bool {
        switch self {
        case .null, .flag, .text: true
        case .number(let text): Int64(text).map(String.init) == text
        case .raw: false
        case .array(let items): items.allSatisfy(\.isComposed)
        case .object(let members):
            Set(members.map { Array($0.name.utf8) }).count == members.count && members.allSatisfy(\.value.isComposed)
        }
    }
}
