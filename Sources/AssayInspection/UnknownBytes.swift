import AssayCore

/// The layer for bytes that no format recognises.
enum UnknownBytes {
    /// The maximum number of unrecognised bytes to show.
    private static let shown = 8
    /// The lengths of AES keys. Such keys look like any random bytes.
    private static let keyLengths = [16, 24, 32]

    /// Creates a layer that lists the excluded formats.
    static func layer(_ blob: NestedBlob, encoding: String?, formats: [any BlobFormat.Type]) -> InspectionLayer {
        let bytes = blob.bytes
        let isText = bytes.allSatisfy(isPrintable)
        let first = bytes.prefix(shown)
        let mayBeKey = keyLengths.contains(bytes.count) && !isText
        var annotations = [Annotation("length", value: "\(bytes.count)", meaning: "bytes")]
        if mayBeKey {
            annotations.append(
                Annotation("bytes", at: bytes.indices, value: "(not shown)", meaning: "it could be a symmetric key"))
        } else if !bytes.isEmpty {
            annotations.append(
                Annotation(
                    first.count == bytes.count ? "bytes" : "first bytes", at: 0..<first.count,
                    value: Hexadecimal.text(first), meaning: words(first)))
            annotations.append(Annotation("contents", value: kind(of: bytes)))
        }
        return InspectionLayer(
            name: blob.name, encoding: encoding, format: nil, recognition: nil, alternatives: [], bytes: bytes,
            annotations: annotations, secrets: mayBeKey ? [bytes.indices] : [], violation: nil,
            unknown: [hint(bytes), "not one of the \(formats.count) known formats; \(Inspector.lookedFor)"], nested: [])
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || [0x09, 0x0A, 0x0D].contains(byte)
    }

    private static func words(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy(isPrintable) ? "\"\(String(decoding: bytes, as: UTF8.self))\"" : nil
    }

    private static func kind(of bytes: [UInt8]) -> String {
        let printable = bytes.lazy.filter(isPrintable).count
        if printable == bytes.count { return "printable ASCII throughout" }
        if String(validating: bytes, as: UTF8.self) != nil { return "UTF-8 text" }
        if let first = bytes.first, bytes.allSatisfy({ $0 == first }) { return "the same byte throughout" }
        return "binary: \(printable * 100 / bytes.count)% of the bytes are printable"
    }

    private static func hint(_ bytes: [UInt8]) -> String {
        switch bytes.count {
        case 0: return "there is nothing: was the value lost in a shell variable or a pipe?"
        case 32: return "32 bytes are the length of SHA-256, of a key identifier or an AES-256 key"
        case LedgerChallenge.length: return "33 bytes are the length of a challenge of Assay"
        default: break
        }
        let signatures: [([UInt8], String)] = [
            ([0x1F, 0x8B], "it begins as gzip does: decompress it first"),
            ([0x28, 0xB5, 0x2F, 0xFD], "it begins as zstd does: decompress it first"),
            ([0x50, 0x4B, 0x03, 0x04], "it begins as a zip archive does"),
            (Array("bplist".utf8), "it begins as a binary property list does"),
            (Array("SQLite format 3".utf8), "it begins as a SQLite file does; `assay ledger` reads ledgers"),
        ]
        if let (_, text) = signatures.first(where: { bytes.starts(with: $0.0) }) { return text }
        if bytes.allSatisfy(isPrintable) {
            return "text of no known form: if it is part of a message, hand over the whole body or the whole value"
        }
        return "if it was cut out of something, hand over the whole of it; if it is encrypted, nothing can be seen"
    }
}
