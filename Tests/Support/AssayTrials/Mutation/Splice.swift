import Assay
import AssayCore
import AssayPrimitives

/// A record in which a part of one accepted vector replaces the same part of another.
struct Splice: Sendable {
    /// The name of the part, as in ``MutationVariants``.
    let part: String
    let path: RecordPath
    let record: EvidenceRecord

    /// All single replacements of parts of `vector` by parts of `donor`, and of its app. Leaves out results equal to
    /// the donor.
    static func all(of donor: AcceptedVector, into vector: AcceptedVector) -> [Splice] {
        let splices =
            app(donor, vector) + values(donor, vector)
            + (EngineRegistry.standard.mutated(vector.record.kind)?.splices(of: donor.record, into: vector.record) ?? [])
            + headers(donor, vector)
        let whole = content(donor.record)
        let own = content(vector.record)
        return splices.filter { splice in
            let content = content(splice.record)
            return content != whole && content != own
        }
    }

    /// The vector under every other app of its policy.
    static func otherApps(_ vector: AcceptedVector) -> [Splice] {
        vector.policy.apps.map(\.name).filter { $0 != app(of: vector) }.map { name in
            Splice(
                part: "app", path: RecordPath(steps: [.member("app")]),
                record: vector.record.with(app: name, evidence: vector.record.evidence))
        }
    }

    /// The app for which a record is judged. The record may omit it if the policy has only one.
    private static func app(of vector: AcceptedVector) -> String? {
        vector.record.app ?? (vector.policy.apps.count == 1 ? vector.policy.apps.first?.name : nil)
    }

    /// The judged content of a record, as bytes.
    private static func content(_ record: EvidenceRecord) -> [UInt8] {
        var bytes = Array((record.app ?? "").utf8) + [0]
        RecordJSON.append(.object(record.evidence), to: &bytes)
        return bytes
    }

    private static func app(_ donor: AcceptedVector, _ vector: AcceptedVector) -> [Splice] {
        guard app(of: donor) != app(of: vector) else { return [] }
        return [
            Splice(
                part: "app", path: RecordPath(steps: [.member("app")]),
                record: vector.record.with(app: donor.record.app, evidence: vector.record.evidence))
        ]
    }

    private static func leaves(_ record: EvidenceRecord) -> [(RecordPath, RecordValue.Content)] {
        var leaves: [(RecordPath, RecordValue.Content)] = []
        MutationField.visit(.object(record.evidence), at: RecordPath()) { leaves.append(($0, $1)) }
        return leaves
    }

    private static func values(_ donor: AcceptedVector, _ vector: AcceptedVector) -> [Splice] {
        let others = Dictionary(leaves(donor.record).map { ($0.0.description, $0.1) }) { first, _ in first }
        return leaves(vector.record).flatMap { path, content -> [Splice] in
            guard let other = others[path.description] else { return [] }
            var splices = [
                Splice(part: path.description, path: path, record: vector.record.replacing(path, with: other))
            ]
            guard case .text(let own) = content, case .text(let others) = other else { return splices }
            splices += segments(of: others, into: own).map { text in
                Splice(part: "segment", path: path, record: vector.record.replacing(path, with: .text(text)))
            }
            return splices
        }
    }

    /// Compact tokens in which a segment comes from another token with the same number of segments.
    private static func segments(of donor: String, into token: String) -> [String] {
        let own = token.split(separator: ".", omittingEmptySubsequences: false)
        let others = donor.split(separator: ".", omittingEmptySubsequences: false)
        guard own.count == others.count, own.count == 3 || own.count == 5 else { return [] }
        return own.indices.map { index in
            var spliced = own
            spliced[index] = others[index]
            return spliced.joined(separator: ".")
        }
    }

    /// Replaces the value of a header field with that of the field of the same name, whatever its position.
    private static func headers(_ donor: AcceptedVector, _ vector: AcceptedVector) -> [Splice] {
        guard case .array(let own)? = vector.record.evidence["headers"]?.content,
            case .array(let others)? = donor.record.evidence["headers"]?.content
        else { return [] }
        func pair(_ line: RecordValue) -> (name: String, value: RecordValue.Content)? {
            guard case .array(let texts) = line.content, texts.count == 2, case .text(let name) = texts[0].content
            else { return nil }
            return (name, texts[1].content)
        }
        return own.enumerated().flatMap { index, line -> [Splice] in
            guard let (name, _) = pair(line) else { return [] }
            let path = RecordPath(steps: [.member("headers"), .element(index), .element(1)])
            return others.compactMap(pair).filter { HTTPFieldText.isName($0.name, equalTo: name) }.map {
                Splice(part: "headers", path: path, record: vector.record.replacing(path, with: $0.value))
            }
        }
    }
}
