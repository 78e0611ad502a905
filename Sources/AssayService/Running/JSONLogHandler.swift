import Assay
import AssayCore
import AssayPrimitives
import Foundation
import Logging

/// Writes each entry as one JSON object on one line of standard error. If systemd reads it, the line begins with its priority.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(level: Logger.Level) { logLevel = level }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var object = JSONObject()
        object.add("time", text: RFC3339.format(Date()))
        object.add("level", text: event.level.rawValue)
        object.add("message", text: event.message.description)
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (name, value) in all.sorted(by: { $0.key < $1.key }) { object.add(name, raw: Self.json(value)) }
        LogOutput.write((JournalStream.isStandardError ? JournalStream.prefix(event.level) : "") + object.text)
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
