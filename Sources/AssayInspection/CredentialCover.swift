import AssayCore

/// Covers the part of a token without which nobody takes it, so that an inspection of a request is no copy of its session.
enum CredentialCover {
    /// What proves that a JWS (RFC 7515) or a JWE (RFC 7516) was not made up.
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
