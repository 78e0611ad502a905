package import AssayCore

/// The form of a standard token, which is sent to Google unchanged: base64url without padding, about 2 KiB; a classic one has periods
/// between its parts (RFC 7516 section 7.1). Other encodings of the same bytes are refused: Google would take one as the same token,
/// and the ledger as a new one. A token of another form is false evidence, and is rejected without a call.
package enum IntegrityTokenText {
    /// Demands canonical base64url without padding, in parts between periods, of 1 to ``InputLimits/integrityToken`` bytes. No error
    /// contains a part of the token.
    package static func check(_ token: String) throws(DecodeError) {
        guard !token.utf8.isEmpty else {
            throw DecodeError(.truncated, at: 0, field: "token", "the token is empty")
        }
        let limit = InputLimits.integrityToken
        guard token.utf8.count <= limit else {
            throw DecodeError(
                .tooLarge, at: limit, field: "token", "\(token.utf8.count) bytes, at most \(limit) allowed")
        }
        for part in Array(token.utf8).split(separator: 0x2E, omittingEmptySubsequences: false) {
            guard !part.isEmpty else { throw refusal(of: part, at: part.startIndex) }
            do { _ = try Base64.decode(part, .url) } catch { throw refusal(of: part, at: error.offset) }
        }
    }

    /// Why a part of a token is refused. Omits the character that the base64 decoder names.
    private static func refusal(of part: ArraySlice<UInt8>, at offset: Int) -> DecodeError {
        let strange = offset < part.endIndex ? part[offset] : nil
        if let strange, !strange.isASCIIAlphanumeric, !"-_+/=".utf8.contains(strange) {
            return DecodeError(
                .invalidText, at: offset, field: "token", "the byte is in no alphabet of tokens; expected base64url")
        }
        return DecodeError(
            .tokenNotCanonical, at: offset, field: "token",
            "expected base64url without padding, each part not empty and its spare bits zero; send the token as the app "
                + "got it from Google")
    }
}

extension CheckCode {
    static let tokenNotCanonical = CheckCode(.tokenNotCanonical)
}

extension ErrorCode {
    static let tokenNotCanonical = ErrorCode(
        "token-not-canonical",
        """
        The token is another spelling of base64url without padding: look for an app or a proxy that adds padding, changes the \
        alphabet or decodes and encodes the token.
        """)
}
