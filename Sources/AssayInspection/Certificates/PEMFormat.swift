package import AssayCore
import AssayPrimitives

/// Certificates, keys and messages in PEM (RFC 7468), with any text between them.
package enum PEMFormat: BlobFormat {
    /// PEM.
    package static let name = "PEM text"

    /// Recognises text with a `-----BEGIN` boundary.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        let blocks = PEMBlock.read(bytes)
        guard let first = blocks.first else { return nil }
        let isFirst = bytes[..<first.range.lowerBound].allSatisfy { $0 <= 0x20 }
        return Recognition(
            isFirst ? .certain : .structure,
            because: blocks.count == 1
                ? "it has the boundary -----BEGIN \(first.label.excerpt)-----"
                : "it has \(blocks.count) -----BEGIN boundaries, the first one of \(first.label.excerpt)")
    }

    /// Names every block. The contents of all blocks except private keys become nested blobs.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = BlobContents([])
        var position = 0
        for (index, block) in PEMBlock.read(bytes).enumerated() {
            addText(position..<block.range.lowerBound, of: bytes, to: &contents)
            add(block, number: index + 1, of: bytes, to: &contents)
            position = block.range.upperBound
        }
        addText(position..<bytes.count, of: bytes, to: &contents)
        return contents
    }

    /// The first error of the decoder for certificate files. Nil for text with other blocks, such as keys, because
    /// verification does not decode such files.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        guard PEMBlock.read(bytes).allSatisfy({ format(of: $0) != nil }) else { return nil }
        do throws(DecodeError) {
            _ = try PEM.certificates(in: bytes)
            return nil
        } catch {
            return error
        }
    }

    private static func addText(_ range: Range<Int>, of bytes: [UInt8], to contents: inout BlobContents) {
        let text = LenientText.trimmed(bytes[range])
        guard !text.isEmpty else { return }
        contents.annotations.append(
            Annotation("text", at: text.indices, value: String(decoding: text, as: UTF8.self)))
    }

    private static func add(_ block: PEMBlock, number: Int, of bytes: [UInt8], to contents: inout BlobContents) {
        var annotation = Annotation("block \(number)", at: block.range, value: block.label)
        if !block.isComplete { annotation.violation = "the block has no -----END boundary" }
        // Remove the line breaks of PEM.
        let decoded = LenientBase64.decode(bytes[block.body].filter { !LenientText.isSpace($0) }[...])
        // Inspect the contents too: the label may be wrong.
        let kind = PrivateKeys.describe(decoded.bytes)
        let isPrivate = block.isPrivate || kind != nil
        if isPrivate {
            annotation.meaning =
                "\(kind ?? "a private key"), not shown; take it back from wherever it was copied to"
        } else {
            annotation.meaning = Words.count(decoded.bytes.count, "byte")
            annotation.violation = annotation.violation ?? decoded.irregularities.first
            contents.nested.append(
                NestedBlob(
                    "\(block.label) \(number)", encoding: "PEM", bytes: decoded.bytes, format: format(of: block),
                    at: block.range))
        }
        if isPrivate { contents.secrets.append(block.range) }
        contents.annotations.append(annotation)
    }

    /// The format that a label names; nil for other labels.
    private static func format(of block: PEMBlock) -> (any BlobFormat.Type)? {
        ["CERTIFICATE", "X509 CERTIFICATE"].containsBytes(of: block.label) ? CertificateFormat.self : nil
    }
}
