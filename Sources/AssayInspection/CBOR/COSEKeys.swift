/// Secrets in COSE keys (RFC 9052 section 7, RFC 9053 section 7).
enum COSEKeys {
    /// A description of the secret under a label of a COSE key; nil for other labels and other maps.
    static func secret(_ label: CBORNode, in map: CBORNode) -> String? {
        guard case .negative(let argument) = label.content, case .unsigned(let type)? = map[1]?.content else {
            return nil
        }
        switch (type, argument) {
        case (4, 0): return "a symmetric key"
        // In OKP and EC2 keys, -4 is d. In RSA keys, -3 to -12 are private.
        case (1, 3), (2, 3), (3, 2...11): return "a part of a private key"
        default: return nil
        }
    }
}
