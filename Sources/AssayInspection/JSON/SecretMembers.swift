import AssayCore

/// Members of JSON objects whose values are secrets, by their names.
enum SecretMembers {
    /// Names without `_` and `-`, in lower case.
    private static let names = [
        "privatekey", "secret", "clientsecret", "sharedsecret", "secretkey", "password", "passwd", "passphrase",
        "decryptionkey", "symmetrickey", "apikey", "accesstoken", "refreshtoken", "sessiontoken", "authtoken",
        "bearertoken",
    ]
    /// What tokens of Approov carry for measurement proofs: the key, and what it proves.
    private static let measurements = ["mpk", "imh", "dmh"]
    /// Private parts of keys (RFC 7518 section 6).
    private static let keyParts = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Whether a name is one that JSON Web Keys have and other objects seldom do: one of both may have been cut off.
    static func isOfKey(_ name: String) -> Bool { name.isByteEqual(to: "kty") || name.isByteEqual(to: "crv") }

    /// What a member keeps secret, and nil when its name says nothing of the kind.
    ///
    /// - Parameter isKey: whether the object is a JSON Web Key, in which single letters are private parts.
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
