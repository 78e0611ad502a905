import AssayCore

/// Recognises members of JSON objects with secret values, by name.
enum SecretMembers {
    /// Names in lower case without `_` and `-`.
    private static let names = [
        "privatekey", "secret", "clientsecret", "sharedsecret", "secretkey", "password", "passwd", "passphrase",
        "decryptionkey", "symmetrickey", "apikey", "accesstoken", "refreshtoken", "sessiontoken", "authtoken",
        "bearertoken",
    ]
    /// Members of Approov tokens for measurement proofs: the proof key and the measurements.
    private static let measurements = ["mpk", "imh", "dmh"]
    /// Private parts of keys (RFC 7518 section 6).
    private static let keyParts = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Whether JSON Web Keys have this name and other objects rarely do. A truncated key may have only one of the two.
    static func isOfKey(_ name: String) -> Bool { name.isByteEqual(to: "kty") || name.isByteEqual(to: "crv") }

    /// A description of the secret under a name; nil for other names.
    ///
    /// - Parameter isKey: whether the object is a JSON Web Key, in which some short names are private parts.
    static func describe(_ name: String, inKey isKey: Bool) -> String? {
        guard name.utf8.count <= 32 else { return nil }
        if isKey, keyParts.containsBytes(of: name) {
            return name.isByteEqual(to: "k") ? "a symmetric key" : "a part of a private key"
        }
        if measurements.containsBytes(of: name) {
            return name.isByteEqual(to: "mpk")
                ? "the key of measurement proofs, which is a secret" : "a measurement, which is a secret"
        }
        let plain = LenientText.lowercased(name).filter { $0 != "_" && $0 != "-" }
        return names.containsBytes(of: plain) ? "a secret, as its name says" : nil
    }
}
