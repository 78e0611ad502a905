package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// The token of an operator of a service: 32 random bytes.
///
/// No description of it contains the bytes; only ``text`` does, which is for the operator alone.
package struct OperatorToken: Sendable {
    /// The beginning of the text, by which scanners for leaked secrets recognise a token.
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

    /// Reads the text of a token: `assay_` and 43 characters of base64url without padding, in its one spelling; nil for any
    /// other text. It has no checksum: no operator has the hash of a mistyped token.
    package init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.starts(with: Self.prefix.utf8),
            var decoded = try? Base64.decode(utf8.dropFirst(Self.prefix.utf8.count), .url), decoded.count == Self.count
        else { return nil }
        bytes = SecretBytes(decoded)
        SecretBytes.wipe(&decoded)
    }

    /// The token as its bearer sends it.
    package var text: String { Self.prefix + bytes.withUnsafeBytes { Base64.encode(Array($0), .url) } }

    /// What the ledger stores: SHA-256 of the 32 bytes. A slow hash protects secrets that can be guessed, and 256 random
    /// bits cannot.
    package var hash: [UInt8] { bytes.withUnsafeBytes { Digest.sha256(Array($0)) } }
}

extension LedgerAdministration {
    /// The operator whose token a request carries; nil if the text is no token, or that of an operator who has ended, was
    /// revoked, or never was. Each call asks the ledger: a revocation counts at once.
    ///
    /// - Parameter token: the token of `Authorization: Bearer` (RFC 6750).
    package func authenticate(_ token: String, at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        guard let token = OperatorToken(token) else { return nil }
        return try await liveOperator(tokenHash: token.hash, at: now)
    }
}
