import AssayInspection

/// A hexadecimal dump of an inspection, with the name of each part.
struct HexView {
    let terminal: Terminal
    let limits: InspectionLimits

    /// The number of bytes per line.
    private static let columns = 16

    /// Renders a layer and its inner layers as lines.
    func lines(_ layer: InspectionLayer) -> [String] { lines(layer, path: []) }

    private func lines(_ layer: InspectionLayer, path: [String]) -> [String] {
        let path = path + [layer.name]
        var lines = path.count > 1 ? [""] : []
        lines += LayerHeading(terminal: terminal).lines(layer, path: path) + [""]
        lines += dump(layer)
        return lines + layer.nested.flatMap { self.lines($0, path: path) }
    }

    private func dump(_ layer: InspectionLayer) -> [String] {
        var lines: [String] = []
        for (index, segment) in HexSegments(layer).segments.enumerated() {
            guard lines.count < limits.lines else {
                lines.append("... the rest from byte \(segment.range.lowerBound) on (--full prints it)")
                break
            }
            lines += self.lines(segment, of: layer.bytes, isFirst: index == 0)
        }
        return lines
    }

    private func lines(_ segment: HexSegments.Segment, of bytes: [UInt8], isFirst: Bool) -> [String] {
        var label = terminal.colour(terminal.printable(String(segment.label.prefix(80))), .bold)
        if let violation = segment.violation {
            label += terminal.colour(terminal.printable("  ! \(violation)"), .red)
        }
        let shown = segment.isSecret ? segment.range.prefix(0) : segment.range.prefix(limits.bytes)
        var lines: [String] = []
        for start in stride(from: shown.lowerBound, to: shown.upperBound, by: HexView.columns) {
            let row = bytes[start..<min(start + HexView.columns, shown.upperBound)]
            lines.append(
                offset(start) + "  " + digits(row) + "  " + characters(row) + "  " + (lines.isEmpty ? label : ""))
        }
        let hidden = segment.range.count - shown.count
        if hidden > 0 {
            let text = segment.isSecret ? "\(hidden) bytes, not shown: they are a secret" : "... \(hidden) more bytes"
            lines.append(
                String(repeating: " ", count: 10) + terminal.colour(text, .faint) + (lines.isEmpty ? "  \(label)" : ""))
        }
        return lines
    }

    private func offset(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    private func digits(_ row: ArraySlice<UInt8>) -> String {
        var text = ""
        for index in 0..<HexView.columns {
            if index == HexView.columns / 2 { text += " " }
            if index < row.count {
                let byte = row[row.startIndex + index]
                text += (byte < 16 ? "0" : "") + String(byte, radix: 16) + " "
            } else {
                text += "   "
            }
        }
        return text
    }

    private func characters(_ row: ArraySlice<UInt8>) -> String {
        let text = String(String.UnicodeScalarView(row.map { (0x20...0x7E).contains($0) ? Unicode.Scalar($0) : "." }))
        return text + String(repeating: " ", count: HexView.columns - row.count)
    }
}

/// Divides the bytes of a layer by annotation.
struct HexSegments {
    /// Bytes of one annotation.
    struct Segment {
        let range: Range<Int>
        let label: String
        let isSecret: Bool
        let violation: String?
    }

    private(set) var segments: [Segment] = []
    private var position = 0
    /// The disjoint secret ranges that end behind ``position``, the last one first.
    private var secrets: [Range<Int>]

    /// Divides the bytes of a layer.
    init(_ layer: InspectionLayer) {
        secrets = HexSegments.joined(layer.secrets).reversed()
        for annotation in layer.annotations { add(annotation, below: "") }
        close(at: layer.bytes.count, label: "")
    }

    private mutating func add(_ annotation: Annotation, below parent: String) {
        guard let range = annotation.range, range.lowerBound >= position else { return }
        close(at: range.lowerBound, label: parent)
        // Annotations of the same range, such as the bits of one byte, form one segment.
        let isLeaf =
            annotation.children.count > 1 && annotation.children.allSatisfy { $0.range == nil || $0.range == range }
        if !isLeaf { for child in annotation.children { add(child, below: annotation.name) } }
        let hasParts = position > range.lowerBound
        let label =
            hasParts || annotation.value == nil ? annotation.name : "\(annotation.name)  \(annotation.value ?? "")"
        close(at: range.upperBound, label: label, violation: annotation.violation)
    }

    private mutating func close(at end: Int, label: String, violation: String? = nil) {
        guard end > position else { return }
        let range = position..<end
        while let next = secrets.last, next.upperBound <= position { secrets.removeLast() }
        let isSecret = secrets.last?.overlaps(range) ?? false
        segments.append(Segment(range: range, label: label, isSecret: isSecret, violation: violation))
        position = end
    }

    /// Sorts ranges, and merges overlapping and adjacent ones.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
