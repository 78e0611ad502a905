package import AssayCore

/// A type of keys for tests of what keeps keys: a secret of 1 to 64 bytes, and a public label if there is one.
package struct TestSecret: KeyMaterial {
    /// Test keys are for tests.
    package static let purpose = KeyPurpose("test")
    /// The secret is required, the label is not.
    package static let parts = [
        KeyPart("secret", .secret, isRequired: true, form: "1 to 64 bytes"),
        KeyPart("label", .published, isRequired: false, form: "text"),
    ]
    /// No algorithm uses it.
    package var algorithm: String { "none" }
    /// The secret.
    package let secret: SecretBytes
    /// The label.
    package let label: SecretBytes?

    /// Keeps the parts as they are.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let secret = parts["secret"], (1...64).contains(secret.count) else {
            throw KeyError("wrong-length", part: "secret", "expected 1 to 64 bytes, found another number")
        }
        self.secret = secret
        label = parts["label"]
    }

    /// The parts of a key with this secret.
    package static func parts(_ secret: String, label: String? = nil) -> [String: SecretBytes] {
        var parts = ["secret": SecretBytes(Array(secret.utf8))]
        if let label { parts["label"] = SecretBytes(Array(label.utf8)) }
        return parts
    }
}

extension SecretBytes {
    /// What is kept, as text for expectations. Secrets of tests are none.
    package var testText: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
