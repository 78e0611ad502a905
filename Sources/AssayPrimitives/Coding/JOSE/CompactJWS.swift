/// A parsed JSON Web Signature in compact serialisation (RFC 7515 section 7.1). Verify it with ``JWSKey/verify(_:)``.
package struct CompactJWS: Sendable {
    package let header: JOSEHeader
    /// The payload, unverified.
    package let payload: [UInt8]
    /// The signed text: header and payload in base64url, with the dot between them.
    package let signingInput: ArraySlice<UInt8>
    /// The signature or MAC.
    package let signature: [UInt8]
    /// The number of characters of the header in the signing input.
    private let headerLength: Int
    /// Whether the header comes from ``JOSEHeaderMemo``: an earlier valid signature covered the same text.
    let isHeaderRemembered: Bool

    /// Parses at most `limit` characters: three parts of canonical base64url without padding, no white space.
    /// - Throws: ``DecodeError`` at an index of `text`. Its field is the invalid part, in the terms of RFC 7515.
    package init(_ text: ArraySlice<UInt8>, limit: Int) throws(DecodeError) {
        var parts = try CompactParts(text, count: 3, limit: limit, form: "JWS")
        let headerText = parts.next()
        headerLength = headerText.count
        if let remembered = JOSEHeaderMemo.shared.header(of: headerText) {
            header = remembered
            isHeaderRemembered = true
        } else {
            header = try JOSEHeader(headerText, field: "JWS protected header")
            isHeaderRemembered = false
        }
        let payloadText = parts.next()
        payload = try CompactParts.decode(payloadText, field: "JWS payload")
        signature = try CompactParts.decode(parts.next(), field: "JWS signature")
        signingInput = text[..<payloadText.endIndex]
    }

    /// The header as base64url text.
    var headerText: ArraySlice<UInt8> { signingInput.prefix(headerLength) }

    /// Parses an array, by the same rules.
    package init(_ text: [UInt8], limit: Int) throws(DecodeError) {
        try self.init(text[...], limit: limit)
    }
}
