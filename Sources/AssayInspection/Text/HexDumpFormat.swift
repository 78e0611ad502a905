import AssayCore

/// A dump of bytes in hexadecimal, as `xxd`, `hexdump -C` and `od -tx1` print it. Digits alone, as `xxd -p` prints them, are
/// ``Base64Format``'s.
package enum HexDumpFormat: BlobFormat {
    /// Dump.
    package static let name = "hexadecimal dump"

    /// Takes text whose first line has an offset and bytes.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let dump = HexDump(bytes) else { return nil }
        return Recognition(
            dump.isCertain ? dump.problems.isEmpty ? .certain : .structure : .guess,
            because: "it begins with the offset and the bytes of a dump")
    }

    /// Names the dump; its bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let dump = HexDump(bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it is no dump")])
        }
        var annotation = Annotation("dump", at: dump.range, meaning: Words.count(dump.bytes.count, "byte"))
        annotation.violation = dump.problems.isEmpty ? nil : dump.problems.joined(separator: "; ")
        return BlobContents(
            [annotation],
            nested: [
                NestedBlob("dumped bytes", encoding: "hexadecimal dump", bytes: dump.bytes, at: dump.range)
            ])
    }
}
