import AssayCore

/// Turns a JSON tree into annotations.
///
/// Private and symmetric keys are named and never shown: PEM blocks in strings, and the secret members of JSON Web Keys
/// (RFC 7517, RFC 7518 section 6).
package struct JSONDescriber {
    /// What a value means, by the names of the members and the numbers of the elements that lead to it.
    package typealias Meaning = (_ path: [String], _ node: JSONNode) -> String?

    /// What values mean.
    private let meaning: Meaning

    /// What stands in the place of a secret.
    package static let secretValue = "not shown: it is a secret"

    /// Prepares to annotate.
    package init(meaning: @escaping Meaning = { _, _ in nil }) {
        self.meaning = meaning
    }

    /// Annotates a document. Its secrets are those of the contents.
    package func contents(of node: JSONNode, named name: String) -> BlobContents {
        var secrets: [Range<Int>] = []
        let annotation = annotation(node, name: name, path: [], &secrets)
        return BlobContents([annotation], secrets: secrets)
    }

    /// Annotates a value and what is in it.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - range: the bytes of the name and the value, when there is a name.
    ///   - path: the names and numbers that lead to it.
    ///   - secrets: the ranges of secrets, to which those of this value are added.
    package func annotation(
        _ node: JSONNode, name: String, at range: Range<Int>? = nil, path: [String], _ secrets: inout [Range<Int>]
    ) -> Annotation {
        var annotation = Annotation(name, at: range ?? node.range, meaning: meaning(path, node))
        annotation.violation = node.violation
        switch node.content {
        case .null: annotation.value = "null"
        case .flag(let flag): annotation.value = "\(flag)"
        case .number(let text): annotation.value = text
        case .text(let text):
            annotation.value = text
            guard SecretText.find(in: text) != nil else { break }
            annotation.meaning = "a private key"
            JSONDescriber.hide(&annotation, node, &secrets)
        case .broken(let reason): annotation.violation = reason
        case .array(let elements):
            annotation.value = elements.isEmpty ? "[]" : nil
            for (index, element) in elements.enumerated() {
                annotation.children.append(
                    self.annotation(element, name: "[\(index)]", path: path + ["\(index)"], &secrets))
            }
        case .object(let members):
            annotation.value = members.isEmpty ? "{}" : nil
            annotation.children = children(members, path: path, &secrets)
        }
        return annotation
    }

    private func children(
        _ members: [(key: JSONNode, value: JSONNode)], path: [String], _ secrets: inout [Range<Int>]
    ) -> [Annotation] {
        let isKey = members.contains { $0.key.text?.isByteEqual(to: "kty") ?? false }
        var names: Set<[UInt8]> = []
        var children: [Annotation] = []
        for (key, value) in members {
            let name = key.text ?? "(no name)"
            let range = key.range.lowerBound..<max(key.range.upperBound, value.range.upperBound)
            var child = annotation(value, name: name, at: range, path: path + [name], &secrets)
            child.violation = key.violation ?? child.violation
            if !names.insert(Array(name.utf8)).inserted { child.violation = child.violation ?? "the name comes twice" }
            if let words = SecretMembers.describe(name, inKey: isKey) {
                child.meaning = words
                JSONDescriber.hide(&child, value, &secrets)
            }
            children.append(child)
        }
        return children
    }

    private static func hide(_ annotation: inout Annotation, _ node: JSONNode, _ secrets: inout [Range<Int>]) {
        annotation.value = secretValue
        annotation.children = []
        secrets.append(node.range)
    }
}
