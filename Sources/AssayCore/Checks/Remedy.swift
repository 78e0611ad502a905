/// What a client can do after a rejection, for programs: an app shows a message, or sends other evidence.
///
/// Every code of a check has a remedy; `assay explain` lists them. A remedy helps an honest client and proves nothing
/// about it.
@nonexhaustive
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
    /// The user or the app's developers must ask the backend's operators: only they can help.
    case contactSupport = "contact-support"
    /// The client can do nothing: no genuine app sends such evidence.
    case nothing = "none"

    /// What the client does, one sentence.
    package var meaning: String {
        switch self {
        case .retry:
            "Make new evidence of the same kind, and send the request again: a new assertion, token or signature."
        case .newChallenge: "Ask the backend for a new challenge, and make new evidence over it."
        case .newAttestation: "Make a new key, and attest it with a new challenge."
        case .updateApp: "Have the user install the current version of the app from the store."
        case .updateSystem: "Have the user update the operating system."
        case .contactSupport: "Refer the user or the app's developers to the backend's operators: only they can help."
        case .nothing: "The client can do nothing: no genuine app sends such evidence."
        }
    }

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
