/// Composes a JSON object with ordered fields. Foundation's encoder does not guarantee the order.
package struct JSONObject: Sendable {
    private var members: [String] = []

    /// Starts an empty object.
    package init() {}

    /// Adds a string.
    package mutating func add(_ name: String, text: String) { add(name, raw: JSONText.string(text)) }

    /// Adds a value that is already JSON.
    package mutating func add(_ name: String, raw: String) { members.append("\(JSONText.string(name)):\(raw)") }

    /// The object on one line.
    package var text: String { "{\(members.joined(separator: ","))}" }
}

/// Writes JSON values (RFC 8259).
package enum JSONText {
    /// An array of values that are already JSON.
    package static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    /// A string, escaped as by ``JSONBytes/string(_:)``.
    package static func string(_ text: String) -> String {
        var json = JSONBytes()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
