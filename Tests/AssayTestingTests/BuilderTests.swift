import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Builders of DER and CBOR")
struct BuilderTests {
    @Test(
        "DER follows X.690 examples",
        arguments: [
            (DERBuilder.integer(0), "020100"), (DERBuilder.integer(127), "02017f"),
            (DERBuilder.integer(128), "02020080"), (DERBuilder.integer(0xFFFF_FFFF), "020500ffffffff"),
            (DERBuilder.integer(magnitude: [0, 0, 0x80]), "02020080"),
            (DERBuilder.objectIdentifier([1, 2, 840, 113635, 100, 8, 2]), "06092a864886f763640802"),
            (DERBuilder.objectIdentifier([2, 999, 3]), "0603883703"),
            (DERBuilder.context(1, [5, 0]), "a1020500"), (DERBuilder.context(1204, [5, 0]), "bf8934020500"),
            (DERBuilder.bitString([0xF0], unusedBits: 4), "030204f0"),
            (DERBuilder.indefinite(0x24, [4, 1, 9]), "24800401090000"),
            (DERBuilder.time(Date(timeIntervalSince1970: 1_584_556_373)), "170d3230303331383138333235335a"),
            (DERBuilder.time(Date(timeIntervalSince1970: 2_524_608_000)), "180f32303530303130313030303030305a"),
            (DERBuilder.time(Date(timeIntervalSince1970: 0)), "170d3730303130313030303030305a"),
        ])
    func der(value: [UInt8], hex: String) {
        #expect(value == [UInt8](hex: hex))
    }

    @Test(
        "Lengths of 128 bytes and more have the shortest form", arguments: [(127, 2), (128, 3), (256, 4), (65_536, 5)])
    func lengths(count: Int, header: Int) {
        #expect(DERBuilder.octetString([UInt8](repeating: 0, count: count)).count == count + header)
    }

    @Test(
        "CBOR follows RFC 8949 appendix A",
        arguments: [
            (CBORItem.unsigned(23), "17"), (.unsigned(24), "1818"), (.unsigned(1000), "1903e8"),
            (.unsigned(1_000_000), "1a000f4240"), (.unsigned(.max), "1bffffffffffffffff"),
            (.integer(-7), "26"), (.integer(-1000), "3903e7"), (.bytes([1, 2, 3, 4]), "4401020304"),
            (.text("IETF"), "6449455446"), (.array([.unsigned(1), .array([])]), "820180"),
            (.map([.text("a"), .unsigned(1)]), "a1616101"), (.tagged(32, .text("a")), "d8206161"),
            (.simple(22), "f6"), (.indefiniteBytes([[1, 2], [3, 4, 5]]), "5f42010243030405ff"),
            (.indefiniteArray([.unsigned(1)]), "9f01ff"),
            (.head(majorType: 2, argument: 1, argumentBytes: 4, followedBy: [9]), "5a0000000109"),
            (.head(majorType: 4, argument: .max, argumentBytes: 8, followedBy: []), "9bffffffffffffffff"),
        ])
    func cbor(item: CBORItem, hex: String) {
        #expect(item.encoded == [UInt8](hex: hex))
    }

    @Test("Keys of a map are read, replaced, added and removed")
    func mapKeys() {
        var map = CBORItem.map(text: [("a", .unsigned(1)), ("b", .unsigned(2))])
        map["a"] = .unsigned(3)
        map["c"] = .unsigned(4)
        map["b"] = nil
        #expect(map == .map(text: [("a", .unsigned(3)), ("c", .unsigned(4))]))
        #expect(map["c"] == .unsigned(4))
        #expect(map["b"] == nil)
    }

    @Test("A signature has a high and a low form that differ in s alone")
    func signatureForms() throws {
        let signature = try TestKey(.p256, seed: "tests", label: "forms").signature(over: [1, 2, 3])
        #expect(signature.withHighS.isHighS)
        #expect(!signature.withLowS.isHighS)
        #expect(signature.withHighS.withLowS == signature.withLowS)
        #expect(signature.withHighS.r == signature.r)
    }
}
