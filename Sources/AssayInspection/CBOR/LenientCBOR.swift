/// Reads CBOR (RFC 8949) as far as possible, for inspection, in linear time; verification uses `CBORReader`. Accepts indefinite
/// lengths, arguments that are not minimal, keys of any type, duplicate keys, tags, and invalid UTF-8. Beyond the nesting ``depth`` or
/// the number ``items``, the rest is one broken item.
package enum LenientCBOR {
    package static let depth = 64
    /// The maximum number of items. An item of one byte takes some hundred bytes of memory.
    package static let items = 1 << 18

    /// Reads one item; indices serve as offsets. Empty input is a broken item, and a broken item extends to the end of the bytes.
    package static func read(_ bytes: ArraySlice<UInt8>) -> (node: CBORNode, end: Int) {
        var reader = LenientCBORReader(bytes)
        let node = reader.item(depth: 0)
        return (node, reader.position)
    }

    package static func readAll(_ bytes: ArraySlice<UInt8>) -> [CBORNode] {
        var reader = LenientCBORReader(bytes)
        var nodes: [CBORNode] = []
        while !reader.isAtEnd { nodes.append(reader.item(depth: 0)) }
        return nodes
    }
}

/// Reads the bytes once. A broken item consumes the rest, so all loops end.
private struct LenientCBORReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int
    private var count = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }
    private var left: Int { bytes.endIndex - position }

    /// A broken item up to the end of the input.
    private mutating func stop(_ reason: String, from start: Int) -> CBORNode {
        position = bytes.endIndex
        return CBORNode(.broken(reason), at: start..<bytes.endIndex)
    }

    mutating func item(depth: Int) -> CBORNode {
        let start = position
        guard !isAtEnd else { return stop("expected an item, found the end", from: start) }
        guard depth < LenientCBOR.depth else {
            return stop("items nest deeper than \(LenientCBOR.depth)", from: start)
        }
        guard count < LenientCBOR.items else { return stop("more than \(LenientCBOR.items) items", from: start) }
        count += 1
        let first = bytes[position]
        position += 1
        let information = first & 0x1F
        var argument = UInt64(information)
        switch information {
        case 24...27:
            let length = 1 << Int(information - 24)
            guard left >= length else {
                return stop("the head takes \(length + 1) bytes, \(left + 1) are left", from: start)
            }
            argument = bytes[position..<position + length].reduce(0) { $0 << 8 | UInt64($1) }
            position += length
        case 28...30: return stop("byte 0x\(Hexadecimal.text([first])) begins no item that is defined", from: start)
        case 31: return indefinite(first >> 5, from: start, depth: depth)
        default: break
        }
        switch first >> 5 {
        case 0: return CBORNode(.unsigned(argument), at: start..<position)
        case 1: return CBORNode(.negative(argument), at: start..<position)
        case 2, 3: return string(isText: first >> 5 == 3, length: argument, from: start)
        case 4: return array(count: argument, from: start, depth: depth)
        case 5: return map(count: argument, from: start, depth: depth)
        case 6:
            let tagged = item(depth: depth + 1)
            return CBORNode(.tag(argument, tagged), at: start..<position)
        default: return simple(information, argument, from: start)
        }
    }

    private func simple(_ information: UInt8, _ argument: UInt64, from start: Int) -> CBORNode {
        let content: CBORNode.Content =
            switch information {
            case 25: .float(LenientCBORReader.half(UInt16(truncatingIfNeeded: argument)))
            case 26: .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument))))
            case 27: .float(Double(bitPattern: argument))
            default: .simple(UInt8(truncatingIfNeeded: argument))
            }
        return CBORNode(content, at: start..<position)
    }

    /// A 16-bit float (RFC 8949 appendix D).
    private static func half(_ bits: UInt16) -> Double {
        let fraction = Double(bits & 0x3FF)
        let value: Double =
            switch bits >> 10 & 0x1F {
            case 0: Double(sign: .plus, exponent: -24, significand: fraction)
            case 31: fraction == 0 ? .infinity : .nan
            case let exponent: Double(sign: .plus, exponent: Int(exponent) - 25, significand: fraction + 1024)
            }
        return bits & 0x8000 == 0 ? value : -value
    }

    private mutating func string(isText: Bool, length: UInt64, from start: Int) -> CBORNode {
        let isWhole = length <= UInt64(left)
        let contents = position..<(isWhole ? position + Int(length) : bytes.endIndex)
        let broken = isWhole ? nil : "claims \(length) bytes, \(contents.count) are left"
        position = contents.upperBound
        let content: CBORNode.Content =
            isText ? .text(String(decoding: bytes[contents], as: UTF8.self), contents) : .bytes(contents)
        return CBORNode(content, at: start..<position, broken: broken)
    }

    private mutating func array(count: UInt64, from start: Int, depth: Int) -> CBORNode {
        var items: [CBORNode] = []
        // Each entry takes at least one byte, so this loop ends with the input, whatever count the head states.
        while UInt64(items.count) < count {
            guard !isAtEnd else { return cut(.array(items), "\(items.count) of \(count) entries", from: start) }
            items.append(item(depth: depth + 1))
        }
        return CBORNode(.array(items), at: start..<position)
    }

    private mutating func map(count: UInt64, from start: Int, depth: Int) -> CBORNode {
        var members: [(key: CBORNode, value: CBORNode)] = []
        while UInt64(members.count) < count {
            guard !isAtEnd else { return cut(.map(members), "\(members.count) of \(count) members", from: start) }
            let key = item(depth: depth + 1)
            members.append((key, item(depth: depth + 1)))
        }
        return CBORNode(.map(members), at: start..<position)
    }

    private func cut(_ content: CBORNode.Content, _ found: String, from start: Int) -> CBORNode {
        CBORNode(content, at: start..<position, broken: "the bytes end after \(found)")
    }

    /// The item after a head of indefinite length (RFC 8949 section 3.2).
    private mutating func indefinite(_ major: UInt8, from start: Int, depth: Int) -> CBORNode {
        switch major {
        case 2, 3: return chunks(isText: major == 3, from: start)
        case 4:
            var items: [CBORNode] = []
            while !isAtEnd {
                if takeBreak() { return CBORNode(.array(items), at: start..<position) }
                items.append(item(depth: depth + 1))
            }
            return cut(.array(items), "\(items.count) entries, without a break", from: start)
        case 5:
            var members: [(key: CBORNode, value: CBORNode)] = []
            while !isAtEnd {
                if takeBreak() { return CBORNode(.map(members), at: start..<position) }
                let key = item(depth: depth + 1)
                members.append((key, item(depth: depth + 1)))
            }
            return cut(.map(members), "\(members.count) members, without a break", from: start)
        case 7: return stop("a break outside of an item of indefinite length", from: start)
        default: return stop("an integer or tag has no indefinite length", from: start)
        }
    }

    private mutating func takeBreak() -> Bool {
        guard !isAtEnd, bytes[position] == 0xFF else { return false }
        position += 1
        return true
    }

    /// A string in chunks of definite length. The range spans all chunks.
    private mutating func chunks(isText: Bool, from start: Int) -> CBORNode {
        let first = position
        var text: [UInt8] = []
        var broken: String?
        var end = first
        while broken == nil {
            end = position
            if takeBreak() { break }
            guard !isAtEnd, bytes[position] >> 5 == (isText ? 3 : 2), bytes[position] & 0x1F != 31 else {
                broken = isAtEnd ? "the bytes end without a break" : "something else than a chunk at byte \(position)"
                position = bytes.endIndex
                end = position
                break
            }
            let chunk = item(depth: 0)
            broken = chunk.broken
            switch chunk.content {
            case .text(_, let range), .bytes(let range): if isText { text += bytes[range] }
            default: broken = "the chunk at byte \(chunk.range.lowerBound) is broken"
            }
            end = position
        }
        let content: CBORNode.Content =
            isText ? .text(String(decoding: text, as: UTF8.self), first..<end) : .bytes(first..<end)
        return CBORNode(content, at: start..<position, broken: broken)
    }
}
