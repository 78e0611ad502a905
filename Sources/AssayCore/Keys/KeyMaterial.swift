/// What a key is for: the engine that opens or verifies evidence with it.
public struct KeyPurpose: Hashable, Sendable, CustomStringConvertible {
    /// The name that stands in the field `use` of a policy, such as `play-integrity`.
    public let name: String

    /// Names a purpose. Which there are is for the engines to say.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// The keys of one purpose in the form in which they are used: parsed once, with secrets that are wiped after use.
///
/// Each engine that needs keys has one type of material for each purpose.
public protocol KeyMaterial: Sendable {
    /// What keys of this type are for.
    static var purpose: KeyPurpose { get }
    /// The parts of which a key consists.
    static var parts: [KeyPart] { get }

    /// Reads a key from its parts, by name, each as its file or variable holds it.
    ///
    /// Both keys and values are as handed over by people: white space at the ends is theirs to add.
    /// - Throws: ``KeyError``, which names the part, what was found and what is expected, and shows nothing of a secret.
    init(parts: [String: SecretBytes]) throws(KeyError)

    /// The algorithms that the key is used with, in the names of RFC 7518, such as `A256KW, A256GCM, ES256`.
    var algorithm: String { get }

    /// What lists of keys show of it: the algorithms, and the ID by which evidence names the key when it has one.
    var summary: String { get }
}

extension KeyMaterial {
    /// The algorithms.
    public var summary: String { algorithm }
}

/// One part of a key, such as the half that decrypts.
public struct KeyPart: Sendable, Equatable {
    /// What a part holds, and with it how it is handed over.
    public enum Content: Sendable, Equatable {
        /// A secret, in a file that others must not be able to read or in a variable: `file:PATH` or `env:NAME`.
        case secret
        /// Something long that everybody may know, such as a public key: `file:PATH` or `env:NAME`.
        case published
        /// A word that everybody may know, such as an identifier, which is written as it is.
        case word
    }

    /// The name of the part, which is its field in a policy, such as `decryptionKey`.
    public let name: String
    /// What it holds.
    public let content: Content
    /// Whether every key has it.
    public let isRequired: Bool
    /// What it is and how it is written, for error messages.
    public let form: String

    /// Describes a part.
    public init(_ name: String, _ content: Content, isRequired: Bool, form: String) {
        self.name = name
        self.content = content
        self.isRequired = isRequired
        self.form = form
    }

    /// Whether it must be kept secret. Files with secrets must not be readable for others.
    public var isSecret: Bool { content == .secret }
}

/// A key that cannot be used: which part, what was found and what is expected. It shows nothing of a secret.
public struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code in kebab case.
    public let code: String
    /// The part, such as `decryptionKey`, or empty for the key as a whole.
    public let part: String
    /// What was found, and what is expected.
    public let message: String

    /// Describes what is wrong with a key.
    public init(_ code: String, part: String, _ message: String) {
        self.code = code
        self.part = part
        self.message = message
    }

    /// The code for the public half of a key pair where a secret belongs.
    package static let publicHalf = "public-key"
    /// The code for the private half of a key pair where something else belongs.
    package static let privateHalf = "private-key"
    /// Whether it is a half of a key pair that is wrong.
    package var isOfKeyPair: Bool { code == KeyError.publicHalf || code == KeyError.privateHalf }

    /// Part and sentence.
    public var description: String { part.isEmpty ? message : "\(part): \(message)" }
}

extension KeyMaterial {
    /// Reads a key from its parts when exactly those are there that a key of this type has.
    ///
    /// - Throws: ``KeyError``; also for a part that is missing or that no key of this purpose has.
    public static func reading(_ parts: [String: SecretBytes]) throws(KeyError) -> Self {
        let allowed = Self.parts.map(\.name)
        for name in parts.keys.sorted() where !allowed.containsBytes(of: name) {
            throw KeyError(
                "unknown-part", part: name.excerpt,
                "keys for \(purpose) have no such part; they have \(allowed.joined(separator: ", "))")
        }
        for part in Self.parts where part.isRequired && parts[part.name] == nil {
            throw KeyError("missing-part", part: part.name, "the part is missing; expected \(part.form)")
        }
        return try Self(parts: parts)
    }
}
