/// Secrets in COSE keys (RFC 9052 section 7, RFC 9053 section 7).
enum COSEKeys {
    /// What the member of a map with this label keeps secret, and nil when it does not, or the map is no key.
    static func secret(_ label: CBORNode, in map: CBORNode) -> String? {
        guard case .negative(let argument) = label.content, case .unsigned(let type)? = map[1]?.content else {
            return nil
        }
        switch (type, argument) {
        case (4, 0): return "a symmetric key"
        // OKP and EC2 have d under -4; RSA has all that is private under -3 to -12.
        case (1, 3), (2, 3), (3, 2...11): return "a part of a private key"
        default: return nil
        }
    }
}
