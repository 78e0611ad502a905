import AssayCore

/// The value of a header, a cookie or a form field: shown, decoded or kept back.
package struct HTTPValue {
    /// What to show of it.
    package private(set) var value: String
    /// What it is, in words.
    package private(set) var meaning: String?
    /// What is inside.
    package private(set) var nested: NestedBlob?
    /// Whether it must not be shown whole.
    package private(set) var isSecret = false

    /// The number of characters of a credential to show, so that people can distinguish credentials.
    private static let shown = 6

    /// Looks at a value.
    ///
    /// - Parameters:
    ///   - bytes: the value, after whatever it was encoded with.
    ///   - name: where it is, for the nested blob.
    ///   - encoding: what it was encoded with beside its own encoding, such as percent-encoding.
    ///   - range: where it stands.
    ///   - isCredential: whether it authorises its holder. A credential is not shown, unless it is evidence.
    package init(_ bytes: [UInt8], named name: String, encoding: String?, at range: Range<Int>, isCredential: Bool) {
        let text = String(decoding: bytes, as: UTF8.self)
        let blob = EmbeddedBlob(text)
        if let blob, let secret = blob.secret {
            value = "(not shown)"
            meaning = secret
            isSecret = true
            return
        }
        if let blob, blob.isWorthDecoding, !isCredential || HTTPValue.isKnown(blob) {
            let isText = blob.encoding.isByteEqual(to: "text")
            let encodings = [encoding, isText ? nil : blob.encoding].compactMap { $0 }
            value = isCredential ? HTTPValue.beginning(of: bytes) : text
            meaning = isText ? "a blob of its own" : "\(blob.encoding), \(Words.count(blob.bytes.count, "byte"))"
            nested = NestedBlob(
                name, encoding: encodings.isEmpty ? "text" : encodings.joined(separator: " of "), bytes: blob.bytes,
                at: range)
            nested?.isCredential = isCredential
            // Anyone who sees the whole token can use it.
            isSecret = isCredential && isText
            return
        }
        value = isCredential ? HTTPValue.beginning(of: bytes) : text
        if isCredential {
            meaning = "a credential, of which no more is shown"
            isSecret = true
        } else if let blob, !blob.encoding.isByteEqual(to: "text") {
            meaning = "\(blob.encoding), \(Words.count(blob.bytes.count, "byte"))"
        }
    }

    /// True if the credential is a token or evidence with contents to decode, false for random bytes.
    private static func isKnown(_ blob: EmbeddedBlob) -> Bool {
        if blob.encoding.isByteEqual(to: "text") { return true }
        let recognitions = [CBORFormat.recognise(blob.bytes), DERFormat.recognise(blob.bytes)]
        return recognitions.contains { $0.map { $0.certainty >= .structure } ?? false }
            || LenientText.body(blob.bytes).first == 0x7B && JSONFormat.violation(in: blob.bytes) == nil
    }

    /// The first characters and the length. Of what is short, nothing is shown.
    private static func beginning(of bytes: [UInt8]) -> String {
        let beginning = bytes.count >= 4 * shown ? String(decoding: bytes.prefix(shown), as: UTF8.self) + "..." : "..."
        return "\(beginning) (\(Words.count(bytes.count, "character")))"
    }
}

/// Names of headers, cookies and fields whose values are credentials.
package enum CredentialNames {
    private static let parts = [
        "auth", "token", "secret", "password", "passwd", "api-key", "apikey", "api_key", "session", "credential",
        "cookie", "jwt", "bearer", "csrf", "xsrf", "passphrase", "private-key", "private_key", "privatekey",
        "access-key", "access_key", "accesskey", "functions-key", "subscription-key", "master-key",
    ].map { Array($0.utf8) }

    /// Whether a name says that its value is one.
    package static func contain(_ name: String) -> Bool {
        let lower = LenientText.lowercased(name)
        guard lower.utf8.count <= 128 else { return true }
        let isMetadata = lower.hasSuffix("-type") || lower.hasSuffix("_type") || lower.hasPrefix("www-authenticate")
        let bytes = Array(lower.utf8)
        return !isMetadata && parts.contains { LenientText.contains(bytes, $0) }
    }
}
