import AssayCore

extension AddressRule {
    /// The least length of a key in bytes.
    private static let minimumKeyLength = 16
    private static let allowed = "allowed are keep, drop, hash, { hash: \(SecretSource.allowed) }"
    private static let part = KeyPart(
        "hash", .secret, isRequired: true, form: "at least \(minimumKeyLength) random bytes")

    /// Reads the field `addresses` or `log.account` of a policy. `hash` without a key uses one that ends with the process.
    init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        if case .mapping = node.content {
            guard let source = try node.members(["hash"])["hash"] else {
                throw node.missing("hash", SecretSource.allowed)
            }
            let key = try files.contents(of: Self.part, at: source)
            guard key.count >= Self.minimumKeyLength else {
                throw source.error("expected \(Self.part.form), found \(key.count)")
            }
            self = .hash(key: key)
            return
        }
        switch try node.text() {
        case "keep": self = .keep
        case "drop": self = .drop
        case "hash": self = .hashOfProcess
        default: throw node.error("\(Self.allowed), found \(node.found)")
        }
    }
}
