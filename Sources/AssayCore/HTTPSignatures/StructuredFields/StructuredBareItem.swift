/// A value of a structured field without its parameters (RFC 9651 section 3.3).
package enum StructuredBareItem: Sendable, Equatable {
    /// A whole number of at most 15 digits.
    case integer(Int64)
    /// A number with a fraction.
    case decimal(StructuredDecimal)
    /// Printable ASCII and spaces, unescaped and without quotes.
    case string(String)
    /// A word, written without quotes.
    case token(String)
    /// Bytes; base64 between colons in the field.
    case byteSequence([UInt8])
    case boolean(Bool)
    /// Seconds since 1970, of at most 15 digits; not in RFC 8941.
    case date(Int64)
    /// Unicode text; not in RFC 8941.
    case displayString(String)

    /// The RFC's name for the type, for messages.
    package var kindName: String {
        switch self {
        case .integer: "an Integer"
        case .decimal: "a Decimal"
        case .string: "a String"
        case .token: "a Token"
        case .byteSequence: "a Byte Sequence"
        case .boolean: "a Boolean"
        case .date: "a Date"
        case .displayString: "a Display String"
        }
    }

    /// Compares type and value; texts are compared as bytes.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)), (.date(let left), .date(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)), (.token(let left), .token(let right)),
            (.displayString(let left), .displayString(let right)):
            left.isByteEqual(to: right)
        case (.byteSequence(let left), .byteSequence(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer, _), (.decimal, _), (.string, _), (.token, _), (.byteSequence, _), (.boolean, _), (.date, _),
            (.displayString, _):
            false
        }
    }
}

/// An exact number with at most twelve digits before the point and three after it (RFC 9651 section 3.3.2).
package struct StructuredDecimal: Sendable, Hashable {
    /// The number in thousandths.
    package let thousandths: Int64

    /// The largest number in thousandths, 999,999,999,999.999; its negative is the smallest.
    package static let limit: Int64 = 999_999_999_999_999

    /// Creates a number. The writer rejects numbers beyond ``limit``.
    package init(thousandths: Int64) { self.thousandths = thousandths }

    /// Rounds to the nearest number, ties to even (section 4.1.5). Returns nil beyond ``limit`` and for NaN.
    package init?(rounding value: Double) {
        let scaled = (value * 1000).rounded(.toNearestOrEven)
        guard abs(scaled) <= Double(Self.limit) else { return nil }
        thousandths = Int64(scaled)
    }
}
