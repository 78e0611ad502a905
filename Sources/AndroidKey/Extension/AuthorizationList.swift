import AssayCore

/// The tags that one party enforces or claims, in strict DER, ascending and none twice. Two deviations of genuine keystores are
/// tolerated: a SET OF that is not sorted, and a lock state that is encoded as 01. Unknown tags are kept: later versions add some.
struct AuthorizationList: Sendable {
    /// A value of the form that its tag has.
    enum Value: Sendable {
        /// SET OF INTEGER.
        case integers([UInt64])
        /// INTEGER, never negative.
        case integer(UInt64)
        case null
        /// OCTET STRING.
        case octets(ArraySlice<UInt8>)
        // Indirect: most values are far smaller.
        indirect case rootOfTrust(RootOfTrust)
        /// The DER of the value of an unknown tag.
        case unknown(ArraySlice<UInt8>)
    }

    /// The value of each tag, ascending.
    let entries: [(tag: UInt32, value: Value)]

    /// How deep the values of unknown tags may nest.
    private static let depth = 8

    init(_ element: DERElement) throws(DecodeError) {
        var reader = element.reader
        var entries: [(tag: UInt32, value: Value)] = []
        entries.reserveCapacity(16)
        while !reader.isAtEnd {
            let field = try reader.read()
            let start = field.bytes.startIndex
            guard case .contextSpecific = field.tag.tagClass, field.tag.isConstructed else {
                throw DecodeError(.unexpectedType, at: start, "expected an explicit tag, found \(field.tag)")
            }
            let number = field.tag.number
            if let last = entries.last?.tag, last >= number {
                throw DecodeError(
                    last == number ? .duplicateKey : .unexpected, at: start,
                    last == number ? "tag \(number) comes twice" : "tag \(number) comes after tag \(last)")
            }
            do {
                entries.append((number, try Self.value(of: number, field)))
            } catch {
                throw error.within(AuthorizationTag.known(number)?.name ?? "[\(number)]")
            }
        }
        self.entries = entries
    }

    private static func value(of number: UInt32, _ field: DERElement) throws(DecodeError) -> Value {
        guard let form = AuthorizationTag.form(of: number) else {
            try requireShallow(field)
            return .unknown(field.contents)
        }
        switch form {
        case .integers:
            var set = DERReader(try DERReader.contents(of: .set, in: field.contents))
            var values: [UInt64] = []
            while !set.isAtEnd { values.append(try set.readUnsignedInteger()) }
            return .integers(values)
        case .integer: return .integer(try unsignedInteger(DERReader.contents(of: .integer, in: field.contents)))
        case .null:
            try DERReader.single(.null, in: field.contents).null()
            return .null
        case .octets: return .octets(try DERReader.contents(of: .octetString, in: field.contents))
        case .rootOfTrust: return .rootOfTrust(try RootOfTrust(DERReader.single(.sequence, in: field.contents)))
        }
    }

    /// Demands one DER value, of elements that nest no deeper than ``depth``. Does not recurse.
    private static func requireShallow(_ field: DERElement) throws(DecodeError) {
        var open = [field.reader]
        while var reader = open.popLast() {
            guard !reader.isAtEnd else { continue }
            let element = try reader.read()
            if open.isEmpty { try reader.finish() }
            open.append(reader)
            if element.tag.isConstructed { open.append(element.reader) }
            guard open.count <= depth else {
                throw DecodeError(.tooDeep, at: element.bytes.startIndex, "values nest deeper than \(depth)")
            }
        }
        guard !field.contents.isEmpty else {
            throw DecodeError(.truncated, at: field.bytes.startIndex, "an explicit tag holds one value")
        }
    }

    subscript(tag: UInt32) -> Value? {
        for index in entries.indices where entries[index].tag == tag { return entries[index].value }
        return nil
    }

    // By index: `self[tag]` would copy the value.

    func contains(_ tag: UInt32) -> Bool {
        for index in entries.indices where entries[index].tag == tag { return true }
        return false
    }

    func integer(_ tag: UInt32) -> UInt64? {
        for index in entries.indices where entries[index].tag == tag {
            if case .integer(let value) = entries[index].value { return value }
        }
        return nil
    }

    func integers(_ tag: UInt32) -> [UInt64]? {
        guard case .integers(let values)? = self[tag] else { return nil }
        return values
    }

    func octets(_ tag: UInt32) -> ArraySlice<UInt8>? {
        guard case .octets(let value)? = self[tag] else { return nil }
        return value
    }

    var rootOfTrust: RootOfTrust? {
        guard case .rootOfTrust(let value)? = self[AuthorizationTag.rootOfTrust] else { return nil }
        return value
    }

    /// The numbers of the unknown tags.
    var unknownTags: [UInt32] {
        entries.indices.compactMap { index in
            if case .unknown = entries[index].value { entries[index].tag } else { nil }
        }
    }
}

extension DERReader {
    /// Reads an INTEGER from 0 to 2^64 - 1.
    mutating func readUnsignedInteger() throws(DecodeError) -> UInt64 { try unsignedInteger(readContents(.integer)) }
}

/// The value of an INTEGER from 0 to 2^64 - 1, by its contents.
private func unsignedInteger(_ contents: ArraySlice<UInt8>) throws(DecodeError) -> UInt64 {
    try DERElement.requireMinimalInteger(contents)
    guard let first = contents.first, first & 0x80 == 0 else {
        throw DecodeError(.unexpectedValue, at: contents.startIndex, "the INTEGER is negative")
    }
    guard contents.count <= (first == 0 ? 9 : 8) else {
        throw DecodeError(.tooLarge, at: contents.startIndex, "the INTEGER has more than 64 bits")
    }
    var value: UInt64 = 0
    for index in contents.indices { value = value << 8 | UInt64(contents[index]) }
    return value
}

extension DERElement {
    /// An ENUMERATED from 0 to 127 in its only encoding.
    func enumerated() throws(DecodeError) -> UInt8 {
        guard contents.count == 1, let value = contents.first, value & 0x80 == 0 else {
            throw DecodeError(.unexpectedValue, at: contents.startIndex, "the ENUMERATED has no value of its type")
        }
        return value
    }
}

extension ASN1Tag {
    static let enumerated = ASN1Tag(.universal, 10, constructed: false)
}
