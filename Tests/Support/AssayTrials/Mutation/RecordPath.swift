import Assay
import AssayCore
import AssayPrimitives

/// The path of a value in a record's evidence.
struct RecordPath: Sendable, CustomStringConvertible {
    enum Step: Sendable {
        case member(String)
        case element(Int)
    }

    var steps: [Step] = []

    func appending(_ step: Step) -> RecordPath { RecordPath(steps: steps + [step]) }

    /// The path in JavaScript notation: `headers[2][1]`.
    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let index): text += "[\(index)]"
            }
        }
    }

    /// The path without indices, for tables: `headers[][]`.
    var shape: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element: text += "[]"
            }
        }
    }
}

extension RecordObject {
    /// Replaces the value at a path. Returns the object unchanged if the path does not exist.
    func replacing(_ path: RecordPath, with content: RecordValue.Content) -> RecordObject {
        guard case .object(let object) = Self.replace(.object(self), path.steps[...], content) else { return self }
        return object
    }

    private static func replace(
        _ value: RecordValue.Content, _ steps: ArraySlice<RecordPath.Step>, _ content: RecordValue.Content
    ) -> RecordValue.Content {
        guard let step = steps.first else { return content }
        switch (value, step) {
        case (.object(let object), .member(let name)):
            let members = object.members.map { member in
                member.name.isByteEqual(to: name)
                    ? Member(
                        name: name, offset: 0,
                        value: RecordValue(replace(member.value.content, steps.dropFirst(), content), offset: 0))
                    : member
            }
            return .object(RecordObject(members, offset: 0))
        case (.array(var values), .element(let index)) where values.indices.contains(index):
            values[index] = RecordValue(replace(values[index].content, steps.dropFirst(), content), offset: 0)
            return .array(values)
        default: return value
        }
    }
}

extension EvidenceRecord {
    /// Replaces the value at a path of the evidence.
    func replacing(_ path: RecordPath, with content: RecordValue.Content) -> EvidenceRecord {
        with(app: app, evidence: evidence.replacing(path, with: content))
    }

    /// The record with other evidence and another app.
    func with(app: String?, evidence: RecordObject) -> EvidenceRecord {
        var record = self
        record.app = app
        record.evidence = evidence
        return record
    }
}
