import AssayCore

/// A classic token to verify, or Google's answer to it.
public struct ClassicIntegrityInput: Sendable {
    /// The allowed length of a nonce in characters (Google, IntegrityTokenRequest).
    static let nonceLength = 16...500

    package let evidence: StandardIntegrityInput.Evidence
    /// The package name of the expected app.
    package let packageName: String
    package let nonce: [UInt8]
    /// The challenge and the request hash that the nonce combines; nil for a nonce without them.
    package let boundTo: (challenge: [UInt8], requestHash: [UInt8])?
    /// The bytes of the server's challenge, which the ledger consumes.
    var challenge: [UInt8] { boundTo?.challenge ?? nonce }

    /// Why nonce, challenge or hash have no allowed form; nil if they have. It fails the decode check.
    let problem: DecodeError?

    /// Creates the input of a verification.
    ///
    /// By the policy's `classicTokens`, either the app's keys or Google open the token.
    /// - Parameters:
    ///   - token: The result of `IntegrityTokenResponse.token()`.
    ///   - packageName: The package name of the expected app.
    ///   - nonce: The nonce as the server gave it to the app: base64, 16 to 500 characters. One of another form is rejected by
    ///     the check `play-integrity.decode`.
    public init(token: String, packageName: String, nonce: String) {
        self.init(.token(token), packageName: packageName, nonce: nonce)
    }

    /// Creates the input of a verification.
    ///
    /// - Parameters:
    ///   - evidence: The token, or Google's answer on it. See ``IntegrityAnswer`` for who vouches for an answer.
    ///   - packageName: The package name of the expected app.
    ///   - nonce: The nonce as the server gave it to the app: base64, 16 to 500 characters. One of another form is rejected by
    ///     the check `play-integrity.decode`.
    public init(_ evidence: StandardIntegrityInput.Evidence, packageName: String, nonce: String) {
        self.evidence = evidence
        self.packageName = packageName
        boundTo = nil
        do throws(DecodeError) {
            self.nonce = try Self.decode(nonce)
            problem = nil
        } catch {
            self.nonce = []
            problem = error
        }
    }

    /// Creates the input of a verification for a nonce that binds a challenge and a request; see
    /// ``nonce(binding:to:)``.
    ///
    /// With `challenge: ledger` in the policy, the ledger consumes the challenge, not the nonce.
    /// - Parameters:
    ///   - evidence: The token, or Google's answer on it.
    ///   - packageName: The package name of the expected app.
    ///   - challenge: The bytes of the challenge that the server gave to the app, 1 to 500. Another length is rejected by the
    ///     check `play-integrity.decode`.
    ///   - requestHash: The SHA-256 of the request as the server computes it, 32 bytes. Another length is rejected likewise.
    public init(
        _ evidence: StandardIntegrityInput.Evidence, packageName: String, challenge: [UInt8], requestHash: [UInt8]
    ) {
        self.evidence = evidence
        self.packageName = packageName
        nonce = Self.digest(challenge, requestHash)
        boundTo = (challenge, requestHash)
        problem =
            Self.problem("challenge", challenge, 1...500, "1 to 500")
            ?? Self.problem("requestHash", requestHash, 32...32, "32")
    }

    private static func decode(_ nonce: String) throws(DecodeError) -> [UInt8] {
        let length = nonce.utf8.count
        guard nonceLength.contains(length) else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: "nonce",
                "a nonce has \(nonceLength.lowerBound) to \(nonceLength.upperBound) characters, found \(length)")
        }
        guard let bytes = AnyBase64.decode(nonce) else {
            throw DecodeError(
                .malformed, at: 0, field: "nonce", "a nonce is base64url or base64; \(objection(to: nonce))")
        }
        return bytes
    }

    private static func problem(
        _ field: String, _ bytes: [UInt8], _ allowed: ClosedRange<Int>, _ text: String
    ) -> DecodeError? {
        guard !allowed.contains(bytes.count) else { return nil }
        return DecodeError(
            .unexpectedLength, at: 0, field: field, "expected \(text) bytes, found \(bytes.count)")
    }

    /// The nonce for a classic token that is bound to one request: base64url without padding of SHA-256(challenge ||
    /// requestHash).
    ///
    /// The app composes it the same way. The challenge ensures single use. The hash binds the user's action, such as
    /// the amount and the account of a transfer.
    /// - Parameters:
    ///   - challenge: The bytes of the server's challenge.
    ///   - requestHash: The SHA-256 of the request, 32 bytes.
    public static func nonce(binding challenge: [UInt8], to requestHash: [UInt8]) -> String {
        Base64.encode(digest(challenge, requestHash), .url)
    }

    private static func digest(_ challenge: [UInt8], _ requestHash: [UInt8]) -> [UInt8] {
        Digest.sha256(challenge[...], requestHash[...])
    }

    private static func objection(to nonce: String) -> String {
        let other = nonce.unicodeScalars.enumerated().first { !AnyBase64.isCharacter($0.element) }
        guard let (index, scalar) = other else {
            return "found both alphabets in one, or a length, padding or last character that no bytes have"
        }
        return "character \(index + 1) is \"\(String(scalar).excerpt)\""
    }
}
