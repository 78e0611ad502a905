import AssayCore
import AssayPrimitives
import AssayTesting

extension FuzzTarget {
    /// CBOR items: reading and skipping agree, the nesting is within the limit, and writing gives the same bytes.
    static let cbor = FuzzTarget(
        name: "cbor", maximumLength: 512,
        dictionary: ["fmt", "attStmt", "authData", "x5c", "signature", "\u{1}\u{2}\u{3}\u{26}"],
        seeds: { CBORReading.seeds() },
        run: { input in
            var isAccepted = false
            for allowsTags in [false, true] {
                let read = Reading(input) { (bytes) throws(DecodeError) in
                    try CBORReading.items(bytes, allowsTags: allowsTags) { (reader) throws(DecodeError) in
                        try CBORReading.item(&reader, of: bytes, depth: 0)
                    }
                }
                let skipped = Reading(input) { (bytes) throws(DecodeError) in
                    try CBORReading.items(bytes, allowsTags: allowsTags) { (reader) throws(DecodeError) in
                        try CBORReading.skipped(&reader, of: bytes)
                    }
                }
                require(
                    (read.value == nil) == (skipped.value == nil),
                    "read and skipped differ: \(read.result), \(skipped.result)")
                guard let items = read.value, let raw = skipped.value else { continue }
                require(items.flatMap(\.encoded) == input, "other bytes when written again: \(items)")
                require(items.map(\.encoded) == raw.map(\.encoded), "skipping ends elsewhere: \(items), \(raw)")
                isAccepted = true
            }
            return isAccepted
        })
}

/// Any CBOR item that can be read.
enum CBORReading {
    static func seeds() -> [[UInt8]] {
        let data = AuthenticatorDataBlueprint(
            assertingFor: MintedSeeds.appID, counter: 7,
            extensions: AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        ).encoded
        let items: [CBORItem] = [
            .map(text: [("a", .array([.integer(1), .integer(-500), .simple(22)])), ("b", .bytes([1, 2, 3]))]),
            .tagged(24, .text("\u{E9}\u{1F600}")), .map([.integer(1), .text("x"), .integer(-1), .simple(21)]),
            .array([.unsigned(.max), .negative(argument: .max), .unsigned(65_536)]),
            .raw([0xFB, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]), .raw([0xF9, 0x7E, 0x00]),
            (0..<16).reduce(.integer(0)) { inner, _ in .array([inner]) },
            .map(text: [("signature", .bytes([UInt8](repeating: 7, count: 70))), ("authenticatorData", .bytes(data))]),
            .map(text: [
                ("fmt", .text("apple-appattest")),
                ("attStmt", .map(text: [("x5c", .array([.bytes([0x30]), .bytes([])])), ("receipt", .bytes([0x30]))])),
                ("authData", .bytes([1, 2, 3])),
            ]),
        ]
        return items.map(\.encoded)
    }

    /// The sequence of items in some bytes.
    static func items(
        _ bytes: ArraySlice<UInt8>, allowsTags: Bool,
        _ read: (inout CBORReader) throws(DecodeError) -> CBORItem
    ) throws(DecodeError) -> [CBORItem] {
        var reader = CBORReader(bytes, allowingTags: allowsTags)
        var items: [CBORItem] = []
        while !reader.isAtEnd { items.append(try read(&reader)) }
        try reader.finish()
        return items
    }

    /// One item with all items inside it.
    static func item(
        _ reader: inout CBORReader, of bytes: ArraySlice<UInt8>, depth: Int
    ) throws(DecodeError) -> CBORItem {
        FuzzTarget.require(depth <= InputLimits.cborDepth, "nested deeper than \(InputLimits.cborDepth)")
        switch reader.peekType() {
        case .unsigned: return .unsigned(try reader.readUnsigned())
        case .byteString: return .bytes(Array(try reader.readByteString()))
        case .text: return .text(try reader.readText())
        case .array:
            var items: [CBORItem] = []
            try reader.readArray { (_, reader) throws(DecodeError) in
                items.append(try item(&reader, of: bytes, depth: depth + 1))
            }
            return .array(items)
        case .map:
            var items: [CBORItem] = []
            try reader.readMap { (key, reader) throws(DecodeError) in
                items += [try self.key(key), try item(&reader, of: bytes, depth: depth + 1)]
            }
            return .map(items)
        case .tag: return .tagged(try reader.readTag(), try item(&reader, of: bytes, depth: depth))
        case .negative: return try negative(&reader, of: bytes)
        case .simple, nil: return try skipped(&reader, of: bytes)
        }
    }

    private static func key(_ key: CBORKey) throws(DecodeError) -> CBORItem {
        if let text = key.text { return .text(text) }
        if let integer = key.integer { return .integer(Int(integer)) }
        // An integer of more than 64 bits: only its description gives the value.
        guard let value = key.description.first == "-" ? nil : UInt64(key.description) else {
            guard let argument = argument(ofNegative: key.description) else {
                FuzzTarget.broken("a key that is no text and no integer: \(key)")
            }
            return .negative(argument: argument)
        }
        return .unsigned(value)
    }

    /// The argument of -18446744073709551616 to -1.
    private static func argument(ofNegative text: String) -> UInt64? {
        text == "-18446744073709551616" ? .max : UInt64(text.dropFirst()).map { $0 - 1 }
    }

    private static func negative(
        _ reader: inout CBORReader, of bytes: ArraySlice<UInt8>
    ) throws(DecodeError) -> CBORItem {
        var copy = reader
        do throws(DecodeError) {
            let value = try copy.readInteger()
            FuzzTarget.require(value < 0, "a negative integer was read as \(value)")
            reader = copy
            return .integer(Int(value))
        } catch {
            guard error.reason == .tooLarge else { throw error }
            return try skipped(&reader, of: bytes)
        }
    }

    /// The item from the bytes that a skip passes over.
    static func skipped(
        _ reader: inout CBORReader, of bytes: ArraySlice<UInt8>
    ) throws(DecodeError) -> CBORItem {
        let start = reader.offset
        try reader.skipItem()
        return .raw(Array(bytes[start..<reader.offset]))
    }
}
