/// A CBOR data item to encode (RFC 8949), including malformed ones that a decoder must reject.
package indirect enum CBORItem: Sendable, Equatable {
    /// Major type 0.
    case unsigned(UInt64)
    /// Major type 1. The number is `-1 - argument`.
    case negative(argument: UInt64)
    /// Major type 2.
    case bytes([UInt8])
    /// Major type 3.
    case text(String)
    /// Major type 4.
    case array([CBORItem])
    /// Major type 5. Keys and values alternate, in order; keys may repeat and may have any type.
    case map([CBORItem])
    /// Major type 6.
    case tagged(UInt64, CBORItem)
    /// Major type 7 with a simple value of one byte: 20 false, 21 true, 22 null, 23 undefined.
    case simple(UInt8)
    /// A byte string of indefinite length, in chunks (RFC 8949 section 3.2.3).
    case indefiniteBytes([[UInt8]])
    /// A text string of indefinite length, in chunks.
    case indefiniteText([String])
    /// An array of indefinite length.
    case indefiniteArray([CBORItem])
    /// A map of indefinite length. Keys and values alternate.
    case indefiniteMap([CBORItem])
    /// A major type with an argument in 1, 2, 4 or 8 following bytes, then raw bytes: for arguments that are not
    /// minimal and for lengths beyond the end of the input.
    case head(majorType: UInt8, argument: UInt64, argumentBytes: Int, followedBy: [UInt8])
    /// Raw bytes.
    case raw([UInt8])

    /// A map of text keys.
    package static func map(text entries: [(String, CBORItem)]) -> CBORItem {
        .map(entries.flatMap { [.text($0.0), $0.1] })
    }

    /// A number as major type 0 or 1.
    package static func integer(_ value: Int) -> CBORItem {
        value >= 0 ? .unsigned(UInt64(value)) : .negative(argument: UInt64(-1 - value))
    }

    /// The encoded item, in the shortest form except for cases that state otherwise.
    package var encoded: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let argument): Self.head(1, argument)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let items): Self.head(5, UInt64(items.count / 2)) + items.flatMap(\.encoded)
        case .tagged(let tag, let item): Self.head(6, tag) + item.encoded
        case .simple(let value): Self.head(7, UInt64(value))
        case .indefiniteBytes(let chunks): [0x5F] + chunks.flatMap { CBORItem.bytes($0).encoded } + [0xFF]
        case .indefiniteText(let chunks): [0x7F] + chunks.flatMap { CBORItem.text($0).encoded } + [0xFF]
        case .indefiniteArray(let items): [0x9F] + items.flatMap(\.encoded) + [0xFF]
        case .indefiniteMap(let items): [0xBF] + items.flatMap(\.encoded) + [0xFF]
        case .head(let majorType, let argument, let argumentBytes, let rest):
            Self.head(majorType, argument, bytes: argumentBytes) + rest
        case .raw(let bytes): bytes
        }
    }

    /// The value of a text key in a map. Setting nil removes the first such entry; setting an absent key appends it. No
    /// effect on items other than maps of definite length.
    package subscript(key: String) -> CBORItem? {
        get {
            guard case .map(let items) = self, let index = Self.index(of: key, in: items) else { return nil }
            return items[index + 1]
        }
        set {
            guard case .map(var items) = self else { return }
            switch (Self.index(of: key, in: items), newValue) {
            case (let index?, let value?): items[index + 1] = value
            case (let index?, nil): items.removeSubrange(index...index + 1)
            case (nil, let value?): items += [.text(key), value]
            case (nil, nil): break
            }
            self = .map(items)
        }
    }

    private static func index(of key: String, in items: [CBORItem]) -> Int? {
        stride(from: 0, to: items.count - 1, by: 2).first { items[$0] == .text(key) }
    }

    private static func head(_ majorType: UInt8, _ argument: UInt64) -> [UInt8] {
        let bytes =
            switch argument {
            case 0..<24: 0
            case 24...0xFF: 1
            case 0x100...0xFFFF: 2
            case 0x1_0000...0xFFFF_FFFF: 4
            default: 8
            }
        return head(majorType, argument, bytes: bytes)
    }

    private static func head(_ majorType: UInt8, _ argument: UInt64, bytes: Int) -> [UInt8] {
        let type = majorType << 5
        let octets = stride(from: (bytes - 1) * 8, through: 0, by: -8)
            .map { UInt8(truncatingIfNeeded: argument >> UInt64($0)) }
        return switch bytes {
        case 1: [type | 24] + octets
        case 2: [type | 25] + octets
        case 4: [type | 26] + octets
        case 8: [type | 27] + octets
        default: [type | UInt8(truncatingIfNeeded: argument & 0x1F)]
        }
    }
}
