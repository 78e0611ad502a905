public import AssayCore

/// The form of a token that only Google can open: text that is sent on as it is.
///
/// Nothing is known of it but that Google's are base64 of about 2 KiB, so that the form leaves room for both alphabets, and
/// for dots between parts. Whoever has tokens decoded checks it first: a token of another form is false evidence, and no
/// reason to ask anybody. What a firewall on the way might take for an attack is not among the characters.
public enum IntegrityTokenText {
    /// Demands letters, digits and `-_+/=.~` of ASCII, of 1 to ``InputLimits/integrityToken`` bytes.
    ///
    /// - Throws: ``DecodeError`` at the byte that does not fit. It shows nothing of the token.
    public static func check(_ token: String) throws(DecodeError) {
        guard !token.utf8.isEmpty else {
            throw DecodeError(.truncated, at: 0, field: "token", "the token is empty")
        }
        let limit = InputLimits.integrityToken
        guard token.utf8.count <= limit else {
            throw DecodeError(
                .tooLarge, at: limit, field: "token", "\(token.utf8.count) bytes, at most \(limit) allowed")
        }
        for (offset, byte) in token.utf8.enumerated() where !isOfToken(byte) {
            throw DecodeError(.invalidText, at: offset, field: "token", "byte \(byte) is in no alphabet of tokens")
        }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_+/=.~".utf8.contains(byte)
        }
    }
}
