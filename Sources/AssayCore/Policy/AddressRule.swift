/// What verdicts, logs, reports and captures contain of the network addresses in evidence: the policy's `addresses`.
public struct AddressRule: Sendable {
    package enum Form: Sendable {
        case keep
        case drop
        case hash(SecretBytes)
    }

    package let form: Form

    /// The address as the evidence has it.
    public static let keep = AddressRule(form: .keep)
    /// No address.
    public static let drop = AddressRule(form: .drop)

    /// A pseudonym in place of an address: the same one for the same address and key.
    ///
    /// - Parameter key: any bytes, best 32 random ones. The holder of the key can find the address of a pseudonym by trying them
    ///   all, so the key is a secret.
    public static func hash(key: SecretBytes) -> AddressRule { AddressRule(form: .hash(key)) }
}
