package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// The token of a service operator: 32 random bytes.
///
/// Descriptions do not show the bytes. Only ``text`` contains them.
package struct OperatorToken: Sendable {
    /// The prefix of the text, by which secret scanners recognise leaked tokens.
    static let prefix = "assay_"
    private static let count = 32

    private let bytes: SecretBytes

    /// A token from the system's random number generator.
    package static func random() -> OperatorToken {
        var generator = SystemRandomNumberGenerator()
        return OperatorToken(
            bytes: SecretBytes(count: count) { buffer in
                for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &generator) }
            })
    }

    private init(bytes: SecretBytes) {
        self.bytes = bytes
    }

    /// Parses a token: `assay_` and 43 characters of canonical base64url without padding; nil for other text. There is
    /// no checksum: a mistyped token matches no operator's hash.
    package init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.starts(with: Self.prefix.utf8),
            var decoded = try? Base64.decode(utf8.dropFirst(Self.prefix.utf8.count), .url), decoded.count == Self.count
        else { return nil }
        bytes = SecretBytes(decoded)
        SecretBytes.wipe(&decoded)
    }

    /// The token as sent in `Authorization: Bearer`.
    package var text: String { Self.prefix + bytes.withUnsafeBytes { Base64.encode(Array($0), .url) } }

    /// The value in the ledger: SHA-256 of the 32 bytes. A slow hash would only help secrets that can be guessed, and
    /// 256 random bits cannot.
    package var hash: [UInt8] { bytes.withUnsafeBytes { Digest.sha256(Array($0)) } }
}

extension LedgerAdministration {
    /// The operator of the token in a request. Nil if the text is no token, or if its operator has expired, was revoked
    /// or does not exist. Each call reads the ledger, so a revocation takes effect at once.
    ///
    /// - Parameter token: the token of `Authorization: Bearer` (RFC 6750).
    package func authenticate(_ token: String, at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        guard let token = OperatorToken(token) else { return nil }
        return try await liveOperator(tokenHash: token.hash, at: now)
    }
}
