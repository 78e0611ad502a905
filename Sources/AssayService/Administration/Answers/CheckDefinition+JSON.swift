import Assay
package import AssayCore

/// A code and a check that reports it.
package struct CodeUse: Sendable {
    package let code: CheckCode
    package let check: CheckDefinition

    /// The checks of a catalogue that report a code.
    package static func all(of name: String, in catalogue: [CheckDefinition]) -> [CodeUse] {
        catalogue.compactMap { check in
            check.codes.first { $0.name.isByteEqual(to: name) }.map { CodeUse(code: $0, check: check) }
        }
    }

    package var json: String {
        JSONObject([
            "code": code.name, "check": check.id.name, "meaning": code.meaning,
            "remedy": check.remedy(for: code.name).rawValue, "lookAt": check.lookAt,
        ]).text
    }
}

extension OutageExplanation {
    package var json: String {
        JSONObject(["outage": code.name, "parts": parts, "meaning": meaning]).text
    }
}

extension CheckDefinition {
    /// The check as one JSON object on one line.
    package var json: String {
        let (kind, standard): (String, CheckMode?) =
            switch self.kind {
            case .gate: ("gate", nil)
            case .policy(let mode): ("policy", mode)
            case .signal: ("signal", .annotate)
            case .ledger: ("ledger", nil)
            }
        let codes = codes.map { code in
            JSONObject(["code": code.name, "meaning": code.meaning, "remedy": remedy(for: code.name).rawValue])
        }
        return JSONObject([
            "check": id.name, "kind": kind, "default": standard?.rawValue, "proves": proves, "stops": stops,
            "lookAt": lookAt, "source": source, "codes": codes,
        ]).text
    }
}
