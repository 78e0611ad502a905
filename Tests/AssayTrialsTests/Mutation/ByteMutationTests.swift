import AssayTestSupport
import Testing

@Suite("Changes of bytes")
struct ByteMutationTests {
    @Test("Each bit, each byte left out and doubled, each end; and never the bytes themselves")
    func all() {
        let bytes: [UInt8] = [0x00, 0x61, 0x61]
        let changed = ByteMutation.all(of: bytes.count).map { $0.apply(to: bytes) }
        #expect(changed.count == 33)
        #expect(!changed.contains(bytes))
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                #expect(changed.contains(flipped))
            }
            #expect(changed.contains(Array(bytes[..<index])))
        }
        for expected: [UInt8] in [[0x61, 0x61], [0x00, 0x61], [0x00, 0x00, 0x61, 0x61], [0x00, 0x61, 0x61, 0x61]] {
            #expect(changed.contains(expected))
        }
    }

    @Test("A verifier that accepts all, or nothing, is reported")
    func accepted() {
        #expect(TokenMutation.accepted([1, 2]) { (_: [UInt8]) in true }.count == 22)
        #expect(TokenMutation.accepted([1, 2]) { (_: [UInt8]) in false } == ["nothing, not even the token itself"])
        #expect(TokenMutation.accepted([1, 2]) { (bytes: [UInt8]) in bytes == [1, 2] } == [])
    }
}
