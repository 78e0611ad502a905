import AssayPrimitives

extension AddressRule {
    /// The beginning of a pseudonym. No address begins like this.
    private static let prefix = "hmac-sha256:"

    /// The text for an address; nil if the rule drops addresses.
    ///
    /// A pseudonym is `hmac-sha256:` and the first 16 bytes of HMAC-SHA-256 of the address's bytes, in base64url
    /// without padding. A digest without a key would hide nothing: there are only 2^32 IPv4 addresses.
    package func text(of address: String) -> String? {
        switch form {
        case .keep: return address
        case .drop: return nil
        case .hash(let key):
            guard !address.isEmpty, !Self.isPseudonym(address) else { return address }
            let bytes = IPAddress(address)?.bytes ?? Array(address.utf8)
            return Self.prefix + Base64.encode(Array(HMAC.sha256(key: key, bytes[...]).prefix(16)), .url)
        }
    }

    /// Whether a text is a pseudonym, as in captures under this rule.
    package static func isPseudonym(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}
