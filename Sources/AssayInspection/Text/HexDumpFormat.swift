import AssayCore

/// A hexadecimal dump as `xxd`, `hexdump -C` and `od -tx1` print it. Plain digits, as `xxd -p` prints them, belong to
/// ``Base64Format``.
package enum HexDumpFormat: BlobFormat {
    /// Dump.
    package static let name = "hexadecimal dump"

    /// The number of bytes examined for recognition.
    private static let recognised = 4096

    /// Recognises text whose first line has an offset and bytes.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        var beginning = LenientText.body(bytes)
        if beginning.count > recognised, let end = beginning.prefix(recognised).lastIndex(of: 0x0A) {
            beginning = beginning[..<end]
        }
        guard let dump = HexDump(beginning) else { return nil }
        return Recognition(
            dump.isCertain ? dump.problems.isEmpty ? .certain : .structure : .guess,
            because: "it begins with the offset and the bytes of a dump")
    }

    /// Names the dump. Its bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let dump = HexDump(LenientText.body(bytes)) else {
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
