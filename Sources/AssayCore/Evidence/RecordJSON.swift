package import AssayPrimitives

extension EvidenceRecord {
    /// The record as one line of NDJSON, without the line feed. Times are rounded to milliseconds.
    public var jsonLine: String {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(document), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The record as an object, its fields in the order of the documentation.
    package var document: RecordObject { document(with: ("evidence", .object(evidence))) }

    /// The record as an object, with another field in place of the evidence, or none.
    package func document(with payload: (String, RecordValue.Content)?) -> RecordObject {
        var fields: [(String, RecordValue.Content)] = []
        if let id { fields.append(("id", .text(id))) }
        fields.append(("kind", .text(kind.name)))
        if let app { fields.append(("app", .text(app))) }
        if let account { fields.append(("account", .text(account))) }
        if let deviceToken { fields.append(("deviceToken", .text(deviceToken))) }
        if let deviceBits { fields.append(("deviceBits", .object(deviceBits.object))) }
        if let property { fields.append(("property", .text(property))) }
        if let receivedAt { fields.append(("receivedAt", .text(RFC3339.format(receivedAt)))) }
        if let payload { fields.append(payload) }
        if !redacted.isEmpty {
            fields.append(("redacted", .array(redacted.map { RecordValue(.text($0), offset: 0) })))
        }
        if let expect {
            let failed = expect.failed.map { RecordValue($0.content, offset: 0) }
            let object = RecordObject([("outcome", .text(expect.outcome.rawValue)), ("failed", .array(failed))])
            fields.append(("expect", .object(object)))
        }
        return RecordObject(fields)
    }
}

extension EvidenceRecord.Expectation.Failure {
    /// The failure in a record's JSON: the name of the check, or an object with the name and the code.
    fileprivate var content: RecordValue.Content {
        guard let code else { return .text(check) }
        return .object(RecordObject([("check", .text(check)), ("code", .text(code))]))
    }
}

extension RecordObject {
    /// Composes an object from names and values in order.
    package init(_ fields: [(String, RecordValue.Content)]) {
        self.init(fields.map { Member(name: $0.0, offset: 0, value: RecordValue($0.1, offset: 0)) }, offset: 0)
    }
}

/// Writes the values of records as JSON (RFC 8259). Numbers keep the text that was read.
package enum RecordJSON {
    /// Appends a value in UTF-8, without white space.
    package static func append(_ content: RecordValue.Content, to bytes: inout [UInt8]) {
        switch content {
        case .null: bytes += "null".utf8
        case .flag(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): bytes += number.utf8
        case .text(let text): appendQuoted(text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(value.content, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                appendQuoted(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(member.value.content, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// A string in quotes. Escapes only what RFC 8259 section 7 requires.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        appendQuoted(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20:
                bytes += "\\u00".utf8
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 0x0F)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
