package import AssayCore

/// An option of `assay verify --kind`, which sets a policy field, a field of evidence or both, or names the source of a
/// part of a key.
package struct RawOption: Sendable {
    /// How an option's text becomes the value of a field of evidence.
    package enum Encoding: Sendable {
        case text
        /// The text as it is, or after `file:` the name of a file with it. A line ending at the end of the file is not part
        /// of it.
        case textOrFile
        /// A number in decimal digits.
        case number
        /// Bytes as `text:`, `hex:`, `base64:` or `file:`, stored as standard base64. Without prefix: text or base64.
        case bytes(plainIsText: Bool)
        /// A public key: PEM, a JSON Web Key, or bytes as base64, `hex:`, `base64:` or `file:`, stored as base64 of its
        /// SubjectPublicKeyInfo.
        case publicKey
        /// The name of a file with a JSON object.
        case jsonFile
        /// `NAME=VALUE`. The evidence holds the values in the order of ``RawKind/names``.
        case named
    }

    /// The field of evidence that an option sets.
    package struct EvidenceField: Sendable {
        package let path: String
        package let encoding: Encoding
    }

    /// The policy field that an option sets.
    package struct Alias: Sendable {
        package let field: PolicyField
        /// Converts the text to the value.
        package let content: @Sendable (String) -> PolicyNode.Content
    }

    /// The key that an option names the source of.
    package struct Key: Sendable {
        /// How many keys an option makes.
        package enum Count: Sendable, Equatable {
            /// One key. Each option is a part of it.
            case one
            /// A key for each value.
            case each
            /// A key for each value `ID=SOURCE`. The ID is another part of the key.
            case identified(by: String)

            fileprivate var valueName: String { if case .identified = self { "id=source" } else { "source" } }
        }

        package let material: any KeyMaterial.Type
        package let part: String
        package let count: Count
        /// The policy field that lists the names of the keys; nil if the policy lists none.
        package let field: String?
    }

    /// The forms of a public key, for help.
    static let publicKeyForms =
        "Base64 of a SubjectPublicKeyInfo or X9.63 point, or a file with one of these, PEM or a JSON Web Key."

    /// When an option must be given.
    package enum Requirement: Sendable {
        /// Always, for this reason.
        case always(String)
        /// Unless there is a policy, for this reason.
        case withoutPolicy(String)
    }

    /// The name, such as `key-id`.
    package let name: String
    /// The help, one or two sentences.
    package let help: String
    /// The placeholder of the value in help; nil for the option's own name.
    package let valueName: String?
    package private(set) var evidence: EvidenceField?
    package private(set) var alias: Alias?
    /// The key that it names the source of.
    package private(set) var key: Key?
    package let requirement: Requirement?
    package private(set) var isFlag = false
    /// Whether it states the form of the file.
    package private(set) var saysForm = false
    /// Whether it may be given several times.
    package private(set) var isRepeatable = false
    /// Whether a value may begin with a hyphen, as base64url may.
    package private(set) var isVerbatim = false
    /// The words that completion offers.
    package private(set) var words: [String] = []
    /// Whether the value is the name of a file.
    package private(set) var isFile = false

    private init(
        _ name: String, _ valueName: String?, _ help: String, _ requirement: Requirement?
    ) {
        (self.name, self.valueName, self.help, self.requirement) = (name, valueName, help, requirement)
    }

    /// Declares an option for a field of evidence. Without `name`, it has the field's own.
    package static func evidence(
        _ path: String, as name: String? = nil, _ encoding: Encoding, words: [String] = [], isVerbatim: Bool = true,
        valueName: String? = "value", required: Requirement? = nil, _ help: String
    ) -> RawOption {
        var option = RawOption(name ?? self.name(of: path), valueName, help, required)
        option.evidence = EvidenceField(path: path, encoding: encoding)
        option.isVerbatim = isVerbatim
        option.words = words
        if case .named = encoding { option.isRepeatable = true }
        return option
    }

    /// Declares an alias of a policy field. Each use adds an element to a list. `content` converts the text to the
    /// value; `name` and `help` replace the field's own.
    package static func alias(
        _ name: String? = nil, of field: PolicyField, isVerbatim: Bool = false, valueName: String? = nil,
        required: Requirement? = nil, help: String? = nil,
        content: @escaping @Sendable (String) -> PolicyNode.Content = { .scalar($0) }
    ) -> RawOption {
        var option = RawOption(
            name ?? self.name(of: field.path, isList: field.isList), valueName, help ?? field.help, required)
        option.alias = Alias(field: field, content: content)
        option.isRepeatable = field.isList
        option.isVerbatim = isVerbatim
        option.words = field.words
        option.isFile = field.isFile
        return option
    }

    /// The last name in a path, as options are named: `app-id` for the list `appIDs`, `target-uri` for `targetURI`.
    private static func name(of path: String, isList: Bool = false) -> String {
        var field = path.split(separator: ".").last ?? ""
        if isList, field.hasSuffix("s") { field.removeLast() }
        var name = ""
        var previous: Character?
        for (index, letter) in zip(field.indices, field) {
            let next = field[field.index(after: index)...].first
            if letter.isUppercase, let previous, !previous.isUppercase || next?.isLowercase == true { name += "-" }
            name += letter.lowercased()
            previous = letter
        }
        return name
    }

    package static func testRoot(in fields: [PolicyField], insteadOf maker: String) -> RawOption {
        alias(
            of: fields["testRoots"], valueName: "file",
            help: "PEM roots of a test authority in place of \(maker)'s; the verdict says so."
        ) { .scalar("file:\($0)") }
    }

    package static func flag(_ name: String, sets field: PolicyField, to word: String, _ help: String) -> RawOption {
        var option = alias(name, of: field, help: help) { _ in .scalar(word) }
        option.isFlag = true
        return option
    }

    /// Declares a flag that states the form of the file.
    package static func form(_ name: String, _ help: String) -> RawOption {
        var option = RawOption(name, nil, help, nil)
        option.isFlag = true
        option.saysForm = true
        return option
    }

    /// Declares an option that names the source of a key.
    package static func key(
        _ name: String, _ part: String, of material: any KeyMaterial.Type, _ count: Key.Count,
        listedIn field: String? = "keys", _ help: String
    ) -> RawOption {
        var option = RawOption(name, count.valueName, help, nil)
        option.key = Key(material: material, part: part, count: count, field: field)
        switch count {
        case .one: break
        case .each: option.isRepeatable = true
        case .identified:
            option.isRepeatable = true
            option.isVerbatim = true
        }
        return option
    }

    /// The same option, which also sets a field of evidence.
    package func filling(_ path: String, _ encoding: Encoding) -> RawOption {
        var option = self
        option.evidence = EvidenceField(path: path, encoding: encoding)
        return option
    }

    /// Whether it replaces part of a policy: then it excludes a policy file.
    package var isOfPolicy: Bool { evidence == nil && !saysForm }
}
