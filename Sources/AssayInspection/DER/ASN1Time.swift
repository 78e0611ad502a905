import AssayCore
package import FoundationEssentials

/// Parses UTCTime and GeneralizedTime in every form of X.680 (sections 46 and 47), for inspection.
package enum ASN1Time {
    /// The time of a text; nil if the text is malformed.
    ///
    /// - Parameters:
    ///   - text: the contents octets.
    ///   - isUTCTime: whether the year has two digits, for 1950 to 2049 (RFC 5280 section 4.1.2.5.1).
    package static func parse(_ text: ArraySlice<UInt8>, isUTCTime: Bool) -> Date? {
        let digits = text.prefix { (0x30...0x39).contains($0) }
        let yearLength = isUTCTime ? 2 : 4
        var rest = text[digits.endIndex...]
        let values = digits.map { Int($0) - 0x30 }
        let fieldDigits = values.count - yearLength
        // Minutes and seconds are optional.
        guard fieldDigits >= 6, fieldDigits <= 10, fieldDigits % 2 == 0 else { return nil }
        var year = values[..<yearLength].reduce(0) { $0 * 10 + $1 }
        if isUTCTime { year += year < 50 ? 2000 : 1900 }
        var fields = stride(from: yearLength, to: values.count, by: 2).map { values[$0] * 10 + values[$0 + 1] }
        let fractionUnit = [3600.0, 60.0, 1.0][fields.count - 3]
        while fields.count < 5 { fields.append(0) }
        guard let days = RFC3339.daysSince1970(year: year, month: fields[0], day: fields[1]), fields[2] < 24,
            fields[3] < 60, fields[4] < 61
        else { return nil }
        var seconds = Double(((days * 24 + fields[2]) * 60 + fields[3]) * 60 + fields[4])
        if rest.first == 0x2E || rest.first == 0x2C {
            let fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
            seconds += fraction.prefix(15).reversed().reduce(0.0) { ($0 + Double($1 - 0x30)) / 10 } * fractionUnit
        }
        if rest.elementsEqual([0x5A]) || rest.isEmpty { return Date(timeIntervalSince1970: seconds) }
        let sign = rest.first == 0x2B ? -1 : 1
        let offset = rest.dropFirst().map { Int($0) - 0x30 }
        guard rest.first == 0x2B || rest.first == 0x2D, offset.count == 4, offset.allSatisfy({ (0...9).contains($0) })
        else { return nil }
        let minutes = (offset[0] * 10 + offset[1]) * 60 + offset[2] * 10 + offset[3]
        return Date(timeIntervalSince1970: seconds + Double(sign * minutes * 60))
    }

    /// The time in a UTCTime or GeneralizedTime node; nil for other nodes.
    package static func parse(_ node: DERNode, in bytes: [UInt8]) -> Date? {
        guard node.isUniversal(23) || node.isUniversal(24) else { return nil }
        return parse(bytes[node.contents], isUTCTime: node.isUniversal(23))
    }
}
