/// What an operator can block or allow: a key ID, a device ID, an account or an issuer.
///
/// Names are compared by their UTF-8 bytes, as databases compare them. Swift's `==` on strings would equate two Unicode
/// spellings of one letter.
public struct LedgerSubject: Hashable, Sendable, CustomStringConvertible {
    /// What kind of name it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A key ID, in standard base64.
        case key
        /// A device ID, as the evidence has it.
        case device
        /// An account of the backend's own.
        case account
        /// The issuer of tokens, as the tokens name it. A block on it rejects all tokens that it has issued.
        case issuer
    }

    /// What kind of name it is.
    public let kind: Kind
    /// The name.
    public let name: String

    /// Names a subject.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Kind and name.
    public var description: String { "\(kind.rawValue) \(name)" }

    /// Whether kind and name are the same, byte for byte.
    public static func == (left: LedgerSubject, right: LedgerSubject) -> Bool {
        left.kind == right.kind && left.name.isByteEqual(to: right.name)
    }

    /// Hashes the kind, and the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        let bytes: Void? = name.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        // Strings of Swift are contiguous; those that Darwin bridges may not be.
        if bytes == nil { Array(name.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}
