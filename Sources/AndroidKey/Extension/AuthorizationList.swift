import AssayCore

/// The tags that one party enforces or claims, in strict DER, ascending and none twice. Two deviations of genuine keystores are
/// tolerated: a SET OF that is not sorted, and a lock state that is encoded as 01. Unknown tags are kept: later versions add some.
struct AuthorizationList: Sendable {
    /// A value of the form that its tag has. Without references: lists are copied and destroyed often.
    enum Value: Sendable {
        /// The contents of a SET OF INTEGER, which are checked.
        case integers(DERScanner)
        /// INTEGER, never negative.
        case integer(UInt64)
        case null
        /// The indices of the contents of an OCTET STRING.
        case octets(Range<Int>)
        case rootOfTrust
        /// One DER value of any type.
        case unknown
    }

    /// The value of each tag, ascending.
    let entries: [(tag: UInt32, value: Value)]
    let rootOfTrust: RootOfTrust?
    private let input: ArraySlice<UInt8>

    /// How deep the values of unknown tags may nest.
    private static let depth = 8

    /// Reads the contents of the SEQUENCE, which a scanner of `input` found.
    init(_ contents: DERScanner, of input: ArraySlice<UInt8>) throws(DecodeError) {
        let bytes = input.span
        var reader = contents
        var entries: [(tag: UInt32, value: Value)] = []
        entries.reserveCapacity(16)
        var rootOfTrust: RootOfTrust?
        while !reader.isAtEnd {
            let field = try reader.read(in: bytes)
            guard case .contextSpecific = field.tag.tagClass, field.tag.isConstructed else {
                throw DecodeError(.unexpectedType, at: field.offset, "expected an explicit tag, found \(field.tag)")
            }
            let number = field.tag.number
            if let last = entries.last?.tag, last >= number {
                throw DecodeError(
                    last == number ? .duplicateKey : .unexpected, at: field.offset,
                    last == number ? "tag \(number) comes twice" : "tag \(number) comes after tag \(last)")
            }
            do {
                let value = try Self.value(of: number, field, bytes)
                if case .rootOfTrust = value { rootOfTrust = try RootOfTrust(field.contents, of: input) }
                entries.append((number, value))
            } catch {
                throw error.within(AuthorizationTag.known(number)?.name ?? "[\(number)]")
            }
        }
        self.entries = entries
        self.rootOfTrust = rootOfTrust
        self.input = input
    }

    private static func value(
        of number: UInt32, _ field: DERScanner.Element, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> Value {
        guard let form = AuthorizationTag.form(of: number) else {
            try requireShallow(field, bytes)
            return .unknown
        }
        switch form {
        case .integers:
            let set = try field.contents.only(.set, in: bytes)
            var reader = set
            while !reader.isAtEnd { _ = try reader.readContents(.integer, in: bytes).unsignedInteger(in: bytes) }
            return .integers(set)
        case .integer:
            return .integer(try field.contents.only(.integer, in: bytes).unsignedInteger(in: bytes))
        case .null:
            try field.contents.only(.null, in: bytes).null()
            return .null
        case .octets: return .octets(try field.contents.only(.octetString, in: bytes).indices)
        case .rootOfTrust: return .rootOfTrust
        }
    }

    /// Demands one DER value, of elements that nest no deeper than ``depth``. Does not recurse.
    private static func requireShallow(_ field: DERScanner.Element, _ bytes: Span<UInt8>) throws(DecodeError) {
        var open = [field.contents]
        while var reader = open.popLast() {
            guard !reader.isAtEnd else { continue }
            let element = try reader.read(in: bytes)
            if open.isEmpty { try reader.finish() }
            open.append(reader)
            if element.tag.isConstructed { open.append(element.contents) }
            guard open.count <= depth else {
                throw DecodeError(.tooDeep, at: element.offset, "values nest deeper than \(depth)")
            }
        }
        guard !field.contents.isAtEnd else {
            throw DecodeError(.truncated, at: field.offset, "an explicit tag holds one value")
        }
    }

    private subscript(tag: UInt32) -> Value? {
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
        guard case .integers(var set)? = self[tag] else { return nil }
        var values: [UInt64] = []
        while !set.isAtEnd {
            guard let contents = try? set.readContents(.integer, in: input.span),
                let value = try? contents.unsignedInteger(in: input.span)
            else { return nil }
            values.append(value)
        }
        return values
    }

    func octets(_ tag: UInt32) -> ArraySlice<UInt8>? {
        guard case .octets(let indices)? = self[tag] else { return nil }
        return input[indices]
    }

    /// The numbers of the unknown tags.
    var unknownTags: [UInt32] {
        entries.indices.compactMap { index in
            if case .unknown = entries[index].value { entries[index].tag } else { nil }
        }
    }
}

extension DERScanner {
    /// The byte of an ENUMERATED from 0 to 127 in its only encoding.
    func enumerated(in bytes: Span<UInt8>) throws(DecodeError) -> UInt8 {
        guard let value = onlyByte(in: bytes), value & 0x80 == 0 else {
            throw DecodeError(.unexpectedValue, at: offset, "the ENUMERATED has no value of its type")
        }
        return value
    }
}

extension ASN1Tag {
    static let enumerated = ASN1Tag(.universal, 10, constructed: false)
}
