/// A standard token to be verified, or Google's answer on it.
public struct StandardIntegrityInput: Sendable {
    /// The token, or the answer on it.
    public enum Evidence: Sendable {
        /// The token as the app sent it, which a decoder sends to Google.
        case token(String)
        /// Google's answer, which the caller has already. ``IntegrityAnswer`` says who vouches for it.
        case decoded(IntegrityAnswer)
    }

    /// How many bytes of UTF-8 a request hash may have (Google, StandardIntegrityTokenRequest).
    static let requestHashLength = 1...500

    /// The package name of the app that is to have asked for it.
    package let packageName: String
    /// The hash of the request, as the app gave it to Google; compared exactly.
    package let requestHash: String
    /// The token, or the answer.
    package let evidence: Evidence

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - packageName: the package name of the app.
    ///   - requestHash: the hash of the request as the server computes it, of 1 to 500 bytes. A token that was requested
    ///     without a hash is bound to no request, and is refused.
    ///   - evidence: the token, or Google's answer.
    public init(packageName: String, requestHash: String, evidence: Evidence) {
        self.packageName = packageName
        self.requestHash = requestHash
        self.evidence = evidence
    }
}
