/// Composes a JSON object whose fields keep their order, which Foundation's encoder does not promise.
public struct JSONObject: Sendable {
    private var members: [String] = []

    /// Starts an empty object.
    public init() {}

    /// Adds a string.
    public mutating func add(_ name: String, text: String) { add(name, raw: JSONText.string(text)) }

    /// Adds a value that is JSON already.
    public mutating func add(_ name: String, raw: String) { members.append("\(JSONText.string(name)):\(raw)") }

    /// The object on one line.
    public var text: String { "{\(members.joined(separator: ","))}" }
}

/// Writes JSON values (RFC 8259).
public enum JSONText {
    /// An array of values that are JSON already.
    public static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    /// A string, with everything escaped that must be, and what terminals and line readers would act on: controls, line
    /// separators, invisible formatting.
    public static func string(_ text: String) -> String {
        var json = JSONBytes()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
