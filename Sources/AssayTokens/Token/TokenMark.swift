/// What stands behind a token in place of a genuine device with an app of the store: the claim `env`. Services in other languages
/// refuse every token with this claim in production.
package enum TokenMark: String, Sendable, CaseIterable {
    /// A test authority signed the evidence, or there was a debug token.
    case test
    /// Apple signed the evidence in App Attest's development environment: a genuine device, with a build of a developer.
    case development
    /// The caller alone stands for the evidence, such as for an answer of Google that came with it.
    case caller
    /// The device stated that it has no evidence.
    case noEvidence = "none"
}
