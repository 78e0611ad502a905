/// A kind of evidence that `assay verify --kind` takes as one raw blob: a file, and an option for everything else that a
/// record and a policy would hold.
package struct RawKind: Sendable {
    /// What the file holds.
    package enum File: Sendable {
        /// Bytes, or base64 of them: the value of one field.
        case blob(field: String)
        /// Text without the white space around it. The options say what it is: text of another form is refused, and never
        /// read as that form.
        case text(@Sendable (String, RawArguments) throws(RawError) -> RawFields)
        /// Bytes in a format of their own.
        case bytes(@Sendable ([UInt8], RawArguments) throws(RawError) -> RawFields)
    }

    /// The value that a policy field has on the command line, which knows a single blob, when nothing sets it.
    package struct Default: Sendable {
        /// The path of the field.
        package let path: String
        /// The value.
        package let content: PolicyNode.Content
        /// What standard error says when it applies.
        package let note: String?

        /// Declares a default, with what standard error says of it.
        package init(_ path: String, _ content: PolicyNode.Content, note: String? = nil) {
            self.path = path
            self.content = content
            self.note = note
        }
    }

    /// The kind.
    package let kind: EvidenceKind
    /// What the file holds.
    package let file: File
    /// The options, in the order of help.
    package let options: [RawOption]
    /// The defaults of policy fields.
    package let defaults: [Default]
    /// The lines of an example for help, with its options and its file.
    package let example: [String]
    /// The names in the policy that the values of an option `NAME=VALUE` belong to, in their order.
    package let names: (@Sendable (any EngineConfiguration) -> [String])?
    /// What is wrong with the options together, and nil when nothing is.
    package let objection: @Sendable (RawArguments) -> String?

    /// Declares a kind.
    package init(
        _ kind: EvidenceKind, file: File, options: [RawOption], defaults: [Default] = [], example: [String] = [],
        names: (@Sendable (any EngineConfiguration) -> [String])? = nil,
        objection: @escaping @Sendable (RawArguments) -> String? = { _ in nil }
    ) {
        self.kind = kind
        self.file = file
        self.options = options
        self.defaults = defaults
        self.example = example
        self.names = names
        self.objection = objection
    }
}

/// The options of one command line.
package struct RawArguments: Sendable {
    private let texts: [String: [String]]
    /// The paths of the policy fields that `--set` names.
    private let settings: Set<String>
    /// Whether a policy file is named, which then says what options would.
    package let hasPolicy: Bool
    /// The ledger that keeps what it learns; nil for one in memory.
    package let ledger: String?

    /// Takes the texts of the options by name.
    package init(_ texts: [String: [String]], settings: Set<String> = [], hasPolicy: Bool, ledger: String?) {
        self.texts = texts
        self.settings = settings
        self.hasPolicy = hasPolicy
        self.ledger = ledger
    }

    /// Every text of an option.
    package func texts(_ name: String) -> [String] { texts[name] ?? [] }

    /// The text of an option, the last one that was given.
    package func text(_ name: String) -> String? { texts[name]?.last }

    /// Whether an option was given.
    package func has(_ name: String) -> Bool { text(name) != nil }

    /// Whether an option was given, or the policy field that it stands for is set.
    package func sets(_ name: String, _ path: String) -> Bool { has(name) || settings.contains(path) }
}

/// The fields of evidence that a file holds.
package struct RawFields: Sendable {
    /// The fields.
    package let fields: [(name: String, content: RecordValue.Content)]
    /// How the file was read, for standard error; nil when there was no choice.
    package let note: String?

    /// Takes fields.
    package init(_ fields: [(String, RecordValue.Content)], readAs note: String? = nil) {
        self.fields = fields
        self.note = note
    }
}

/// A file that holds no evidence of its kind, or options that do not fit it.
package enum RawError: Error {
    /// Another option is needed.
    case usage(String)
    /// The file cannot be read, for this reason.
    case unreadable(String)
    /// The file cannot be read from this byte on.
    case malformed(DecodeError)
}
