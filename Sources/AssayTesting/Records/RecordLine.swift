public import AssayCore
import FoundationEssentials

extension EvidenceRecord {
    /// The record as a line of NDJSON, UTF-8, with the line feed at its end.
    public var line: [UInt8] {
        var writer = LineWriter()
        writer.write(document)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}

/// Writes JSON (RFC 8259) without white space.
private struct LineWriter {
    var bytes: [UInt8] = []

    mutating func write(_ object: RecordObject) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.name)
            bytes.append(UInt8(ascii: ":"))
            write(member.value.content)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ content: RecordValue.Content) {
        switch content {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let number): bytes += number.utf8
        case .text(let text): write(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(value.content)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    private mutating func write(_ text: String) { bytes += RecordJSON.quoted(text).utf8 }
}
