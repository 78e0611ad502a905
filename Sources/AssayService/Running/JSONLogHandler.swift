import Assay
import AssayPrimitives
import Foundation
import Logging

/// Writes each entry as one JSON object on one line of standard error, or as text. If systemd reads it, the line begins with its priority.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// - Parameter configuration: the configuration of the service, for each entry; nil if the process has no other.
    init(level: Logger.Level, of configuration: String? = nil) {
        logLevel = level
        if let configuration { metadata["assay.configuration"] = "\(configuration)" }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let priority = JournalStream.isStandardError ? JournalStream.prefix(event.level) : ""
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        guard !ServiceLog.isText else {
            let time = RFC3339.format(Date())
            let head = "\(time) \(event.level.rawValue): \(event.message.description)"
            return LogOutput.write(priority + Self.printable(all.reduce(head) { $0 + Self.text($1.key, $1.value) }))
        }
        var object = JSONObject()
        object.add("time", text: RFC3339.format(Date()))
        object.add("level", text: event.level.rawValue)
        object.add("message", text: event.message.description)
        for (name, value) in all { object.add(name, raw: Self.json(value)) }
        LogOutput.write(priority + object.text)
    }

    /// `, NAME VALUE`, without the prefix of our names. A text with a comma or a quote is quoted, so that no value looks like a field.
    private static func text(_ name: String, _ value: Logger.Metadata.Value) -> String {
        let name = name.hasPrefix("assay.") ? String(name.dropFirst("assay.".count)) : name
        guard case .string(let text) = value, text.utf8.contains(where: { [0x22, 0x2C].contains($0) }) else {
            return ", \(name) \(value)"
        }
        return ", \(name) \(JSONText.string(text))"
    }

    /// Escapes what a terminal could interpret: text of a client may be in an entry.
    private static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { line, scalar in
            let isPlain = (0x20..<0x7F).contains(scalar.value) || scalar.properties.isAlphabetic
            line += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func json(_ value: Logger.Metadata.Value) -> String {
        switch value {
        case .string(let text): JSONText.string(text)
        case .stringConvertible(let value as Int): "\(value)"
        case .stringConvertible(let value as Double) where value.isFinite: "\(value)"
        case .stringConvertible(let value): JSONText.string(value.description)
        case .array(let values): JSONText.array(values.map(json))
        case .dictionary(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(JSONText.string($0.key)):\(json($0.value))" }
                .joined(separator: ",") + "}"
        }
    }
}
