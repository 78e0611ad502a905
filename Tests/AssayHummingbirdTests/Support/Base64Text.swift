import AssayPrimitives

enum Base64Text {
    /// The base64 of the SHA-256 of a text, as `pay` holds it.
    static func sha256(_ text: String) -> String { Base64.encode(Digest.sha256(Array(text.utf8)), .standard) }
}
