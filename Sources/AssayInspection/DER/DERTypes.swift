import AssayPrimitives
import FoundationEssentials

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
            if let text = printable(contents) { return ("\"\(text)\"", length) }
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

    /// The bytes as text if all of them are printable ASCII, as in implicitly tagged strings; otherwise nil.
    static func printable(_ contents: ArraySlice<UInt8>) -> String? {
        guard contents.count > 2, contents.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: contents, as: UTF8.self)
    }
}
