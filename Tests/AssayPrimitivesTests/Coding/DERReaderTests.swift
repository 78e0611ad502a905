import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("DER reader") struct DERReaderTests {
    static let refusedStructure: [Rejection] = [
        Rejection("", .truncated, 0, "an element is there"),
        Rejection("02", .truncated, 1, "a tag has a length"),
        Rejection("0202ff", .truncated, 2, "contents are complete"),
        Rejection("0282", .truncated, 2, "a length is complete"),
        Rejection("020100ff", .trailingBytes, 3, "one element and nothing after it"),
        Rejection("308000000000", .indefiniteLength, 1, "lengths are definite"),
        Rejection("02810100", .notMinimal, 1, "lengths are in their shortest form"),
        Rejection("0282008000", .notMinimal, 1, "lengths have no leading zeros"),
        Rejection("04850000000001", .tooLarge, 1, "lengths have at most four bytes"),
        Rejection("04847fffffff00", .truncated, 6, "a claimed length is not believed"),
        Rejection("04ff", .tooLarge, 1, "the length byte FF is reserved"),
        Rejection("0000", .malformed, 0, "tag 0 is reserved"),
        Rejection("9f1e00", .notMinimal, 0, "tag numbers below 31 take one byte"),
        Rejection("9f801f00", .notMinimal, 0, "tag numbers have no leading zeros"),
        Rejection("9f888080800000", .tooLarge, 0, "tag numbers have at most 31 bits"),
        Rejection("9fff", .truncated, 2, "tag numbers end"),
        Rejection("2403040100", .unexpectedType, 0, "OCTET STRINGs are primitive"),
        Rejection("1000", .unexpectedType, 0, "a SEQUENCE is constructed"),
    ]

    @Test("Structural violations are refused with the byte offset", arguments: refusedStructure)
    func refusesStructure(_ rejection: Rejection) {
        let error = decodeError {
            var reader = DERReader(rejection.hexBytes)
            _ = try reader.read()
            try reader.finish()
        }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    static let refusedValues: [Rejection] = [
        Rejection("010101", .notMinimal, 2, "TRUE is FF"),
        Rejection("01020000", .notMinimal, 2, "a BOOLEAN has one byte"),
        Rejection("0200", .malformed, 2, "an INTEGER has a byte"),
        Rejection("0202007f", .notMinimal, 2, "an INTEGER has no needless zeros"),
        Rejection("0202ff80", .notMinimal, 2, "a negative INTEGER has no needless ones"),
        Rejection("0209008000000000000000", .tooLarge, 2, "an INTEGER of 64 bits fits"),
        Rejection("0300", .malformed, 2, "a BIT STRING says how many bits are unused"),
        Rejection("030208ff", .malformed, 2, "at most 7 bits are unused"),
        Rejection("030101", .malformed, 2, "nothing has no unused bits"),
        Rejection("030201ff", .malformed, 2, "unused bits are zero"),
        Rejection("050100", .malformed, 2, "NULL is empty"),
        Rejection("0600", .truncated, 2, "an OBJECT IDENTIFIER has a component"),
        Rejection("06022a80", .truncated, 4, "components end"),
        Rejection("06032a8001", .notMinimal, 3, "components have no leading zeros"),
        Rejection("060b2affffffffffffffffff7f", .tooLarge, 11, "components have at most 63 bits"),
        Rejection("0c01ff", .invalidText, 2, "a UTF8String is UTF-8"),
        Rejection("130140", .invalidText, 2, "a PrintableString has its alphabet"),
        Rejection("160180", .invalidText, 2, "an IA5String is ASCII"),
        Rejection("170b323031323331323335395a", .malformed, 2, "a UTCTime has seconds"),
        Rejection("170d3230313333313233353935395a", .malformed, 2, "a month exists"),
        Rejection("170d3231303232393030303030305a", .malformed, 2, "a day exists"),
        Rejection("170d3230303130313234303030305a", .malformed, 2, "a day has 24 hours"),
        Rejection("1811323032303031303130303030303030302e355a", .malformed, 2, "a time has no fraction"),
    ]

    private static func readValue(_ bytes: ArraySlice<UInt8>) throws {
        var reader = DERReader(bytes)
        let element = try reader.read()
        switch element.tag {
        case .boolean: _ = try element.boolean()
        case .integer: _ = try element.integer()
        case .bitString: _ = try element.bitString()
        case .null: try element.null()
        case .objectIdentifier: _ = try ObjectIdentifier(element)
        case .utcTime, .generalizedTime: _ = try element.time()
        default: _ = try element.text()
        }
    }

    @Test("Invalid values are refused with the byte offset", arguments: refusedValues)
    func refusesValues(_ rejection: Rejection) {
        let error = decodeError { try Self.readValue(rejection.hexBytes[...]) }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    @Test("A part of an input is refused as if it were all of it, with the offset in the input")
    func refusesInParts() throws {
        for rejection in Self.refusedStructure + Self.refusedValues {
            let bytes = rejection.hexBytes
            // What follows would complete most of what ends too early.
            let input = [0x02, 0x01] + bytes + [UInt8](repeating: 0x00, count: 130)
            let part = input[2..<2 + bytes.count]
            let alone = try #require(
                decodeError {
                    try Self.readValue(bytes[...])
                    try DERReader(bytes).finish()
                })
            let inPart = decodeError {
                try Self.readValue(part)
                try DERReader(part).finish()
            }
            let scanned = try? DERScanner(part).only(.integer, in: part.span).unsignedInteger(in: part.span)
            #expect(inPart?.reason == alone.reason, "\(bytes)")
            #expect(inPart?.offset == alone.offset + 2, "\(bytes)")
            #expect(inPart?.message == alone.message, "\(bytes)")
            // Without a sign, this has 64 bits.
            #expect(scanned == nil || scanned == 1 << 63, "\(bytes)")
        }
    }

    @Test(
        "An INTEGER from 0 to 2^64 - 1 is read, and no other",
        arguments: [
            ("020100", 0), ("02017f", 127), ("02020080", 128), ("02087fffffffffffffff", UInt64(Int64.max)),
            ("020900ffffffffffffffff", .max), ("0200", nil), ("0201ff", nil), ("02020001", nil), ("0202ff80", nil),
            ("02088000000000000000", nil), ("020a00ffffffffffffffffff", nil), ("0209010000000000000000", nil),
            ("02020100", 256), ("0203000100", nil), ("0103000100", nil), ("02020100ff", nil), ("020201", nil),
        ] as [(String, UInt64?)])
    func readsUnsignedInteger(_ hex: String, _ expected: UInt64?) throws {
        let bytes = try #require([UInt8](hex: hex))[...]
        let found = try? DERScanner(bytes).only(.integer, in: bytes.span).unsignedInteger(in: bytes.span)
        #expect(found == expected)
    }

    @Test("A scanner goes on behind what it read, and stays where it is at what it refuses")
    func scannerPositions() throws {
        let input: [UInt8] = [0xFF, 0x30, 0x06, 0x02, 0x01, 0x07, 0x01, 0x01, 0xFF, 0x05, 0x00]
        let part = input[1...]
        var outer = DERScanner(part)
        var inner = try outer.readContents(.sequence, in: part.span)
        #expect(inner.indices == 3..<9 && outer.indices == 9..<11)
        #expect(throws: DecodeError.self) { try inner.readContents(.boolean, in: part.span) }
        let absent = try inner.readIfPresent(.boolean, in: part.span)
        #expect(absent == nil && inner.offset == 3)
        let number = try inner.read(in: part.span)
        #expect(number.tag == .integer && number.indices == 3..<6 && number.contents.indices == 5..<6)
        let byte = number.contents.onlyByte(in: part.span)
        #expect(byte == 7)
        #expect(throws: DecodeError.self) { try inner.finish() }
        let flag = try inner.readIfPresent(.boolean, in: part.span)?.contents.boolean(in: part.span)
        #expect(flag == true && inner.isAtEnd && inner.count == 0)
        try inner.finish()
        let behind = try inner.readIfPresent(.boolean, in: part.span)
        #expect(behind == nil)
        #expect(throws: DecodeError.self, "the end of the part ends it, not that of the input") {
            try inner.read(.null, in: part.span)
        }
        #expect(throws: DecodeError.self) { try inner.read(in: part.span) }
        try outer.readContents(.null, in: part.span).null()
        try outer.finish()
    }

    @Test("Values are read unchanged")
    func readsValues() throws {
        let contents = "0101ff" + "020180" + "03020780" + "06092a864886f763640802" + "0c02c3a9" + "0500" + "a003040101"
        var reader = DERReader([UInt8](hex: "3020" + contents) ?? [])
        var sequence = try reader.readConstructed(.sequence)
        try reader.finish()
        #expect(try sequence.read(.boolean).boolean())
        #expect(try sequence.read(.integer).integer() == -128)
        let (unused, bits) = try sequence.read(.bitString).bitString()
        #expect(unused == 7 && bits == [0x80])
        #expect(try ObjectIdentifier(sequence.read(.objectIdentifier)).description == "1.2.840.113635.100.8.2")
        #expect(try sequence.read(.utf8String).text() == "é")
        try sequence.read(.null).null()
        var tagged = try sequence.readConstructed(.context(0))
        #expect(try tagged.read(.octetString).octetString() == [1])
        try sequence.finish()
        #expect(ObjectIdentifier(2, 100, 3).description == "2.100.3")
    }

    @Test("Contents alone are read by the rules of elements", arguments: refusedStructure)
    func refusesContents(_ rejection: Rejection) {
        let bytes = rejection.hexBytes
        let element = decodeError { _ = try DERReader.single(.integer, in: bytes[...]) }
        let contents = decodeError { _ = try DERReader.contents(of: .integer, in: bytes[...]) }
        #expect(contents != nil && contents == element)
    }

    @Test("Contents alone are those of the element")
    func readsContents() throws {
        #expect(try DERReader.contents(of: .integer, in: [0x02, 0x02, 0x01, 0x00]) == [1, 0])
        var reader = DERReader([0x05, 0x00, 0x02, 0x01, 0x07])
        #expect(throws: DecodeError.self) { try reader.readContents(.integer) }
        #expect(reader.offset == 0, "what is refused is not skipped")
        #expect(try reader.readContents(.null) == [])
        #expect(try reader.readContents(.integer) == [7])
        try reader.finish()
    }

    @Test(
        "A tag is read only if class, form and number are the demanded ones",
        arguments: [30, 31, 32, 0x1F << 7] as [UInt32])
    func demandsTag(_ number: UInt32) throws {
        let octets: [UInt8] =
            switch number {
            case ..<31: [0xA0 | UInt8(number)]
            case ..<128: [0xBF, UInt8(number)]
            default: [0xBF, UInt8(number >> 7) | 0x80, UInt8(number & 0x7F)]
            }
        let bytes = octets + [0x02, 0x05, 0x00]
        #expect(try DERReader.contents(of: .context(number), in: bytes[...]) == [0x05, 0x00])
        var reader = DERReader(bytes)
        #expect(try reader.readIfPresent(.context(number))?.tag == .context(number))
        for tag in [
            ASN1Tag.context(number, constructed: false), .context(number - 1), .context(number + 1), .context(0),
            ASN1Tag(.application, number, constructed: true), .sequence,
        ] {
            #expect(throws: DecodeError.self, "\(tag)") { try DERReader.contents(of: tag, in: bytes[...]) }
            var reader = DERReader(bytes)
            #expect(try reader.readIfPresent(tag) == nil, "\(tag)")
        }
    }

    @Test("An object identifier that was read is equal to the constant, and to no longer or other one")
    func identifierEquality() throws {
        let constant = ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)
        let bytes: [UInt8] = [0xFF, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        let read = try ObjectIdentifier(DERReader.single(.objectIdentifier, in: bytes[1...]))
        #expect(read == constant && Set([constant]).contains(read))
        for other in [
            ObjectIdentifier(1, 2, 840, 10045, 4, 3), ObjectIdentifier(1, 2, 840, 10045, 4, 3, 3),
            ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2, 1),
        ] { #expect(read != other && !Set([constant]).contains(other)) }
    }

    @Test("A PrintableString has letters, digits, spaces and some punctuation")
    func alphabetOfPrintableStrings() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?".utf8)
        for byte in UInt8.min...UInt8.max {
            let text = try? DERReader.single(.printableString, in: [0x13, 0x01, byte]).text()
            #expect((text != nil) == allowed.contains(byte), "\(byte)")
        }
    }

    @Test("An object identifier has at most 128 bytes", arguments: [(128, true), (129, false), (200, false)])
    func identifierLength(count: Int, isRead: Bool) throws {
        var reader = DERReader([0x06, 0x81, UInt8(count)] + [UInt8](repeating: 1, count: count))
        let element = try reader.read(.objectIdentifier)
        guard !isRead else {
            #expect(try ObjectIdentifier(element).contents.count == count)
            return
        }
        let error = #expect(throws: DecodeError.self) { try ObjectIdentifier(element) }
        #expect(error?.code == "too-large")
    }

    @Test(
        "Times are those of RFC 5280; the year of a UTCTime is from 1950 to 2049",
        arguments: [
            ("500101000000Z", "1950-01-01T00:00:00Z"), ("491231235959Z", "2049-12-31T23:59:59Z"),
            ("20240229120000Z", "2024-02-29T12:00:00Z"), ("20500101000000Z", "2050-01-01T00:00:00Z"),
        ])
    func readsTimes(_ text: String, _ expected: String) throws {
        let tag: UInt8 = text.count == 13 ? 0x17 : 0x18
        var reader = DERReader([tag, UInt8(text.count)] + Array(text.utf8))
        #expect(try RFC3339.format(reader.read().time()) == expected)
    }
}
