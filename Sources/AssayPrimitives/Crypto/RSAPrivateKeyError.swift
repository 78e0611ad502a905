/// Why a text is not a usable RSA private key. Errors never show the text.
package enum RSAPrivateKeyError: Error, Equatable, CustomStringConvertible {
    /// No line begins a PEM block.
    case notPEM
    /// More than one PEM block.
    case severalBlocks
    /// A block of another kind, such as a certificate or a public key.
    case notPrivateKey
    /// A private key for another algorithm.
    case notRSA
    /// The key is encrypted, and the caller gave no passphrase.
    case passphraseMissing
    /// The passphrase does not decrypt the key.
    case passphraseWrong
    /// A key of less than 2048 bits.
    case tooShort(bits: Int)
    /// Labelled as a private key, but unreadable or with inconsistent numbers.
    case malformed

    package var code: String {
        switch self {
        case .notPEM: "not-pem"
        case .severalBlocks: "several-blocks"
        case .notPrivateKey: "not-a-private-key"
        case .notRSA: "not-rsa"
        case .passphraseMissing: "passphrase-missing"
        case .passphraseWrong: "passphrase-wrong"
        case .tooShort: "too-short"
        case .malformed: "malformed"
        }
    }

    /// The found and the expected input.
    package var description: String {
        switch self {
        case .notPEM: "the text is not PEM: no line in it begins with \"-----BEGIN \""
        case .severalBlocks: "the text has several PEM blocks; expected one, the private key"
        case .notPrivateKey: "the PEM block is no private key; expected \"-----BEGIN PRIVATE KEY-----\""
        case .notRSA: "the private key is not an RSA key"
        case .passphraseMissing: "the private key is encrypted, and no passphrase was given"
        case .passphraseWrong: "the passphrase does not decrypt the private key"
        case .tooShort(let bits): "the RSA key has \(bits) bits; at least 2048 are needed"
        case .malformed: "the private key cannot be read"
        }
    }
}
