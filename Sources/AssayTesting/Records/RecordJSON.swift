public import AssayCore
import FoundationEssentials

extension EvidenceRecord {
    /// The record as a JSON document, one field to a line.
    public var json: String {
        PrettyJSON.text(.object(document), indentation: "") + "\n"
    }

    /// Several records as the JSON document of a file: an array.
    public static func json(_ records: [EvidenceRecord]) -> String {
        let values = records.map { RecordValue(.object($0.document), offset: 0) }
        return PrettyJSON.text(.array(values), indentation: "") + "\n"
    }
}

extension RecordValue.Content {
    /// Bytes as records carry them.
    static func base64(_ bytes: [UInt8]) -> RecordValue.Content { .text(Data(bytes).base64EncodedString()) }
}

/// JSON text (RFC 8259) of record values as people read it, whose numbers stay as they are written.
private enum PrettyJSON {
    static func text(_ content: RecordValue.Content, indentation: String) -> String {
        let inner = indentation + "  "
        switch content {
        case .null: return "null"
        case .flag(let value): return value ? "true" : "false"
        case .number(let number): return number
        case .text(let text): return RecordJSON.quoted(text)
        case .array(let values):
            let isShort = values.allSatisfy { if case .text = $0.content { true } else { false } }
            let texts = values.map { self.text($0.content, indentation: inner) }
            return isShort
                ? "[\(texts.joined(separator: ", "))]"
                : "[\n" + texts.map { inner + $0 }.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let object):
            let members = object.members.map {
                "\(inner)\(RecordJSON.quoted($0.name)): \(self.text($0.value.content, indentation: inner))"
            }
            return "{\n" + members.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }
}
