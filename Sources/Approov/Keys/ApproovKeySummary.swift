import AssayCore
import AssayPrimitives

extension ApproovKey {
    /// How many keys of a set are told one by one.
    private static let keysShown = 8

    /// The algorithms, each with the ID by which tokens name the key.
    package var summary: String {
        func named(_ algorithm: String, _ keyID: String?) -> String {
            algorithm + (keyID.map { " (kid \($0.excerpt))" } ?? "")
        }
        // A secret, under which tokens may be encrypted as well.
        if decryption != nil { return named(algorithm, keyID) }
        let rest = verifications.count - Self.keysShown
        return verifications.prefix(Self.keysShown).map { named($0.key.algorithm, $0.keyID) }.joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension ApproovMessageKey {
    /// The algorithm, with the ID by which tokens name the key.
    package var summary: String { "\(algorithm) (mskid \(keyID.excerpt))" }
}
