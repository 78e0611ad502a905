import Assay
import AssayCore
import Foundation
import Logging
import Synchronization

/// Writes each entry as one JSON object on one line of standard error.
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
        Self.write(object.text)
    }

    /// Whether the last line was written in part.
    private static let isCut = Atomic(false)

    /// Writes a line at once, so that the lines of several threads do not mix. What the system does not take, such as on a full
    /// disk, is lost, and the service goes on.
    private static func write(_ line: String) {
        let wasCut = isCut.exchange(false, ordering: .relaxed)
        let bytes = Array(((wasCut ? "\n" : "") + line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { break }
            written += max(0, count)
        }
        if written < bytes.count, wasCut || written > 0 { isCut.store(true, ordering: .relaxed) }
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
