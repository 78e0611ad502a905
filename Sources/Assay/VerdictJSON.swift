public import AssayCore

extension Verdict {
    /// The verdict as one JSON object on one line, UTF-8, its fields in the order of the documentation.
    ///
    /// - Parameter id: the name of the record that was judged.
    public func json(id: String?) -> String {
        var object = JSONObject()
        if let id { object.add("id", text: id) }
        object.add("kind", text: kind.name)
        object.add("app", text: app)
        object.add("outcome", text: outcome.rawValue)
        object.add("failed", raw: JSONText.array(failed.map { JSONText.string($0.name) }))
        object.add("annotated", raw: JSONText.array(annotated.map { JSONText.string($0.name) }))
        object.add("checks", raw: JSONText.array(checks.map(\.json)))
        if let subject {
            var facts = JSONObject()
            for field in subject.fields {
                switch field.value {
                case .text(let text): facts.add(field.name, text: text)
                case .texts(let texts): facts.add(field.name, raw: JSONText.array(texts.map(JSONText.string)))
                case .integer(let number): facts.add(field.name, raw: "\(number)")
                case .flag(let flag): facts.add(field.name, raw: "\(flag)")
                }
            }
            object.add("subject", raw: facts.text)
        }
        if let testAuthority { object.add("testAuthority", text: testAuthority) }
        object.add("judgedAt", text: RFC3339.format(judgedAt))
        return object.text
    }
}

extension CheckResult {
    fileprivate var json: String {
        var object = JSONObject()
        object.add("check", text: check.name)
        object.add("status", text: status.rawValue)
        if let because { object.add("because", text: because.description) }
        if let finding {
            object.add("code", text: finding.code)
            object.add("detail", text: finding.detail)
        }
        return object.text
    }
}

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
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isActedOn:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
