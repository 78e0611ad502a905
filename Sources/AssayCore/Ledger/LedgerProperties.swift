import AssayPrimitives
import FoundationEssentials

/// The properties of an enrolled key as ledgers store them: a JSON object of strings.
package enum LedgerProperties {
    /// The JSON text, with sorted names.
    package static func encode(_ properties: [String: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(properties), as: UTF8.self)
    }

    /// The properties; nil for a text that no ledger writes. Does not use Foundation, whose decoder takes as long as
    /// the query.
    package static func decode(_ text: String) -> [String: String]? {
        if let properties = decodePlain(text) { return properties }
        let bytes = Array(text.utf8)
        guard let object = try? JSONReader.readObject(bytes, limit: bytes.count) else { return nil }
        var properties: [String: String] = [:]
        properties.reserveCapacity(object.members.count)
        for member in object.members {
            guard case .text(let value) = member.value.content else { return nil }
            properties[member.name] = value
        }
        return properties
    }

    /// The properties of a text without escapes, spaces and other scripts, as nearly all are; nil for any other text.
    private static func decodePlain(_ text: String) -> [String: String]? {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else { return nil }
        // Between quotation marks in turn: nothing but a mark, a name, a colon, a value.
        let parts = text.utf8.dropFirst().dropLast().split(
            separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count % 4 == 1, parts[0].isEmpty, parts[parts.count - 1].isEmpty else { return nil }
        var properties: [String: String] = [:]
        properties.reserveCapacity(parts.count / 4)
        for index in stride(from: 0, to: parts.count - 1, by: 4) {
            guard index == 0 || parts[index].elementsEqual(",".utf8), parts[index + 2].elementsEqual(":".utf8)
            else { return nil }
            let (name, value) = (String(Substring(parts[index + 1])), String(Substring(parts[index + 3])))
            // Twice the same name: the other reader says what is wrong.
            guard properties.updateValue(value, forKey: name) == nil else { return nil }
        }
        return properties
    }
}
