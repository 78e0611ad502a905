import AssayPrimitives
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test("Wiping writes zeros over exactly the given memory")
    func wiping() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { memory.deallocate() }
        for (index, _) in memory.enumerated() { memory[index] = 0xAA }
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(rebasing: memory[8..<40]))
        #expect(memory.enumerated().allSatisfy { $0.element == ((8..<40).contains($0.offset) ? 0 : 0xAA) })
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    @Test("Wiping an array keeps its length, and does not change a copy that shared its storage")
    func arrays() {
        var bytes: [UInt8] = [1, 2, 3]
        let copy = bytes
        SecretBytes.wipe(&bytes)
        #expect(bytes == [0, 0, 0])
        #expect(copy == [1, 2, 3])
        var empty: [UInt8] = []
        SecretBytes.wipe(&empty)
        #expect(empty.isEmpty)
    }

    @Test("Bytes are stored unchanged, independent of their original, and are zero until they are written")
    func keeping() {
        var original: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(original)
        SecretBytes.wipe(&original)
        #expect(secret.withUnsafeBytes { Array($0) } == [1, 2, 3])
        #expect(secret.count == 3)
        let blank = SecretBytes(count: 3) { _ in }
        #expect(blank.withUnsafeBytes { Array($0) } == [0, 0, 0])
        #expect(SecretBytes([]).count == 0)
    }

    @Test("No description, dump or interpolation shows more than the number of bytes")
    func hidden() {
        let secret = SecretBytes(Array("hunter2".utf8))
        var dumped = ""
        dump(["x": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(text.contains("(7 secret bytes)"))
            #expect(!text.contains("hunter2") && !text.contains("104"))
        }
    }
}
