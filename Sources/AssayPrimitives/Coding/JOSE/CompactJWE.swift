package import AssayCore

/// A JSON Web Encryption in compact serialisation (RFC 7516 section 7.1), taken apart and not decrypted.
package struct CompactJWE: Sendable {
    /// The protected header, which names a content encryption.
    package let header: JOSEHeader
    /// The content encryption key, encrypted.
    package let encryptedKey: [UInt8]
    /// The initialisation vector of the content encryption.
    package let initializationVector: [UInt8]
    /// The encrypted content.
    package let ciphertext: [UInt8]
    /// The authentication tag of the content encryption.
    package let tag: [UInt8]
    /// What is authenticated beside the ciphertext: the header as it stands in the text.
    package let additionalData: ArraySlice<UInt8>

    /// Takes apart a text that is one JWE: five parts, each canonical base64url without padding.
    ///
    /// - Parameters:
    ///   - text: the characters, without white space around them; indices serve as offsets.
    ///   - limit: how many characters are allowed, such as ``InputLimits/joseText``.
    /// - Throws: ``DecodeError``, whose field is the part that is wrong, in the terms of RFC 7516.
    package init(_ text: ArraySlice<UInt8>, limit: Int) throws(DecodeError) {
        var parts = try CompactParts(text, count: 5, limit: limit, form: "JWE")
        additionalData = parts.next()
        header = try JOSEHeader(additionalData, field: "JWE protected header")
        guard header.encryption != nil else {
            throw DecodeError(
                .missing, at: additionalData.startIndex, field: "JWE protected header.enc",
                "the header names no content encryption")
        }
        encryptedKey = try CompactParts.decode(parts.next(), field: "JWE encrypted key")
        initializationVector = try CompactParts.decode(parts.next(), field: "JWE initialization vector")
        ciphertext = try CompactParts.decode(parts.next(), field: "JWE ciphertext")
        tag = try CompactParts.decode(parts.next(), field: "JWE authentication tag")
    }

    /// Takes apart an array of characters that is one JWE.
    package init(_ text: [UInt8], limit: Int) throws(DecodeError) {
        try self.init(text[...], limit: limit)
    }
}
