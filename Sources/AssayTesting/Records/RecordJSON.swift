public import AssayCore
import FoundationEssentials

extension EvidenceRecord {
    /// The record as a JSON document, one field to a line.
    public var json: String {
        RecordJSON.text(.object(document), indentation: "") + "\n"
    }

    /// Several records as the JSON document of a file: an array.
    public static func json(_ records: [EvidenceRecord]) -> String {
        let values = records.map { RecordValue(.object($0.document), offset: 0) }
        return RecordJSON.text(.array(values), indentation: "") + "\n"
    }

    var document: RecordObject {
        var fields: [(String, RecordValue.Content)] = []
        if let id { fields.append(("id", .text(id))) }
        fields.append(("kind", .text(kind.name)))
        if let app { fields.append(("app", .text(app))) }
        if let receivedAt { fields.append(("receivedAt", .text(RFC3339.format(receivedAt)))) }
        fields.append(("evidence", .object(evidence)))
        if let expect {
            let failed = expect.failed.map { RecordValue(.text($0), offset: 0) }
            fields.append(
                (
                    "expect",
                    .object(
                        RecordObject([("outcome", .text(expect.outcome.rawValue)), ("failed", .array(failed))]))
                ))
        }
        return RecordObject(fields)
    }
}

extension RecordObject {
    /// An object that stands in no document: names and values in order.
    init(_ fields: [(String, RecordValue.Content)]) {
        self.init(
            fields.map { Member(name: $0.0, offset: 0, value: RecordValue($0.1, offset: 0)) }, offset: 0)
    }
}

extension RecordValue.Content {
    /// Bytes as records carry them.
    static func base64(_ bytes: [UInt8]) -> RecordValue.Content { .text(Data(bytes).base64EncodedString()) }
}

/// JSON text (RFC 8259) of record values, whose numbers stay as they are written.
enum RecordJSON {
    static func text(_ content: RecordValue.Content, indentation: String) -> String {
        let inner = indentation + "  "
        switch content {
        case .null: return "null"
        case .flag(let value): return value ? "true" : "false"
        case .number(let number): return number
        case .text(let text): return quoted(text)
        case .array(let values):
            let isShort = values.allSatisfy { if case .text = $0.content { true } else { false } }
            let texts = values.map { self.text($0.content, indentation: inner) }
            return isShort
                ? "[\(texts.joined(separator: ", "))]"
                : "[\n" + texts.map { inner + $0 }.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let object):
            let members = object.members.map {
                "\(inner)\(quoted($0.name)): \(self.text($0.value.content, indentation: inner))"
            }
            return "{\n" + members.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }

    static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            return "\"\(text)\""
        }
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\u{0}"..."\u{1F}":
                "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
