/// The parameters of a query, as `@query-param` names and signs them (RFC 9421 section 2.2.8).
struct QueryParameters {
    /// What a name stands for.
    enum Value {
        /// The value of the one parameter with the name, encoded anew.
        case once([UInt8])
        /// Several parameters have the name.
        case severalTimes
    }

    private var values: [[UInt8]: Value] = [:]

    /// Takes a query apart as HTML forms are (the URL standard's application/x-www-form-urlencoded), so that `+` is a
    /// space, and encodes names and values anew, a space as `%20`.
    ///
    /// Bytes that are not UTF-8 are encoded as they are. The URL standard has them replaced, and different values would
    /// become one; no client can have encoded such a value.
    init(_ query: ArraySlice<UInt8>) {
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = Self.encoded(pair[..<equals])
            values[name] = values[name] == nil ? .once(Self.encoded(pair[equals...].dropFirst())) : .severalTimes
        }
    }

    /// What a name, encoded as the component names it, stands for.
    subscript(name: String) -> Value? { values[Array(name.utf8)] }

    /// Decodes a name or value, and encodes it again in the one way.
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

    /// What the encode set of forms leaves as it is.
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
