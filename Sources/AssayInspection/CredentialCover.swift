import AssayCore

/// Hides the part of a token that proves it, so that the inspection of a request does not disclose a usable session.
enum CredentialCover {
    /// The signature of a JWS (RFC 7515) or the tag of a JWE (RFC 7516).
    private static let names = ["signature", "authentication tag"]

    /// Takes the value out of annotations of that part.
    ///
    /// - Returns: where it stands.
    static func apply(to annotations: inout [Annotation]) -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        for index in annotations.indices where names.containsBytes(of: annotations[index].name) {
            guard let range = annotations[index].range, annotations[index].value != nil else { continue }
            annotations[index].value = SecretCover.value
            secrets.append(range)
        }
        return secrets
    }
}
