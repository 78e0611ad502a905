package import AssayCore

/// The form of a standard token, which is sent to Google unchanged.
///
/// Google's tokens are base64 of about 2 KiB. The form allows both alphabets and dots between parts; it excludes
/// characters that a firewall may treat as an attack. Check it before a call: a token of another form is invalid
/// evidence, rejected without asking Google.
package enum IntegrityTokenText {
    /// Demands letters, digits and `-_+/=.~` of ASCII, 1 to ``InputLimits/integrityToken`` bytes. Throws
    /// ``DecodeError`` at the unexpected byte, without showing the token.
    package static func check(_ token: String) throws(DecodeError) {
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
