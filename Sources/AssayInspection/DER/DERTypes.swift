import AssayCore
package import FoundationEssentials

/// The universal types of ASN.1: their names, and descriptions of their values.
enum DERTypes {
    private static let names: [UInt64: String] = [
        0: "end-of-contents", 1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL",
        6: "OBJECT IDENTIFIER", 7: "ObjectDescriptor", 8: "EXTERNAL", 9: "REAL", 10: "ENUMERATED", 11: "EMBEDDED PDV",
        12: "UTF8String", 13: "RELATIVE-OID", 16: "SEQUENCE", 17: "SET", 18: "NumericString", 19: "PrintableString",
        20: "TeletexString", 21: "VideotexString", 22: "IA5String", 23: "UTCTime", 24: "GeneralizedTime",
        25: "GraphicString", 26: "VisibleString", 27: "GeneralString", 28: "UniversalString", 30: "BMPString",
    ]

    /// The name of a value's type: `SEQUENCE`, `[0]`, `[APPLICATION 3]`.
    static func name(of node: DERNode) -> String {
        switch node.tagClass {
        case .universal: names[node.tagNumber] ?? "[UNIVERSAL \(node.tagNumber)]"
        case .application: "[APPLICATION \(node.tagNumber)]"
        case .contextSpecific: "[\(node.tagNumber)]"
        case .private: "[PRIVATE \(node.tagNumber)]"
        }
    }

    /// The text of a primitive value, and its meaning.
    static func describe(_ node: DERNode, in bytes: [UInt8]) -> (value: String?, meaning: String?) {
        let contents = bytes[node.contents]
        let length = Words.count(contents.count, "byte")
        guard node.tagClass == .universal else {
            // As in implicitly tagged strings.
            if contents.count > 2, let text = LenientText.printable(contents) { return ("\"\(text)\"", length) }
            return (Hexadecimal.text(contents), length)
        }
        switch node.tagNumber {
        case 1: return (contents.allSatisfy { $0 == 0 } ? "FALSE" : "TRUE", nil)
        case 2, 10: return integer(contents)
        case 3:
            guard let unused = contents.first else { return (nil, "no bits") }
            let bits = contents.dropFirst()
            return (
                Hexadecimal.text(bits),
                unused == 0 ? Words.count(bits.count, "byte") : "\(max(0, bits.count * 8 - Int(unused))) bits"
            )
        case 5: return (nil, nil)
        case 6:
            guard let dotted = ObjectIdentifierText.dotted(contents) else {
                return (Hexadecimal.text(contents), "no object identifier")
            }
            return (dotted, ObjectIdentifierNames.name(of: dotted))
        case 23, 24:
            guard let date = ASN1Time.parse(node, in: bytes) else { return (text(of: node, in: bytes), "no time") }
            return time(date)
        case 12, 18...22, 25...28, 30: return (text(of: node, in: bytes), nil)
        default: return (Hexadecimal.text(contents), length)
        }
    }

    /// A time in RFC 3339 and in words.
    static func time(_ date: Date) -> (String, String) {
        TimeWords.epoch(date.timeIntervalSince1970) ?? ("a time beyond the calendar", "")
    }

    /// An INTEGER: decimal up to 8 bytes, otherwise hexadecimal.
    static func integer(_ contents: ArraySlice<UInt8>) -> (value: String?, meaning: String?) {
        guard let first = contents.first else { return (nil, "an INTEGER without bytes") }
        let significant = contents.drop { $0 == (first & 0x80 == 0 ? 0x00 : 0xFF) }
        guard significant.count <= 8 else {
            // A leading zero byte only makes the number positive.
            let digits = contents.count > 1 && first == 0 ? contents.dropFirst() : contents
            return ("0x\(Hexadecimal.text(digits))", "\(first & 0x80 == 0 ? "" : "negative, ")\(digits.count) bytes")
        }
        let magnitude = significant.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if first & 0x80 == 0 { return ("\(magnitude)", nil) }
        guard significant.count < 8 || (significant.first ?? 0) & 0x80 != 0 else {
            return ("0x\(Hexadecimal.text(contents))", "negative, \(contents.count) bytes")
        }
        let bits = significant.reduce(UInt64.max) { $0 << 8 | UInt64($1) }
        return ("\(Int64(bitPattern: bits))", nil)
    }

    /// The text of a string of any type, with invalid parts replaced.
    static func text(of node: DERNode, in bytes: [UInt8]) -> String {
        let contents = bytes[node.contents]
        switch node.tagNumber {
        case 20: return String(String.UnicodeScalarView(contents.map { Unicode.Scalar($0) }))
        case 28, 30:
            let width = node.tagNumber == 28 ? 4 : 2
            var text = String.UnicodeScalarView()
            for start in stride(from: contents.startIndex, to: contents.endIndex, by: width) {
                let code = contents[start..<min(start + width, contents.endIndex)].reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
                text.append(Unicode.Scalar(code) ?? "\u{FFFD}")
            }
            return String(text)
        default: return String(decoding: contents, as: UTF8.self)
        }
    }
}

/// Parses UTCTime and GeneralizedTime in every form of X.680 (sections 46 and 47), for inspection.
package enum ASN1Time {
    /// The time of a text; nil if the text is malformed. A UTCTime has a year of two digits, for 1950 to 2049 (RFC 5280 section
    /// 4.1.2.5.1).
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
