public import AssayCore

/// A JSON Web Signature in compact serialisation (RFC 7515 section 7.1), taken apart and not verified.
///
/// Only ``JWSKey/verify(_:)`` says whether the payload is what somebody has signed.
public struct CompactJWS: Sendable {
    /// The protected header.
    public let header: JOSEHeader
    /// The payload, which nobody has vouched for yet.
    public let payload: [UInt8]
    /// What the signature is made over: header and payload as they stand in the text, with the dot between them.
    public let signingInput: ArraySlice<UInt8>
    /// The signature or MAC.
    public let signature: [UInt8]

    /// Takes apart a text that is one JWS: three parts, each canonical base64url without padding.
    ///
    /// - Parameters:
    ///   - text: the characters, without white space around them; indices serve as offsets.
    ///   - limit: how many characters are allowed, such as ``InputLimits/joseText``.
    /// - Throws: ``DecodeError``, whose field is the part that is wrong, in the terms of RFC 7515.
    public init(_ text: ArraySlice<UInt8>, limit: Int) throws(DecodeError) {
        let parts = try CompactParts.split(text, count: 3, limit: limit, form: "JWS")
        header = try JOSEHeader(parts[0], field: "JWS protected header")
        payload = try CompactParts.decode(parts[1], field: "JWS payload")
        signature = try CompactParts.decode(parts[2], field: "JWS signature")
        signingInput = text[parts[0].startIndex..<parts[1].endIndex]
    }

    /// Takes apart an array of characters that is one JWS.
    public init(_ text: [UInt8], limit: Int) throws(DecodeError) {
        try self.init(text[...], limit: limit)
    }
}
