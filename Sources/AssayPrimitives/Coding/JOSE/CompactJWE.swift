/// A parsed JSON Web Encryption in compact serialisation (RFC 7516 section 7.1), not decrypted.
package struct CompactJWE: Sendable {
    /// The protected header. It has a content encryption, `enc`.
    package let header: JOSEHeader
    /// The encrypted content encryption key.
    package let encryptedKey: [UInt8]
    /// The initialisation vector of the content encryption.
    package let initializationVector: [UInt8]
    /// The encrypted content.
    package let ciphertext: [UInt8]
    /// The authentication tag of the content encryption.
    package let tag: [UInt8]
    /// The additional authenticated data: the header as base64url text.
    package let additionalData: ArraySlice<UInt8>

    /// Parses at most `limit` characters: five parts of canonical base64url without padding, no white space.
    /// - Throws: ``DecodeError`` at an index of `text`. Its field is the invalid part, in the terms of RFC 7516.
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

    /// Parses an array, by the same rules.
    package init(_ text: [UInt8], limit: Int) throws(DecodeError) {
        try self.init(text[...], limit: limit)
    }
}
