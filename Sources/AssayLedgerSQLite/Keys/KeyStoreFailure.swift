public import AssayCore
public import FoundationEssentials

/// Why a key store was not changed.
public enum KeyStoreFailure: Error, Sendable, CustomStringConvertible {
    /// What was asked for cannot be.
    case refusal(KeyStoreRefusal)
    /// The store cannot be read or written.
    case outage(KeyStoreOutage)

    /// The sentence of what is inside.
    public var description: String {
        switch self {
        case .refusal(let refusal): refusal.description
        case .outage(let outage): outage.description
        }
    }
}

/// A change that a key store does not make. It shows nothing of a secret.
public enum KeyStoreRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The store has a key of this name.
    case nameTaken(String)
    /// The store has no key of this name.
    case unknownName(String)
    /// The key was, or is to be, retired at this time already.
    case alreadyRetired(String, at: Date)
    /// A key cannot be named so, for this reason.
    case invalidName(String)
    /// A key cannot be for this, for this reason.
    case invalidScope(String)
    /// The window ends before it begins.
    case emptyWindow
    /// There are no keys for this purpose, but for these.
    case unknownPurpose(KeyPurpose, known: [KeyPurpose])
    /// The parts are no such key.
    case invalidKey(KeyError)

    /// What is wrong, and what is possible.
    public var description: String {
        switch self {
        case .nameTaken(let name):
            "there is a key \(name.excerpt) already; choose another name, so that verdicts tell the two apart"
        case .unknownName(let name): "there is no key \(name.excerpt)"
        case .alreadyRetired(let name, let time):
            "the key \(name.excerpt) is retired at \(RFC3339.format(time)) already; a retirement is not put off"
        case .invalidName(let objection): "no key can have this name: \(objection)"
        case .invalidScope(let objection): "no key can be for this: \(objection)"
        case .emptyWindow: "the window ends before it begins, so that the key could never be used"
        case .unknownPurpose(let purpose, let known):
            "no engine uses keys for \(purpose.name.excerpt); allowed are \(known.map(\.name).joined(separator: ", "))"
        case .invalidKey(let error): error.description
        }
    }
}
