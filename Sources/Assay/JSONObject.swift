package import FoundationEssentials

/// Composes a JSON object with ordered fields. Foundation's encoder does not guarantee the order.
package struct JSONObject: Sendable {
    private var members: [String] = []

    package init() {}

    /// An object with members. Those that are nil are left out.
    package init(_ members: KeyValuePairs<String, (any JSONValue)?>) { add(members) }

    /// Adds members. Those that are nil are left out.
    package mutating func add(_ members: KeyValuePairs<String, (any JSONValue)?>) {
        for (name, value) in members { if let value { add(name, raw: value.json) } }
    }

    package mutating func add(_ name: String, text: String) { add(name, raw: JSONText.string(text)) }

    /// Adds a value that is already JSON.
    package mutating func add(_ name: String, raw: String) { members.append("\(JSONText.string(name)):\(raw)") }

    package var text: String { "{\(members.joined(separator: ","))}" }
}

/// A value of a member: text, a number, `true` or `false`, a time (RFC 3339), an object, or an array of such values.
package protocol JSONValue {
    var json: String { get }
}

extension String: JSONValue {
    package var json: String { JSONText.string(self) }
}

extension Bool: JSONValue {
    package var json: String { "\(self)" }
}

extension FixedWidthInteger {
    package var json: String { "\(self)" }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}

extension Date: JSONValue {
    package var json: String { JSONText.string(RFC3339.format(self)) }
}

extension Array: JSONValue where Element: JSONValue {
    package var json: String { JSONText.array(map(\.json)) }
}

extension JSONObject: JSONValue {
    package var json: String { text }
}

/// A value that is already JSON.
package struct WrittenJSON: JSONValue {
    package let json: String

    package init(_ json: String) { self.json = json }
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
