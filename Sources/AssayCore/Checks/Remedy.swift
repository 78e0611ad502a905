/// What a client can do after a rejection, for programs: an app shows a message, or repeats with other evidence.
///
/// Each code of a check has one; `assay explain` lists them. A remedy helps an honest client and proves nothing about it.
public enum Remedy: String, Sendable, CaseIterable, Comparable {
    /// Make new evidence of the same kind, and send the request again: a new assertion, token or signature.
    case retry
    /// Ask the backend for a new challenge, and make new evidence over it.
    case newChallenge = "new-challenge"
    /// Make a new key, and attest it with a new challenge.
    case newAttestation = "new-attestation"
    /// The user installs the current version of the app from the store.
    case updateApp = "update-app"
    /// The user updates the operating system.
    case updateSystem = "update-system"
    /// The user or the app's developers turn to the backend's operators: only they can help.
    case contactSupport = "contact-support"
    /// Nothing that a client does helps: no genuine app sends such evidence.
    case nothing = "none"

    /// Whether `left` demands less of the client than `right`, in the order of the cases.
    public static func < (left: Remedy, right: Remedy) -> Bool { left.weight < right.weight }

    private var weight: Int {
        switch self {
        case .retry: 0
        case .newChallenge: 1
        case .newAttestation: 2
        case .updateApp: 3
        case .updateSystem: 4
        case .contactSupport: 5
        case .nothing: 6
        }
    }
}
