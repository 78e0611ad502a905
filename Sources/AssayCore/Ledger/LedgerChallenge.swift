import AssayPrimitives

/// Normalises the two forms in which an app may send a challenge of the ledger.
package enum LedgerChallenge {
    /// The length of a new challenge in bytes. It is not 32, the length of SHA-256, so that an app can distinguish a challenge from a value
    /// that evidence for a token or for secrets covers, such as that of `TokenRequest.evidenceChallenge`: over that value it makes no
    /// evidence that its backend alone named.
    package static let length = 33

    /// Decodes 44 characters of either base64 alphabet that encode 33 bytes, and 43 of base64url or 44 of base64 that encode 32, the length
    /// of challenges before; returns other input unchanged. The ledger prints a challenge as base64url; apps send that text, or decode it
    /// first. The lengths distinguish the forms.
    package static func value(of bytes: [UInt8]) -> [UInt8] {
        let decoded: [UInt8]? =
            switch bytes.count {
            case 43: try? Base64.decode(bytes[...], .url)
            case 44: (try? Base64.decode(bytes[...], .standard)) ?? (try? Base64.decode(bytes[...], .url))
            default: nil
            }
        guard let decoded, isLength(decoded.count) else { return bytes }
        return decoded
    }

    /// The bytes of a challenge as the ledger issued it, base64url without padding; nil if the text is none.
    package static func bytes(of text: String) -> [UInt8]? {
        guard let bytes = try? Base64.decode(text, .url), isLength(bytes.count) else { return nil }
        return bytes
    }

    private static func isLength(_ count: Int) -> Bool { count == length || count == 32 }
}
