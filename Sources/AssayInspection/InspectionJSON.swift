import Assay

package enum InspectionJSON {
    /// A layer and its inner layers as one object on one line; with a policy, also the verdicts (JSON).
    package static func text(_ layer: InspectionLayer, verdicts: [String]?) -> String {
        var object = object(layer)
        object.add("summary", raw: JSONText.array(InspectionSummary(layer).lines.map(JSONText.string)))
        if let verdicts { object.add("verdicts", raw: JSONText.array(verdicts)) }
        return object.text
    }

    private static func object(_ layer: InspectionLayer) -> JSONObject {
        var object = JSONObject()
        object.add("name", text: layer.name)
        if let encoding = layer.encoding { object.add("encoding", text: encoding) }
        object.add("format", raw: layer.format.map { JSONText.string($0) } ?? "null")
        object.add("length", raw: "\(layer.bytes.count)")
        if let recognition = layer.recognition { add(recognition, to: &object) }
        if !layer.alternatives.isEmpty {
            let alternatives = layer.alternatives.map { alternative in
                var object = JSONObject()
                object.add("format", text: alternative.format)
                add(alternative.recognition, to: &object)
                return object.text
            }
            object.add("alternatives", raw: JSONText.array(alternatives))
        }
        if let violation = layer.violation {
            var error = JSONObject()
            error.add("code", text: violation.code)
            error.add("offset", raw: "\(violation.offset)")
            if !violation.field.isEmpty { error.add("field", text: violation.field) }
            error.add("message", text: violation.message)
            object.add("violation", raw: error.text)
        }
        object.add("annotations", raw: JSONText.array(layer.annotations.map(text)))
        object.add("unknown", raw: JSONText.array(layer.unknown.map(JSONText.string)))
        object.add("nested", raw: JSONText.array(layer.nested.map { self.object($0).text }))
        return object
    }

    private static func add(_ recognition: Recognition, to object: inout JSONObject) {
        let certainty =
            switch recognition.certainty {
            case .guess: "guess"
            case .structure: "structure"
            case .certain: "certain"
            }
        object.add("certainty", text: certainty)
        object.add("because", text: recognition.reason)
    }

    private static func text(_ annotation: Annotation) -> String {
        var object = JSONObject()
        if let range = annotation.range {
            object.add("offset", raw: "\(range.lowerBound)")
            object.add("length", raw: "\(range.count)")
        }
        object.add("name", text: annotation.name)
        if let value = annotation.value { object.add("value", text: value) }
        if let meaning = annotation.meaning { object.add("meaning", text: meaning) }
        if let violation = annotation.violation { object.add("violation", text: violation) }
        if !annotation.children.isEmpty {
            object.add("children", raw: JSONText.array(annotation.children.map(text)))
        }
        return object.text
    }
}
