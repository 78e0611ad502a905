/// A standard token to verify, or Google's answer to it.
public struct StandardIntegrityInput: Sendable {
    /// The token or the answer.
    public enum Evidence: Sendable {
        /// The token as the app sent it. A decoder sends it to Google.
        case token(String)
        /// Google's answer, which the caller already has. See ``IntegrityAnswer`` for who vouches for it.
        case decoded(IntegrityAnswer)
    }

    /// The allowed length of a request hash in UTF-8 bytes (Google, StandardIntegrityTokenRequest).
    static let requestHashLength = 1...500

    /// The package name of the expected app.
    package let packageName: String
    /// The request hash as the app gave it to Google; compared exactly.
    package let requestHash: String
    package let evidence: Evidence

    /// Creates the input of a verification.
    ///
    /// - Parameters:
    ///   - packageName: The package name of the expected app.
    ///   - requestHash: The hash of the request as the server computes it, 1 to 500 bytes. A token without a hash is
    ///     bound to no request and is rejected.
    ///   - evidence: The token or Google's answer.
    public init(packageName: String, requestHash: String, evidence: Evidence) {
        (self.packageName, self.requestHash, self.evidence) = (packageName, requestHash, evidence)
    }
}
