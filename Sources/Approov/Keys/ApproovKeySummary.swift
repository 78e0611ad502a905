import AssayCore

extension ApproovKey {
    /// The maximum number of listed keys of a set.
    private static let keysShown = 8

    /// The algorithms, each with the key ID that tokens name.
    package var summary: String {
        func named(_ algorithm: String, _ keyID: String?) -> String {
            algorithm + (keyID.map { " (kid \($0.excerpt))" } ?? "")
        }
        // A secret also decrypts tokens.
        if decryption != nil { return named(algorithm, keyID) }
        let rest = verifications.count - Self.keysShown
        return verifications.prefix(Self.keysShown).map { named($0.key.algorithm, $0.keyID) }.joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension ApproovMessageKey {
    /// The algorithm with the key ID that tokens name.
    package var summary: String { "\(algorithm) (mskid \(keyID.excerpt))" }
}
