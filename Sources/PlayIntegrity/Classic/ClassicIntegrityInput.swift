public import AssayCore
import AssayPrimitives

/// A classic token to verify, as the app sent it.
public struct ClassicIntegrityInput: Sendable {
    /// The allowed length of a nonce in characters (Google, IntegrityTokenRequest).
    static let nonceLength = 16...500

    /// The token.
    package let token: String
    /// The package name of the expected app.
    package let packageName: String
    /// The decoded bytes of the nonce.
    package let nonce: [UInt8]

    /// Creates the input of a verification.
    ///
    /// - Parameters:
    ///   - token: The result of `IntegrityTokenResponse.token()`.
    ///   - packageName: The package name of the expected app.
    ///   - nonce: The nonce as the server gave it to the app: base64, 16 to 500 characters.
    /// - Throws: ``DecodeError`` if the nonce has another form.
    public init(token: String, packageName: String, nonce: String) throws(DecodeError) {
        let length = nonce.utf8.count
        guard Self.nonceLength.contains(length) else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: "nonce",
                "a nonce has \(Self.nonceLength.lowerBound) to \(Self.nonceLength.upperBound) characters, found \(length)"
            )
        }
        guard let bytes = AnyBase64.decode(nonce) else {
            throw DecodeError(
                .malformed, at: 0, field: "nonce", "a nonce is base64url or base64; \(Self.objection(to: nonce))")
        }
        self.token = token
        self.packageName = packageName
        self.nonce = bytes
    }

    private static func objection(to nonce: String) -> String {
        let other = nonce.unicodeScalars.enumerated().first { !AnyBase64.isCharacter($0.element) }
        guard let (index, scalar) = other else {
            return "found both alphabets in one, or a length, padding or last character that no bytes have"
        }
        return "character \(index + 1) is \"\(String(scalar).excerpt)\""
    }
}
