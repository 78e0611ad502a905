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
}
