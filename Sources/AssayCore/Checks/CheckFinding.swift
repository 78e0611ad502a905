/// Why a check came out as it did: a code that programs match, and a sentence that a person can act on.
///
/// The sentence is rendered on demand. It never contains a secret, a token or a full key.
public protocol CheckFinding: Sendable {
    /// A stable code in kebab case, unique within the check, suitable for logs and metrics.
    var code: String { get }
    /// One sentence: what was found, and what is allowed.
    var detail: String { get }
}
