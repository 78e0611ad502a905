import AssayCore
import AssayPrimitives

/// A structured field in the notation of the HTTP working group's tests.
enum SuiteField: Equatable {
    case item(StructuredItem)
    case list([StructuredMember])
    case dictionary(StructuredDictionary)

    /// The JSON does not describe a field.
    struct Unreadable: Error {}

    init(_ value: RecordValue, _ type: String) throws {
        switch type {
        case "item": self = .item(try Self.item(value))
        case "list": self = .list(try Self.array(value).map(Self.member))
        default:
            self = .dictionary(
                StructuredDictionary(
                    try Self.array(value).map { entry in
                        let pair = try Self.pair(entry)
                        return StructuredDictionary.Entry(try Self.text(pair.0), try Self.member(pair.1))
                    }))
        }
    }

    func written() throws -> [UInt8] {
        switch self {
        case .item(let item): try StructuredFieldWriter.write(item)
        case .list(let list): try StructuredFieldWriter.write(list)
        case .dictionary(let dictionary): try StructuredFieldWriter.write(dictionary)
        }
    }

    private static func array(_ value: RecordValue) throws -> [RecordValue] {
        guard let array = value.array else { throw Unreadable() }
        return array
    }

    private static func text(_ value: RecordValue?) throws -> String {
        guard let text = value?.text else { throw Unreadable() }
        return text
    }

    private static func pair(_ value: RecordValue) throws -> (RecordValue, RecordValue) {
        let array = try array(value)
        guard array.count == 2 else { throw Unreadable() }
        return (array[0], array[1])
    }

    private static func member(_ value: RecordValue) throws -> StructuredMember {
        let (first, parameters) = try pair(value)
        guard let items = first.array else { return .item(try item(value)) }
        return .innerList(StructuredInnerList(try items.map(item), try self.parameters(parameters)))
    }

    private static func item(_ value: RecordValue) throws -> StructuredItem {
        let (bare, parameters) = try pair(value)
        return StructuredItem(try bareItem(bare), try self.parameters(parameters))
    }

    private static func parameters(_ value: RecordValue) throws -> [StructuredParameter] {
        try array(value).map { entry in
            let pair = try pair(entry)
            return StructuredParameter(try text(pair.0), try bareItem(pair.1))
        }
    }

    private static func bareItem(_ value: RecordValue) throws -> StructuredBareItem {
        switch value.content {
        case .text(let text): return .string(text)
        case .flag(let flag): return .boolean(flag)
        case .number(let digits):
            if let integer = Int64(digits) { return .integer(integer) }
            guard let number = Double(digits) else { throw Unreadable() }
            return .decimal(
                StructuredDecimal(rounding: number) ?? StructuredDecimal(thousandths: StructuredDecimal.limit + 1))
        case .object(let object):
            guard let value = object["value"] else { throw Unreadable() }
            switch try text(object["__type"]) {
            case "token": return .token(try text(value))
            case "binary": return .byteSequence(try base32(text(value)))
            case "displaystring": return .displayString(try text(value))
            case "date":
                guard case .number(let digits) = value.content, let seconds = Int64(digits) else { throw Unreadable() }
                return .date(seconds)
            default: throw Unreadable()
            }
        default: throw Unreadable()
        }
    }

    private static func base32(_ text: String) throws -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for character in text.utf8 where character != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: character) else { throw Unreadable() }
            bits = (bits << 5 | value) & 0xFFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
            }
        }
        return bytes
    }
}
