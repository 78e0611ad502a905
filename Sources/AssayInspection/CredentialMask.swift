import AssayCore

/// Hides the authenticating part of a token, so that inspecting a request does not disclose a usable session.
enum CredentialMask {
    /// The signature of a JWS (RFC 7515) or the tag of a JWE (RFC 7516).
    private static let names = ["signature", "authentication tag"]

    /// Removes the value from the annotations of that part.
    ///
    /// - Returns: the ranges of the removed values.
    static func apply(to annotations: inout [Annotation]) -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        for index in annotations.indices where names.containsBytes(of: annotations[index].name) {
            guard let range = annotations[index].range, annotations[index].value != nil else { continue }
            annotations[index].value = SecretMask.value
            secrets.append(range)
        }
        return secrets
    }
}
