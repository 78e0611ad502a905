package import AssayCore

/// Certificates, keys and messages in PEM (RFC 7468), with any text between them.
package enum PEMFormat: BlobFormat {
    package static let name = "PEM text"

    /// Recognises text with a `-----BEGIN` boundary.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        let blocks = PEMBlock.read(bytes)
        guard let first = blocks.first else { return nil }
        let before = bytes[..<first.range.lowerBound].first { $0 > 0x20 }
        let isFirst = before == nil
        // In JSON, line ends are escapes, which only the format of JSON removes.
        if before == 0x7B || before == 0x5B || before == 0x22, JSONFormat.isWhole(bytes) { return nil }
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

    /// Decodes a file of certificates. Verification does not decode files with other blocks, such as keys.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        if PEMBlock.read(bytes).allSatisfy({ format(of: $0) != nil }) { _ = try PEM.certificates(in: bytes) }
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
                    "\(block.label) \(number)", encoding: "PEM", bytes: decoded.bytes,
                    // A platform may know more of a certificate than the label says.
                    format: CertificateFormat.recognise(decoded.bytes)?.certainty == .certain ? nil : format(of: block),
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

/// A PEM block (RFC 7468), as the lenient reader found it.
struct PEMBlock: Sendable {
    /// The text between `BEGIN` and the dashes.
    let label: String
    /// The block including its boundaries, or up to the end of the text if the end boundary is missing.
    let range: Range<Int>
    let body: Range<Int>
    /// Whether the end boundary is present.
    let isComplete: Bool

    /// Whether the label names a private key, or the parameters before a private key in a file.
    var isPrivate: Bool { label.utf8.count <= 64 && label.hasSuffix("PRIVATE KEY") || label.hasPrefix("PGP PRIVATE") }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// The blocks of a text in order. The start of a block ends the previous one. Boundaries need not be on lines of their own: copied
    /// text has often lost its line breaks.
    static func read(_ bytes: [UInt8]) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, start: Int, body: Int)?
        func close(at end: Int, body: Int, isComplete: Bool) {
            guard let block = open else { return }
            blocks.append(
                PEMBlock(label: block.label, range: block.start..<end, body: block.body..<body, isComplete: isComplete))
            open = nil
        }
        var position = 0
        while let dash = bytes[position...].firstIndex(of: 0x2D) {
            let rest = bytes[dash...]
            let isBegin = rest.starts(with: begin)
            guard isBegin || rest.starts(with: end) else {
                position = dash + 1
                continue
            }
            let labelStart = dash + (isBegin ? begin.count : end.count)
            // No label is longer. The limit keeps the time linear for many boundaries.
            let window = bytes[labelStart..<min(labelStart + 64, bytes.count)]
            let label = window.prefix { $0 != 0x2D && $0 >= 0x20 }
            let after = bytes[label.endIndex...].starts(with: dashes) ? label.endIndex + dashes.count : label.endIndex
            if isBegin {
                close(at: dash, body: dash, isComplete: false)
                open = (String(decoding: label, as: UTF8.self), dash, after)
            } else {
                close(at: after, body: dash, isComplete: true)
            }
            position = after
        }
        close(at: bytes.count, body: bytes.count, isComplete: false)
        return blocks
    }
}
