import Foundation

/// Looks for bytes in bytes.
enum ByteSearch {
    /// Where some bytes stand first; nil when they do not, or are none.
    static func place(of bytes: [UInt8], in all: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, let start = all.baseAddress else { return nil }
        var offset = 0
        while offset + bytes.count <= all.count {
            let rest = all.count - bytes.count + 1 - offset
            guard let found = memchr(start + offset, Int32(first), rest) else { return nil }
            offset = UnsafeRawPointer(found) - start
            // Not memcmp, whose operands libFuzzer puts into inputs: secrets are looked for, too.
            if bytes.indices.allSatisfy({ start.load(fromByteOffset: offset + $0, as: UInt8.self) == bytes[$0] }) {
                return offset
            }
            offset += 1
        }
        return nil
    }
}

extension [UInt8] {
    /// Whether some bytes stand in it.
    func contains(_ bytes: [UInt8]) -> Bool { place(of: bytes) != nil }

    /// Where some bytes stand in it first.
    func place(of bytes: [UInt8]) -> Range<Int>? {
        withUnsafeBytes { ByteSearch.place(of: bytes, in: $0) }.map { $0..<$0 + bytes.count }
    }
}
