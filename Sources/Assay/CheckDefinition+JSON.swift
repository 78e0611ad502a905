package import AssayCore

/// A code and a check that reports it.
package struct CodeUse: Sendable {
    /// The code.
    package let code: CheckCode
    /// The check.
    package let check: CheckDefinition

    /// The checks of a catalogue that report a code.
    package static func all(of name: String, in catalogue: [CheckDefinition]) -> [CodeUse] {
        catalogue.compactMap { check in
            check.codes.first { $0.name.isByteEqual(to: name) }.map { CodeUse(code: $0, check: check) }
        }
    }

    /// One JSON object on one line.
    package var json: String {
        var object = JSONObject()
        object.add("code", text: code.name)
        object.add("check", text: check.id.name)
        object.add("meaning", text: code.meaning)
        object.add("remedy", text: check.remedy(for: code.name).rawValue)
        object.add("lookAt", text: check.lookAt)
        return object.text
    }
}

extension OutageExplanation {
    /// One JSON object on one line.
    package var json: String {
        var object = JSONObject()
        object.add("outage", text: code.name)
        object.add("parts", raw: JSONText.array(parts.map(JSONText.string)))
        object.add("meaning", text: meaning)
        return object.text
    }
}

extension CheckDefinition {
    /// The check as one JSON object on one line.
    package var json: String {
        var object = JSONObject()
        object.add("check", text: id.name)
        switch kind {
        case .gate: object.add("kind", text: "gate")
        case .policy(let mode):
            object.add("kind", text: "policy")
            object.add("default", text: mode.rawValue)
        case .signal:
            object.add("kind", text: "signal")
            object.add("default", text: CheckMode.annotate.rawValue)
        case .ledger: object.add("kind", text: "ledger")
        }
        object.add("proves", text: proves)
        object.add("stops", text: stops)
        object.add("lookAt", text: lookAt)
        object.add("source", text: source)
        object.add(
            "codes",
            raw: JSONText.array(
                codes.map { code in
                    var object = JSONObject()
                    object.add("code", text: code.name)
                    object.add("meaning", text: code.meaning)
                    object.add("remedy", text: remedy(for: code.name).rawValue)
                    return object.text
                }))
        return object.text
    }
}
