import FoundationEssentials

/// A subject that an operator can block or allow: a key ID, a device ID, an account or an issuer.
///
/// Names are compared by their UTF-8 bytes, as in databases. Swift's `==` on strings would equate two Unicode spellings
/// of one letter.
public struct LedgerSubject: Hashable, Sendable, CustomStringConvertible {
    /// The kind of name.
    @nonexhaustive
    public enum Kind: String, Sendable, CaseIterable {
        /// A key ID, in standard base64.
        case key
        /// A device ID, as in the evidence.
        case device
        /// An account of the backend.
        case account
        /// The issuer of tokens, as in the tokens. A block rejects all tokens that it has issued.
        case issuer
    }

    /// The kind of name.
    public let kind: Kind
    /// The name.
    public let name: String

    /// Names a subject.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Names a key by its identifier, of any engine.
    package init(keyID bytes: [UInt8]) { self.init(.key, Data(bytes).base64EncodedString()) }

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
        // Swift strings are contiguous; strings bridged on Darwin may not be.
        if bytes == nil { Array(name.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension LedgerSubject {
    /// The order of the UTF-8 bytes of kind and name.
    package func precedes(_ other: LedgerSubject) -> Bool {
        kind == other.kind
            ? name.utf8.lexicographicallyPrecedes(other.name.utf8)
            : kind.rawValue.utf8.lexicographicallyPrecedes(other.kind.rawValue.utf8)
    }
}
