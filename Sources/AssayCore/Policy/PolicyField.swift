/// A field of an engine's section of a policy, as the command line offers it to `assay verify --set`.
package struct PolicyField: Sendable {
    /// What the field holds.
    package indirect enum Value: Sendable {
        /// A scalar that its reader understands: text, a number, a version.
        case text
        /// A length of time, such as `5m`.
        case duration
        /// `file:PATH`.
        case file
        /// One of a few words.
        case words([String])
        /// A list.
        case list(Value)
        /// A mapping, or a list of mappings; on the command line a value of YAML.
        case mapping
    }

    /// The path below the section, such as `receipt.maximumAge`.
    package let path: String
    /// What it holds.
    package let value: Value
    /// Whether every section has it.
    package let isRequired: Bool
    /// What it says, for help.
    package let help: String

    /// Declares a field.
    package init(_ path: String, _ value: Value, isRequired: Bool = false, _ help: String) {
        self.path = path
        self.value = value
        self.isRequired = isRequired
        self.help = help
    }

    /// Whether it holds a list, to which each use of an option adds an element.
    package var isList: Bool { if case .list = value { true } else { false } }

    /// Whether it names files.
    package var isFile: Bool {
        switch value {
        case .file, .list(.file): true
        default: false
        }
    }

    /// The words that the field, or an element of its list, may be; none when it is not one of a few.
    package var words: [String] {
        switch value {
        case .words(let words), .list(.words(let words)): words
        default: []
        }
    }
}

extension PolicyField.Value {
    /// One of the words of a type.
    package static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> PolicyField.Value {
        .words(Word.allCases.map(\.rawValue))
    }
}

extension PolicyNode {
    /// The members of a mapping, all of which a schema declares.
    ///
    /// - Parameters:
    ///   - schema: the fields of the section.
    ///   - parent: the path of this mapping in the section, and empty for the section itself.
    package func members(of schema: [PolicyField], in parent: String = "") throws(PolicyError) -> [String: PolicyNode] {
        let prefix = parent.isEmpty ? "" : "\(parent)."
        let names = schema.filter { $0.path.hasPrefix(prefix) }.map { $0.path.dropFirst(prefix.count) }
        return try members(names.filter { !$0.contains(".") }.map(String.init))
    }
}

extension [PolicyField] {
    /// The field at a path. For declarations, which name fields that their own schema has; another one is text that no
    /// reader takes.
    package subscript(path: String) -> PolicyField {
        first { $0.path == path } ?? PolicyField(path, .text, "")
    }
}
