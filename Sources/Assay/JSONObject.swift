/// Composes a JSON object whose fields keep their order, which Foundation's encoder does not guarantee.
package struct JSONObject: Sendable {
    private var members: [String] = []

    /// Starts an empty object.
    package init() {}

    /// Adds a string.
    package mutating func add(_ name: String, text: String) { add(name, raw: JSONText.string(text)) }

    /// Adds a value that is JSON already.
    package mutating func add(_ name: String, raw: String) { members.append("\(JSONText.string(name)):\(raw)") }

    /// The object on one line.
    package var text: String { "{\(members.joined(separator: ","))}" }
}

/// Writes JSON values (RFC 8259).
package enum JSONText {
    /// An array of values that are JSON already.
    package static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    /// A string. Escapes everything that JSON demands, and everything that terminals and line readers act on: controls, line
    /// separators, invisible formatting.
    package static func string(_ text: String) -> String {
        var json = JSONBytes()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
