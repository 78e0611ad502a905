/// A remark on a usable section of an engine in a policy.
package struct PolicyRemark: Sendable, Equatable {
    package enum Kind: Sendable {
        /// A setting that admits more than is needed.
        case weakness
        /// A name in a list that Assay does not know: misspelt, or new.
        case unknownName
        /// What a setting needs outside of the policy. No weakness.
        case prerequisite
    }

    /// The path of the field below the section. For a value of a list, its index follows in brackets.
    package private(set) var field: String
    package let kind: Kind
    /// What is set, what it admits, and what to do.
    package let message: String

    /// Remarks that a setting is weak.
    package init(_ field: String, _ message: String) {
        self.field = field
        kind = .weakness
        self.message = message
    }

    /// Remarks on what a setting needs outside of the policy.
    package init(_ field: String, needs message: String) {
        self.field = field
        kind = .prerequisite
        self.message = message
    }

    /// Remarks that a name in a list is not known. `consequence` is the consequence if it is misspelt.
    package init(unknown name: String, in field: String, at index: Int, known: [String], consequence: String) {
        self.field = "\(field)[\(index)]"
        kind = .unknownName
        let advice = Nearest.advice(for: name, among: known)
        message =
            "Assay does not know \"\(name.excerpt)\"\(advice.isEmpty ? "." : advice) If it is misspelt, \(consequence)"
    }
}

extension PolicyRemark {
    /// The remark on a field in a mapping.
    func below(_ name: String) -> PolicyRemark {
        var remark = self
        remark.field = "\(name).\(field)"
        return remark
    }
}

/// A setting in force in an engine's section of a policy.
package struct PolicySetting: Sendable {
    /// The path of the field below the section.
    package let path: String
    /// The value; nil for an optional field that is not set and has no default.
    package let value: PolicyNode.Content?

    /// Whether a path is that of a list of names of keys.
    package static func namesKeys(_ path: String) -> Bool { path == "keys" || path.hasSuffix(".keys") }

    /// A setting with any value.
    package init(_ path: String, _ value: PolicyNode.Content?) {
        self.path = path
        self.value = value
    }

    package init(_ path: String, _ text: String?) { self.init(path, text.map { .scalar($0) }) }

    /// A setting with a list; an empty list is not set.
    package init(_ path: String, _ list: [String]) {
        self.init(path, list.isEmpty ? nil : PolicyNode.Content.sequence(list.map { .written(.scalar($0)) }))
    }

    /// The setting of a field in a mapping.
    func below(_ name: String) -> PolicySetting { PolicySetting("\(name).\(path)", value) }

    /// A setting with a length of time.
    package init(_ path: String, seconds: Double?) {
        self.init(path, seconds.map { PolicyNode.text(ofSeconds: $0) })
    }
}

extension PolicyNode {
    /// A value that is not from a file.
    package static func written(_ content: Content) -> PolicyNode {
        PolicyNode(content, path: "", line: 0, file: nil)
    }

    /// The value at a path below this mapping; nil if the policy does not contain it.
    package func value(at path: String) -> PolicyNode? {
        var place = self
        for name in path.split(separator: ".") {
            guard let entry = place.entry(name) else { return nil }
            place = entry
        }
        return place
    }

    /// The line of a field below this mapping, or of the innermost parent in the policy. An index in brackets may
    /// follow.
    package func line(ofField field: String) -> Int {
        let (path, index) = PolicyNode.splitIndex(field)
        var (place, line) = (self, self.line)
        for name in path.split(separator: ".") {
            guard let entry = place.entry(name) else { return line }
            (place, line) = (entry, entry.line)
        }
        guard let index, case .sequence(let elements) = place.content, elements.indices.contains(index) else {
            return line
        }
        return elements[index].line
    }

    private func entry(_ name: Substring) -> PolicyNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
    }

    private static func splitIndex(_ field: String) -> (path: Substring, index: Int?) {
        guard field.hasSuffix("]"), let bracket = field.lastIndex(of: "[") else { return (field[...], nil) }
        return (field[..<bracket], Int(field[field.index(after: bracket)...].dropLast()))
    }
}
