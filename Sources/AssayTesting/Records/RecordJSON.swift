package import AssayCore
import FoundationEssentials

extension EvidenceRecord {
    /// The record as a JSON document, one field per line.
    package var json: String {
        PrettyJSON.text(.object(document), indentation: "") + "\n"
    }

    /// Records as the JSON document of a file: an array.
    package static func json(_ records: [EvidenceRecord]) -> String {
        let values = records.map { RecordValue(.object($0.document), offset: 0) }
        return PrettyJSON.text(.array(values), indentation: "") + "\n"
    }
}

extension RecordValue.Content {
    /// Bytes in the form of records: standard base64.
    package static func base64(_ bytes: [UInt8]) -> RecordValue.Content { .text(Data(bytes).base64EncodedString()) }
}

extension RecordValue.Content {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

/// Indented JSON text (RFC 8259) of record values. Numbers keep their written form.
private enum PrettyJSON {
    /// - Parameter isElement: True for a value in an array, where an object of texts takes one line.
    static func text(
        _ content: RecordValue.Content, indentation: String = "", isElement: Bool = false
    ) -> String {
        let inner = indentation + "  "
        switch content {
        case .null: return "null"
        case .flag(let value): return value ? "true" : "false"
        case .number(let number): return number
        case .text(let text): return RecordJSON.quoted(text)
        case .array(let values):
            let isShort = values.allSatisfy { $0.content.isText }
            let texts = values.map { self.text($0.content, indentation: inner, isElement: true) }
            return isShort
                ? "[\(texts.joined(separator: ", "))]"
                : "[\n" + texts.map { inner + $0 }.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let object) where isElement && object.members.allSatisfy({ $0.value.content.isText }):
            let members = object.members.map { "\(RecordJSON.quoted($0.name)): \(text($0.value.content))" }
            return "{\(members.joined(separator: ", "))}"
        case .object(let object):
            let members = object.members.map {
                "\(inner)\(RecordJSON.quoted($0.name)): \(self.text($0.value.content, indentation: inner))"
            }
            return "{\n" + members.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }
}
