public import AssayCore
import AssayPrimitives

/// A classic token to be verified, as the app sent it.
public struct ClassicIntegrityInput: Sendable {
    /// How many characters a nonce has (Google, IntegrityTokenRequest).
    static let nonceLength = 16...500

    /// The token.
    package let token: String
    /// The package name of the app that is to have asked for it.
    package let packageName: String
    /// The bytes that the nonce stands for.
    package let nonce: [UInt8]

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - token: what `IntegrityTokenResponse.token()` gave.
    ///   - packageName: the package name of the app.
    ///   - nonce: the nonce of the request, as the server gave it to the app: base64, 16 to 500 characters.
    /// - Throws: ``DecodeError`` when the nonce is no such text.
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
