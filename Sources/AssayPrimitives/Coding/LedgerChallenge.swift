/// The two ways in which an app may carry one of the ledger's challenges.
package enum LedgerChallenge {
    /// The challenge's value: the 32 bytes that 43 characters of base64url or 44 of base64 stand for, and any other
    /// bytes as they are.
    ///
    /// The ledger prints a challenge as base64url text. Some apps use that text and some decode it first; both are the
    /// same challenge, and the lengths keep them apart from challenges of 32 bytes.
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
