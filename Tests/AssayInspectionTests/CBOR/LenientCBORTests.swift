import AssayCore
import AssayInspection
import AssayTestSupport
import AssayTesting
import Testing

@Suite("Lenient CBOR")
struct LenientCBORTests {
    struct Case: Sendable {
        let hex: String
        let notation: String
    }

    @Test(
        "Scalars are shown in diagnostic notation (RFC 8949, appendix A)",
        arguments: [
            Case(hex: "00", notation: "0"), Case(hex: "1bffffffffffffffff", notation: "18446744073709551615"),
            Case(hex: "20", notation: "-1"), Case(hex: "3bffffffffffffffff", notation: "-18446744073709551616"),
            Case(hex: "3b7fffffffffffffff", notation: "-9223372036854775808"), Case(hex: "f4", notation: "false"),
            Case(hex: "f7", notation: "undefined"), Case(hex: "f8ff", notation: "simple(255)"),
            Case(hex: "f93c00", notation: "1.0"), Case(hex: "f90001", notation: "5.960464477539063e-08"),
            Case(hex: "f97c00", notation: "inf"), Case(hex: "f9c400", notation: "-4.0"),
            Case(hex: "fa47c35000", notation: "100000.0"), Case(hex: "fb3ff199999999999a", notation: "1.1"),
            Case(hex: "43010203", notation: "h'010203'"), Case(hex: "6161", notation: "\"a\""),
            Case(hex: "7f61616162ff", notation: "\"ab\""), Case(hex: "1800", notation: "0"),
        ])
    func notation(sample: Case) throws {
        let bytes = try #require([UInt8](hex: sample.hex))
        let (node, end) = LenientCBOR.read(bytes[...])
        #expect(CBORAnnotator.notation(node, in: bytes) == sample.notation)
        #expect(end == bytes.count && node.range == bytes.indices && !node.isBroken)
    }

    @Test("Members are named by their keys, and found by text and integer keys")
    func members() throws {
        let bytes = CBORItem.map([
            .text("fmt"), .text("apple-appattest"), .integer(-2), .bytes([1, 2]), .integer(3), .array([.unsigned(7)]),
        ]).encoded
        let node = LenientCBOR.read(bytes[...]).node
        // Swift 6.3.1 cannot compile an expectation that contains a node, with optimisation.
        let format: Range<Int>? = node["fmt"]?.range
        let numbered: Range<Int>? = node[-2]?.byteRange
        let isFound: Bool = node["none"] != nil
        #expect(format.map { Array(bytes[$0]) } == CBORItem.text("apple-appattest").encoded)
        #expect(numbered.map { Array(bytes[$0]) } == [1, 2])
        #expect(!isFound)
        let annotations = CBORAnnotator.annotate(bytes)
        #expect(annotations["item"]?.meaning == "map of 3 members")
        #expect(annotations["item", "-2"]?.meaning == "byte string of 2 bytes")
        #expect(annotations["item", "3", "[0]"]?.value == "7")
        #expect(annotations.flattened.allSatisfy { $0.violation == nil })
    }

    @Test(
        "Input that the strict reader rejects is shown and marked",
        arguments: [
            ("1800", "the head is longer than it needs to be"), ("190017", "the head is longer than it needs to be"),
            ("9f01ff", "indefinite length"), ("5f4101ff", "indefinite length"), ("61ff", "not valid UTF-8"),
            ("a2016102016103", "the key comes twice"), ("a1180102", "key: the head is longer than it"),
            ("0001", "bytes follow the first item"),
        ])
    func irregularities(hex: String, expected: String) throws {
        let bytes = try #require([UInt8](hex: hex))
        #expect(CBORAnnotator.annotate(bytes).flattened.contains { $0.violation?.hasPrefix(expected) ?? false })
    }

    @Test(
        "In truncated or wrong input, everything before the error is read",
        arguments: [
            ("a2616101", "the bytes end after 1 of 2 members"), ("8201", "the bytes end after 1 of 2 entries"),
            ("a16161", "expected an item, found the end"), ("4a0102", "claims 10 bytes, 2 are left"),
            ("9bffffffffffffffff01", "the bytes end after 1 of 18446744073709551615 entries"),
            ("5bffffffffffffffff01", "claims 18446744073709551615 bytes, 1 are left"),
            ("19", "the head takes 3 bytes, 1 are left"), ("fc", "byte 0xfc begins no item that is defined"),
            ("ff", "a break outside of an item of indefinite length"), ("1f", "an integer or tag has no indefinite"),
            ("9f01", "the bytes end after 1 entries, without a break"), ("5f41", "claims 1 bytes, 0 are left"),
            ("5f6161ff", "something else than a chunk at byte 1"), ("5f", "the bytes end without a break"),
        ])
    func broken(hex: String, reason: String) throws {
        let bytes = try #require([UInt8](hex: hex))
        let (node, end) = LenientCBOR.read(bytes[...])
        #expect(node.isBroken && end == bytes.count)
        #expect(CBORAnnotator.annotate(bytes).flattened.contains { $0.violation?.hasPrefix(reason) ?? false })
        #expect(AnnotationRules.problems(CBORFormat.annotate(bytes), of: bytes) == [])
    }

    @Test("Depth and number of items are bounded, and the time is linear")
    func bounds() {
        for head: UInt8 in [0x81, 0x9F, 0xC1, 0xA1, 0xBF] {
            let deep = [UInt8](repeating: head, count: 1 << 20)
            let annotations = CBORAnnotator.annotate(deep)
            #expect(annotations.shown.contains("items nest deeper than 64"))
        }
        let many = [0x9F] + [UInt8](repeating: 0x00, count: 1 << 20)
        guard case .array(let items) = LenientCBOR.read(many[...]).node.content else {
            Issue.record("no array")
            return
        }
        #expect(items.count == LenientCBOR.items)
        #expect(LenientCBOR.readAll([UInt8](repeating: 0x00, count: 1 << 20)[...]).count == LenientCBOR.items + 1)
    }

    @Test("Offsets refer to the whole array")
    func slices() {
        let bytes: [UInt8] = [0xFF, 0xFF, 0x42, 0x01, 0x02, 0x00]
        let (node, end) = LenientCBOR.read(bytes[2...])
        #expect(node.byteRange == 3..<5)
        #expect(end == 5)
    }

    @Test("A map is recognised; text and random bytes are not")
    func recognition() throws {
        let map = CBORItem.map(text: [("fmt", .text("x"))]).encoded
        #expect(CBORFormat.recognise(map)?.certainty == .structure)
        #expect(CBORFormat.recognise(Array(map.dropLast()))?.certainty == .guess)
        #expect(CBORFormat.recognise(Array("a JSON text".utf8)) == nil)
        #expect(CBORFormat.recognise([]) == nil)
        #expect(CBORFormat.violation(in: map) == nil)
        #expect(CBORFormat.violation(in: map + [0])?.reason == .trailingBytes)
    }
}
