import AssayCore

/// Turns a JSON tree into annotations.
///
/// Private and symmetric keys are named and never shown: PEM blocks in strings, and the secret members of JSON Web Keys
/// (RFC 7517, RFC 7518 section 6).
package struct JSONAnnotator {
    /// What a value means, by the names of the members and the numbers of the elements that lead to it.
    package typealias Meaning = (_ path: [String], _ node: JSONNode) -> String?

    /// What values mean.
    private let meaning: Meaning

    /// What stands in the place of a secret.
    package static let secretValue = "not shown: it is a secret"
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
    private static let secretNames = ["private_key", "client_secret", "refresh_token", "access_token", "password"]

    /// Prepares to annotate.
    package init(meaning: @escaping Meaning = { _, _ in nil }) {
        self.meaning = meaning
    }

    /// Annotates a value and what is in it.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - range: the bytes of the name and the value, when there is a name.
    ///   - path: the names and numbers that lead to it.
    package func annotation(
        _ node: JSONNode, name: String, at range: Range<Int>? = nil, path: [String] = []
    ) -> Annotation {
        var annotation = Annotation(name, at: range ?? node.range, meaning: meaning(path, node))
        annotation.violation = node.broken
        switch node.content {
        case .null: annotation.value = "null"
        case .flag(let flag): annotation.value = "\(flag)"
        case .number(let text): annotation.value = text
        case .text(let text): show(text, in: &annotation)
        case .broken(let reason): annotation.violation = reason
        case .array(let elements):
            annotation.value = elements.isEmpty ? "[]" : nil
            annotation.children = elements.enumerated().map { index, element in
                self.annotation(element, name: "[\(index)]", path: path + ["\(index)"])
            }
        case .object(let members):
            annotation.value = members.isEmpty ? "{}" : nil
            annotation.children = children(members, path: path)
        }
        return annotation
    }

    /// Annotates the members of an object.
    package func children(_ members: [JSONNode.Member], path: [String]) -> [Annotation] {
        let isKey = members.contains { $0.name.isByteEqual(to: "kty") }
        var names: Set<[UInt8]> = []
        return members.map { member in
            var child = annotation(member.value, name: member.name, at: member.range, path: path + [member.name])
            if !names.insert(Array(member.name.utf8)).inserted { child.violation = "the name comes twice" }
            let isSecret =
                isKey && JSONAnnotator.secretMembers.containsBytes(of: member.name)
                || JSONAnnotator.secretNames.containsBytes(of: member.name)
            if isSecret { JSONAnnotator.hide(&child) }
            return child
        }
    }

    private func show(_ text: String, in annotation: inout Annotation) {
        guard SecretText.find(in: text) == nil else {
            annotation.meaning = "a private key"
            return JSONAnnotator.hide(&annotation)
        }
        annotation.value = text
    }

    private static func hide(_ annotation: inout Annotation) {
        annotation.value = secretValue
        annotation.isSecret = true
        annotation.children = []
    }
}
