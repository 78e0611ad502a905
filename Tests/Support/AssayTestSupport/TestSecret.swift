package import AssayCore

/// A key type for tests of key stores: a secret of 1 to 64 bytes, and an optional public label.
package struct TestSecret: KeyMaterial {
    /// The purpose of test keys.
    package static let purpose = KeyPurpose("test")
    /// The required secret and the optional label.
    package static let parts = [
        KeyPart("secret", .secret, isRequired: true, form: "1 to 64 bytes"),
        KeyPart("label", .published, isRequired: false, form: "text"),
    ]
    /// No algorithm: nothing uses the key.
    package var algorithm: String { "none" }
    /// The secret.
    package let secret: SecretBytes
    /// The label.
    package let label: SecretBytes?

    /// Stores the parts unchanged.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let secret = parts["secret"], (1...64).contains(secret.count) else {
            throw KeyError("wrong-length", part: "secret", "expected 1 to 64 bytes, found another number")
        }
        self.secret = secret
        label = parts["label"]
    }

    /// The parts of a key with this secret and label.
    package static func parts(_ secret: String, label: String? = nil) -> [String: SecretBytes] {
        var parts = ["secret": SecretBytes(Array(secret.utf8))]
        if let label { parts["label"] = SecretBytes(Array(label.utf8)) }
        return parts
    }
}

extension SecretBytes {
    /// The secret as text, for comparisons in tests.
    package var testText: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
