import AssayPrimitives

/// Normalises the two forms in which an app may send a challenge of the ledger.
package enum LedgerChallenge {
    /// Decodes 43 characters of base64url or 44 of base64 that encode 32 bytes; returns other input unchanged. The
    /// ledger prints a challenge as base64url; apps send that text, or decode it first. A raw challenge has 32 bytes,
    /// so the lengths distinguish the forms.
    package static func value(of bytes: [UInt8]) -> [UInt8] {
        let decoded: [UInt8]? =
            switch bytes.count {
            case 43: try? Base64.decode(bytes[...], .url)
            case 44: try? Base64.decode(bytes[...], .standard)
            default: nil
            }
        guard let decoded, decoded.count == 32 else { return bytes }
        return decoded
    }
}
