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
            return Self.pseudonym(of: IPAddress(address)?.bytes ?? Array(address.utf8), key)
        }
    }

    /// The text for an account in a log, on one line; nil if the rule drops accounts. A pseudonym has the form of that of an address, of
    /// the account's bytes in UTF-8. Without the key, an attacker with the log cannot try the names of accounts.
    package func shown(account: String) -> String? {
        switch form {
        case .keep: account.excerpt(atMost: 255)
        case .drop: nil
        case .hash(let key): Self.pseudonym(of: Array(account.utf8), key)
        }
    }

    private static func pseudonym(of bytes: [UInt8], _ key: SecretBytes) -> String {
        prefix + Base64.encode(Array(HMAC.sha256(key: key, bytes[...]).prefix(16)), .url)
    }

    /// Pseudonyms under a random key that ends with the process.
    package static let hashOfProcess: AddressRule = {
        var generator = SystemRandomNumberGenerator()
        let key = SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        return AddressRule(form: .hash(key), isOfProcess: true)
    }()

    /// The same rule. Pseudonyms under the key of the process are others for each name: what two services of the process write can then
    /// not be joined.
    func apart(for name: String) -> AddressRule {
        guard isOfProcess, case .hash(let key) = form else { return self }
        return .hash(key: SecretBytes(HMAC.sha256(key: key, Array(name.utf8)[...])))
    }

    /// Whether a text is a pseudonym, as in captures under this rule.
    package static func isPseudonym(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}
