/// DER as a tree. Every part can be changed. If an OCTET STRING contains a SEQUENCE, that is part of the tree.
struct DERTree: Sendable, EditableTree {
    private var identifier: [UInt8]
    private var content: [UInt8]
    private var children: [DERTree]

    /// Reads one element; nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard let elements = DERTree.elements(of: bytes[...], depth: 0), elements.count == 1 else { return nil }
        self = elements[0]
    }

    private init(identifier: [UInt8], content: [UInt8], children: [DERTree]) {
        self.identifier = identifier
        self.content = content
        self.children = children
    }

    private static func elements(of bytes: ArraySlice<UInt8>, depth: Int) -> [DERTree]? {
        guard depth < 24 else { return nil }
        var rest = bytes
        var elements: [DERTree] = []
        while let first = rest.popFirst() {
            var identifier = [first]
            if first & 0x1F == 0x1F {
                repeat {
                    guard let next = rest.popFirst() else { return nil }
                    identifier.append(next)
                } while identifier[identifier.count - 1] & 0x80 != 0
            }
            guard let short = rest.popFirst() else { return nil }
            var length = Int(short)
            if short >= 0x80 {
                let count = Int(short & 0x7F)
                guard (1...3).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { return nil }
            let content = rest.prefix(length)
            rest = rest.dropFirst(length)
            let isWrapping = first == 0x04 && content.first == 0x30
            let children = first & 0x20 != 0 || isWrapping ? self.elements(of: content, depth: depth + 1) : nil
            elements.append(
                DERTree(
                    identifier: identifier, content: children == nil ? Array(content) : [], children: children ?? []))
        }
        return elements
    }

    /// The encoding. Every length has its shortest form.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        writeBackwards(to: &bytes)
        return bytes.reversed()
    }

    private var body: [UInt8] {
        var bytes: [UInt8] = []
        writeBodyBackwards(to: &bytes)
        return bytes.reversed()
    }

    /// Writes from the last byte to the first: each length is known when its head is written.
    private func writeBackwards(to bytes: inout [UInt8]) {
        let start = bytes.count
        writeBodyBackwards(to: &bytes)
        let length = bytes.count - start
        if length < 0x80 {
            bytes.append(UInt8(length))
        } else {
            var (rest, count) = (length, UInt8(0))
            while rest > 0 {
                bytes.append(UInt8(truncatingIfNeeded: rest))
                (rest, count) = (rest >> 8, count + 1)
            }
            bytes.append(0x80 | count)
        }
        bytes += identifier.reversed()
    }

    private func writeBodyBackwards(to bytes: inout [UInt8]) {
        for child in children.reversed() { child.writeBackwards(to: &bytes) }
        bytes += content.reversed()
    }

    var childCount: Int { children.count }
    subscript(child index: Int) -> DERTree {
        get { children[index] }
        set { children[index] = newValue }
    }
    mutating func removeChild(at index: Int) { children.remove(at: index) }
    mutating func repeatChild(at index: Int) { children.insert(children[index], at: index) }

    mutating func change(by edit: Edit) {
        switch edit.operation & 0x0F {
        case 2: identifier = edit.operand
        case 3: children.reverse()
        case 4: (content, children) = (edit.operand, [])
        default:
            (content, children) = (edit.bytes(body), [])
        }
    }
}
