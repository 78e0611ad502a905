package import AssayPrimitives

/// The use of a key: the engine that decrypts or verifies evidence with it.
public struct KeyPurpose: Hashable, Sendable, CustomStringConvertible {
    /// The name in the field `use` of a policy, such as `play-integrity`.
    public let name: String

    /// Names a purpose. Engines define the purposes.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// A parsed key. It wipes its secrets after use. Each engine that needs keys has one type for each purpose.
package protocol KeyMaterial: Sendable {
    /// The use of keys of this type.
    static var purpose: KeyPurpose { get }
    static var parts: [KeyPart] { get }

    /// Reads a key from its parts, by name. Ignores white space around each value. Errors contain no part of a secret.
    init(parts: [String: SecretBytes]) throws(KeyError)

    /// The algorithms that the key is used with, in the names of RFC 7518, such as `A256KW, A256GCM, ES256`.
    var algorithm: String { get }

    /// The text in lists of keys: the algorithms, and the ID by which evidence names the key, if any.
    var summary: String { get }
}

extension KeyMaterial {
    package var summary: String { algorithm }
}

/// The types of keys that a program can read. `Verifier.keyMaterials` contains those of all engines.
public struct KeyMaterials: Sendable {
    package let types: [any KeyMaterial.Type]

    package init(_ types: [any KeyMaterial.Type]) { self.types = types }
}

/// One part of a key, such as the half that decrypts.
package struct KeyPart: Sendable, Equatable {
    /// The kind of content, which decides how policies and options specify the part.
    package enum Content: Sendable, Equatable {
        /// A secret, in a variable or in a file that only its user can read: `file:PATH` or `env:NAME`.
        case secret
        /// A long public value, such as a public key: `file:PATH` or `env:NAME`.
        case published
        /// A short public value, such as an identifier. Policies and options contain it literally.
        case word
    }

    /// The name of the part and of its field in a policy, such as `decryptionKey`.
    package let name: String
    package let content: Content
    /// Whether every key needs the part.
    package let isRequired: Bool
    /// What the part is and how it is written, for error messages.
    package let form: String

    package init(_ name: String, _ content: Content, isRequired: Bool, form: String) {
        (self.name, self.content, self.isRequired, self.form) = (name, content, isRequired, form)
    }

    /// Whether the part is secret. Its file must not be readable by other users.
    package var isSecret: Bool { content == .secret }
}

/// A key that cannot be used: the part, what was found and what is expected. The error contains no part of a secret.
public struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code in kebab case.
    public let code: String
    /// The part, such as `decryptionKey`, or empty for the key as a whole.
    public let part: String
    /// What was found, and what is expected.
    public let message: String

    /// Describes what is wrong with a key.
    public init(_ code: String, part: String, _ message: String) {
        (self.code, self.part, self.message) = (code, part, message)
    }

    /// The code for the public half of a key pair in place of a secret.
    package static let publicHalf = "public-key"
    /// The code for the private half of a key pair in place of another part.
    package static let privateHalf = "private-key"

    /// Part and sentence.
    public var description: String { part.isEmpty ? message : "\(part): \(message)" }
}

extension KeyMaterial {
    /// Reads a key from its parts. Throws also for a missing part, and for a part that keys of this purpose do not
    /// have.
    package static func reading(_ parts: [String: SecretBytes]) throws(KeyError) -> Self {
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
