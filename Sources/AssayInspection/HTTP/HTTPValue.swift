import AssayCore

/// The value of a header, a cookie or a form field: shown, decoded or hidden.
package struct HTTPValue {
    /// The text to show.
    package private(set) var value: String
    /// The meaning in words.
    package private(set) var meaning: String?
    /// The blob in the value.
    package private(set) var nested: NestedBlob?
    /// Whether the whole value must not be shown.
    package private(set) var isSecret = false

    /// The number of characters of a credential to show, so that people can distinguish credentials.
    private static let shown = 6

    /// Examines a value.
    ///
    /// - Parameters:
    ///   - bytes: the value after removing the outer encoding.
    ///   - name: the name of the nested blob.
    ///   - encoding: the outer encoding, such as percent-encoding; nil for none.
    ///   - range: the range of the value.
    ///   - isCredential: whether the value authorises its holder. A credential is hidden unless it is evidence.
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
            // Any holder of the whole token can use it.
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

    /// The first characters and the length. Shows no characters of a short value.
    private static func beginning(of bytes: [UInt8]) -> String {
        let beginning = bytes.count >= 4 * shown ? String(decoding: bytes.prefix(shown), as: UTF8.self) + "..." : "..."
        return "\(beginning) (\(Words.count(bytes.count, "character")))"
    }
}

/// The names of headers, cookies and fields with credentials.
package enum CredentialNames {
    private static let parts = [
        "auth", "token", "secret", "password", "passwd", "api-key", "apikey", "api_key", "session", "credential",
        "cookie", "jwt", "bearer", "csrf", "xsrf", "passphrase", "private-key", "private_key", "privatekey",
        "access-key", "access_key", "accesskey", "functions-key", "subscription-key", "master-key",
    ].map { Array($0.utf8) }

    /// Whether values with this name are credentials.
    package static func contain(_ name: String) -> Bool {
        let lower = LenientText.lowercased(name)
        guard lower.utf8.count <= 128 else { return true }
        let isMetadata = lower.hasSuffix("-type") || lower.hasSuffix("_type") || lower.hasPrefix("www-authenticate")
        let bytes = Array(lower.utf8)
        return !isMetadata && parts.contains { LenientText.contains(bytes, $0) }
    }
}
