import AssayPrimitives
public import FoundationEssentials

/// Why a key store was not changed.
public enum KeyStoreFailure: Error, Sendable, CustomStringConvertible {
    /// The change is not allowed.
    case refusal(KeyStoreRefusal)
    /// The store cannot be read or written.
    case outage(KeyStoreOutage)

    /// The sentence of the refusal or outage.
    public var description: String {
        switch self {
        case .refusal(let refusal): refusal.description
        case .outage(let outage): outage.description
        }
    }
}

/// Why a key store refuses a change. It contains no part of a secret.
@nonexhaustive
public enum KeyStoreRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The store has a key with this name.
    case nameTaken(String)
    /// The store has no key with this name.
    case unknownName(String)
    /// The key is already retired at this time.
    case alreadyRetired(String, at: Date)
    /// The name is not allowed, for this reason.
    case invalidName(String)
    /// The scope is not allowed, for this reason.
    case invalidScope(String)
    /// The window ends before it begins.
    case emptyWindow
    /// No key type has this purpose; the known ones follow.
    case unknownPurpose(KeyPurpose, known: [KeyPurpose])
    /// The parts are not a key of this purpose.
    case invalidKey(KeyError)

    /// What is wrong, and what is allowed.
    public var description: String {
        switch self {
        case .nameTaken(let name):
            "there is a key \(name.excerpt) already; choose another name, so that verdicts identify the key"
        case .unknownName(let name): "there is no key \(name.excerpt)"
        case .alreadyRetired(let name, let time):
            "the key \(name.excerpt) is already retired at \(RFC3339.format(time)); a retirement is not put off"
        case .invalidName(let objection): "no key can have this name: \(objection)"
        case .invalidScope(let objection): "no key can be for this: \(objection)"
        case .emptyWindow: "the window ends before it begins, so that the key could never be used"
        case .unknownPurpose(let purpose, let known):
            "no engine uses keys for \(purpose.name.excerpt); allowed are \(known.map(\.name).joined(separator: ", "))"
        case .invalidKey(let error): error.description
        }
    }
}
