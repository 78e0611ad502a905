import AssayInspection
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Lenient DER")
struct LenientDERTests {
    struct Case: Sendable {
        let hex: String
        let name: String
        let value: String?
        let meaning: String?
    }

    @Test(
        "Universal types are shown by name and value (X.690)",
        arguments: [
            Case(hex: "0101ff", name: "BOOLEAN", value: "TRUE", meaning: nil),
            Case(hex: "02020080", name: "INTEGER", value: "128", meaning: nil),
            Case(hex: "0201ff", name: "INTEGER", value: "-1", meaning: nil),
            Case(hex: "02088000000000000000", name: "INTEGER", value: "-9223372036854775808", meaning: nil),
            Case(hex: "020900ffffffffffffffff", name: "INTEGER", value: "18446744073709551615", meaning: nil),
            Case(hex: "020a00ffffffffffffffffff", name: "INTEGER", value: "0xffffffffffffffffff", meaning: "9 bytes"),
            Case(hex: "0500", name: "NULL", value: nil, meaning: nil),
            Case(hex: "03020780", name: "BIT STRING", value: "80", meaning: "1 bits"),
            Case(hex: "06032a0304", name: "OBJECT IDENTIFIER", value: "1.2.3.4", meaning: nil),
            Case(
                hex: "06082a8648ce3d030107", name: "OBJECT IDENTIFIER", value: "1.2.840.10045.3.1.7", meaning: "P-256"),
            Case(hex: "0603883703", name: "OBJECT IDENTIFIER", value: "2.999.3", meaning: nil),
            Case(
                hex: "170d3236303432313138313331325a", name: "UTCTime", value: "2026-04-21T18:13:12Z",
                meaning: "Tuesday 21 April 2026, 18:13:12 UTC"),
            Case(
                hex: "181332303236303432313138313331322e3235302b", name: "GeneralizedTime",
                value: "20260421181312.250+", meaning: "no time"),
            Case(hex: "0c03e282ac", name: "UTF8String", value: "€", meaning: nil),
            Case(hex: "1e0420ac0041", name: "BMPString", value: "€A", meaning: nil),
            Case(hex: "8003414243", name: "[0]", value: "\"ABC\"", meaning: "3 bytes"),
            Case(hex: "9f8934020102", name: "[1204]", value: "0102", meaning: "2 bytes"),
        ])
    func values(sample: Case) throws {
        let bytes = try #require([UInt8](hex: sample.hex))
        let node = try #require(LenientDER.readOne(bytes[...])).node
        let annotation = DERAnnotator.annotate(node, in: bytes)
        #expect(annotation.name == sample.name)
        #expect(annotation.value == sample.value)
        #expect(annotation.meaning == sample.meaning)
        #expect(annotation.violation == nil)
        #expect(annotation.range == bytes.indices)
    }

    @Test(
        "Times are read in every form (X.680 sections 46 and 47)",
        arguments: [
            ("260421181312Z", true, 1_776_795_192.0), ("2604211813Z", true, 1_776_795_180),
            ("260421201312+0200", true, 1_776_795_192), ("500101000000Z", true, -631_152_000),
            ("20260421181312Z", false, 1_776_795_192), ("20260421181312.5Z", false, 1_776_795_192.5),
            ("2026042118.5Z", false, 1_776_796_200), ("20260421181312", false, 1_776_795_192),
        ])
    func times(text: String, isUTCTime: Bool, expected: Double) {
        #expect(ASN1Time.parse(Array(text.utf8)[...], isUTCTime: isUTCTime)?.timeIntervalSince1970 == expected)
    }

    @Test(
        "Invalid times are not shown as times",
        arguments: [
            "", "Z", "2604", "261321181312Z", "260230000000Z", "260421251312Z", "260421181312+2", "26042118131Z",
        ])
    func noTimes(text: String) {
        #expect(ASN1Time.parse(Array(text.utf8)[...], isUTCTime: true) == nil)
    }

    @Test(
        "Input that the strict reader rejects is shown and marked",
        arguments: [
            ("308002010100 00", "indefinite length, which DER does not have"),
            ("028101 05", "tag or length take more bytes than they need to"),
            ("0284000000 0105", "tag or length take more bytes than they need to"),
            ("1f020105", "tag or length take more bytes than they need to"),
            ("020105020106", "bytes follow the first value"),
        ])
    func irregularities(hex: String, expected: String) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        let contents = DERFormat.annotate(bytes)
        #expect(contents.annotations.flattened.contains { $0.violation == expected })
        #expect(
            contents.annotations.shown.contains("INTEGER | 5") || contents.annotations.shown.contains("INTEGER | 1"))
    }

    @Test(
        "In truncated or wrong input, everything before the error and the rest of the enclosing value are read",
        arguments: [
            ("3003020105", nil), ("3006020105", "claims 6 bytes, 3 are left"),
            ("30", "expected a length, found the end"),
            ("3082", "the length takes 2 bytes, 0 are left"), ("1f", "the tag number does not end"),
            ("3088ffffffffffffffff020105", "claims more than any bytes, 3 are left"),
            ("308affffffffffffffffffff020105", "claims more than any bytes, 3 are left"),
            ("3080020105", "the bytes end without end-of-contents octets"),
            ("0280020105", "a primitive value has no indefinite length"),
            ("30053003020505020105", "claims 5 bytes, 1 are left"),
            ("1fffffffffffffffffffff0105", "the tag number has more than 64 bits"),
        ] as [(String, String?)])
    func broken(hex: String, reason: String?) throws {
        let bytes = try #require([UInt8](hex: hex))
        let contents = DERFormat.annotate(bytes)
        #expect(contents.annotations.flattened.compactMap(\.violation).first == reason)
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
    }

    @Test("Depth and number of values are bounded, and the time is linear")
    func bounds() {
        let deep = (0..<(1 << 20)).map { $0 % 2 == 0 ? UInt8(0x30) : 0x80 }
        #expect(DERFormat.annotate(deep).annotations.shown.contains("values nest deeper than 64"))
        let many = [UInt8](repeating: 0, count: 1 << 20)
        #expect(LenientDER.read(many[...]).count == LenientDER.values + 1)
    }

    @Test("Values inside OCTET STRINGs and BIT STRINGs are found if they fill them")
    func encapsulated() {
        let inner = DERBuilder.sequence(DERBuilder.integer(5))
        let bytes = DERBuilder.sequence(
            DERBuilder.octetString(inner), DERBuilder.bitString(inner), DERBuilder.octetString(inner + [0]))
        let parts = DERFormat.annotate(bytes).annotations[0].children
        #expect(parts.map(\.children.count) == [1, 1, 0])
        #expect(parts[0].children["SEQUENCE", "INTEGER"]?.value == "5")
    }

    @Test("An object identifier with a component over 63 bits is shown as bytes")
    func hugeIdentifier() {
        let contents = [UInt8](repeating: 0xFF, count: 12) + [0x7F]
        #expect(ObjectIdentifierText.dotted(contents[...]) == nil)
        let bytes = DERBuilder.element(0x06, contents)
        #expect(DERFormat.annotate(bytes).annotations[0].meaning == "no object identifier")
    }
}
