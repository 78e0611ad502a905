package import AssayCore

/// A JSON Web Signature in compact serialisation (RFC 7515 section 7.1), taken apart and not verified.
///
/// Only ``JWSKey/verify(_:)`` says whether the payload is what somebody has signed.
package struct CompactJWS: Sendable {
    /// The protected header.
    package let header: JOSEHeader
    /// The payload, which nobody has vouched for yet.
    package let payload: [UInt8]
    /// What the signature is made over: header and payload as they stand in the text, with the dot between them.
    package let signingInput: ArraySlice<UInt8>
    /// The signature or MAC.
    package let signature: [UInt8]
    /// How many characters of the signing input are the header.
    private let headerLength: Int
    /// Whether a header of this text was seen under a valid signature before.
    let isHeaderRemembered: Bool

    /// Takes apart a text that is one JWS: three parts, each canonical base64url without padding.
    ///
    /// - Parameters:
    ///   - text: the characters, without white space around them; indices serve as offsets.
    ///   - limit: how many characters are allowed, such as ``InputLimits/joseText``.
    /// - Throws: ``DecodeError``, whose field is the part that is wrong, in the terms of RFC 7515.
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

    /// The header as it stands in the text.
    var headerText: ArraySlice<UInt8> { signingInput.prefix(headerLength) }

    /// Takes apart an array of characters that is one JWS.
    package init(_ text: [UInt8], limit: Int) throws(DecodeError) {
        try self.init(text[...], limit: limit)
    }
}
