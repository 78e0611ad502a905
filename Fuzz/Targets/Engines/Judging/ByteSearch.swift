import Foundation

/// Searches bytes for bytes.
enum ByteSearch {
    /// The first position of some bytes; nil if they do not occur or are empty.
    static func place(of bytes: [UInt8], in all: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, let start = all.baseAddress else { return nil }
        var offset = 0
        while offset + bytes.count <= all.count {
            let rest = all.count - bytes.count + 1 - offset
            guard let found = memchr(start + offset, Int32(first), rest) else { return nil }
            offset = UnsafeRawPointer(found) - start
            // Not memcmp: libFuzzer inserts its operands into inputs, and some of the searches are for secrets.
            if bytes.indices.allSatisfy({ start.load(fromByteOffset: offset + $0, as: UInt8.self) == bytes[$0] }) {
                return offset
            }
            offset += 1
        }
        return nil
    }
}

extension [UInt8] {
    /// Whether some bytes occur.
    func contains(_ bytes: [UInt8]) -> Bool { place(of: bytes) != nil }

    /// The range where some bytes occur first.
    func place(of bytes: [UInt8]) -> Range<Int>? {
        withUnsafeBytes { ByteSearch.place(of: bytes, in: $0) }.map { $0..<$0 + bytes.count }
    }
}
