/// A field of an engine's section of a policy, also available as `assay verify --set`.
package struct PolicyField: Sendable {
    /// The type of the field.
    package indirect enum Value: Sendable {
        /// A scalar with its own format: text, a number, a version.
        case text
        /// A length of time, such as `5m`.
        case duration
        /// `file:PATH`.
        case file
        /// One of a few words.
        case words([String])
        case list(Value)
        /// A mapping or a list of mappings; YAML on the command line.
        case mapping
    }

    /// The path below the section, such as `receipt.maximumAge`.
    package let path: String
    package let value: Value
    /// The text for help.
    package let help: String

    /// Declares a field.
    package init(_ path: String, _ value: Value, _ help: String) {
        (self.path, self.value, self.help) = (path, value, help)
    }

    /// The same field in a mapping.
    func below(_ name: String) -> PolicyField { PolicyField("\(name).\(path)", value, help) }

    /// Whether it holds a list. Each use of an option adds an element.
    package var isList: Bool { if case .list = value { true } else { false } }

    /// Whether its values name files.
    package var isFile: Bool {
        switch value {
        case .file, .list(.file): true
        default: false
        }
    }

    /// The allowed words of the field or of its elements; empty if any text is allowed.
    package var words: [String] {
        switch value {
        case .words(let words), .list(.words(let words)): words
        default: []
        }
    }
}

extension PolicyField.Value {
    /// One of the raw values of a type.
    package static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> PolicyField.Value {
        .words(Word.allCases.map(\.rawValue))
    }
}

extension PolicyNode {
    /// The members of a mapping. Throws for a member that the schema does not declare.
    package func members(of schema: [PolicyField]) throws(PolicyError) -> [String: PolicyNode] {
        try members(schema.map(\.path).filter { !$0.contains(".") })
    }
}

extension [PolicyField] {
    /// The field at a path. Only for declarations: they name fields of their own schema. Any other path gives a text
    /// field that no code reads.
    package subscript(path: String) -> PolicyField {
        first { $0.path == path } ?? PolicyField(path, .text, "")
    }
}
