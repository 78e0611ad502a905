/// A PEM block (RFC 7468), as the lenient reader found it.
struct PEMBlock: Sendable {
    /// The text between `BEGIN` and the dashes.
    let label: String
    /// The block including its boundaries, or up to the end of the text if the end boundary is missing.
    let range: Range<Int>
    /// The lines between the boundaries.
    let body: Range<Int>
    /// Whether the end boundary is present.
    let isComplete: Bool

    /// Whether the label names a private key, or the parameters before a private key in a file.
    var isPrivate: Bool { label.utf8.count <= 64 && label.hasSuffix("PRIVATE KEY") || label.hasPrefix("PGP PRIVATE") }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// The blocks of a text in order. The start of a block ends the previous one.
    ///
    /// Boundaries need not be on lines of their own: text copied from a form or a configuration has often lost its line
    /// breaks.
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
