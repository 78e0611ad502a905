/// The query parameters for `@query-param` (RFC 9421 section 2.2.8).
struct QueryParameters {
    /// The result of a look-up by name.
    enum Value {
        /// The re-encoded value of the only parameter with the name.
        case once([UInt8])
        /// Several parameters have the name.
        case severalTimes
    }

    private var values: [[UInt8]: Value] = [:]

    /// Parses a query as application/x-www-form-urlencoded (URL standard), where `+` is a space, and re-encodes names
    /// and values; a space becomes `%20`. Deviation: it re-encodes bytes that are not UTF-8 unchanged; the URL
    /// standard replaces them, which would make different values equal.
    init(_ query: ArraySlice<UInt8>) {
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = Self.encoded(pair[..<equals])
            values[name] = values[name] == nil ? .once(Self.encoded(pair[equals...].dropFirst())) : .severalTimes
        }
    }

    /// Looks up a name, encoded as in the component.
    subscript(name: String) -> Value? { values[Array(name.utf8)] }

    /// Decodes a name or value, and re-encodes it canonically.
    private static func encoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            var byte = text[index]
            if byte == UInt8(ascii: "+") {
                byte = 0x20
            } else if byte == UInt8(ascii: "%"), text.endIndex - index > 2,
                let high = Self.digit(text[index + 1]), let low = Self.digit(text[index + 2])
            {
                byte = high << 4 | low
                index += 2
            }
            index += 1
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(upperDigit(byte >> 4))
                result.append(upperDigit(byte & 15))
            }
        }
        return result
    }

    /// Whether the form encoding leaves a byte unchanged.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func upperDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
