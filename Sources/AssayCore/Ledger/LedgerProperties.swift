import AssayPrimitives
import FoundationEssentials
import Synchronization

/// The properties of an enrolled key as ledgers store them: a JSON object of strings.
package enum LedgerProperties {
    /// The JSON text, with sorted names.
    package static func encode(_ properties: [String: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(properties), as: UTF8.self)
    }

    /// The properties; nil for a text that no ledger writes.
    ///
    /// The keys of one version of an app have the same text. To read it takes longer than the query, so that the last texts of a
    /// thread group are kept.
    package static func decode(_ text: String) -> [String: String]? {
        guard text.utf8.count <= Slot.length else { return read(text) }
        let slot = slots[ThreadGroup.current]
        let found = slot.entries.withLockIfAvailable { entries in entries.first { $0.text.isByteEqual(to: text) } }
        if let known = found ?? nil { return known.properties }
        guard let properties = read(text) else { return nil }
        _ = slot.entries.withLockIfAvailable { entries in
            if entries.count == Slot.count { entries.removeFirst() }
            entries.append((text, properties))
        }
        return properties
    }

    /// Does not use Foundation, whose decoder takes as long as the query.
    private static func read(_ text: String) -> [String: String]? {
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

    /// The last texts of a thread group.
    private final class Slot: Sendable {
        /// How many texts are kept, and how long each may be, in bytes.
        static let (count, length) = (8, 512)
        let entries = Mutex<[(text: String, properties: [String: String])]>([])
        private let gap = ThreadGroup.Gap()
    }

    private static let slots = (0..<ThreadGroup.count).map { _ in Slot() }
}
