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
        text.utf8.withContiguousStorageIfAvailable { bytes in
            var properties: [String: String] = [:]
            var position = 0
            func take(_ byte: UInt8) -> Bool {
                guard position < bytes.count, bytes[position] == byte else { return false }
                position += 1
                return true
            }
            func word() -> String? {
                guard take(UInt8(ascii: "\"")) else { return nil }
                let start = position
                while position < bytes.count, (0x20...0x7E).contains(bytes[position]),
                    bytes[position] != UInt8(ascii: "\\"), bytes[position] != UInt8(ascii: "\"")
                { position += 1 }
                let end = position
                return take(UInt8(ascii: "\"")) ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
            }
            guard take(UInt8(ascii: "{")) else { return nil }
            repeat {
                guard let name = word(), take(UInt8(ascii: ":")), let value = word() else { return nil }
                // Twice the same name: the other reader says what is wrong.
                guard properties.updateValue(value, forKey: name) == nil else { return nil }
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "}")) && position == bytes.count ? properties : nil
        } ?? nil
    }
}
