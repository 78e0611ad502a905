public import AssayPrimitives

/// The form of network addresses in verdicts, logs, reports and captures, the policy's `addresses`; or of accounts in logs, its
/// `log.account`.
public struct AddressRule: Sendable {
    package enum Form: Sendable {
        case keep
        case drop
        case hash(SecretBytes)
    }

    package let form: Form
    /// Whether the key of pseudonyms is that of the process.
    var isOfProcess = false

    /// The address as in the evidence.
    public static let keep = AddressRule(form: .keep)
    /// No address.
    public static let drop = AddressRule(form: .drop)

    /// A pseudonym in place of an address: the same address and key always give the same one.
    ///
    /// - Parameter key: any bytes, preferably 32 random ones. Keep it secret: its holder can find the address of a
    ///   pseudonym by trying all addresses.
    public static func hash(key: SecretBytes) -> AddressRule { AddressRule(form: .hash(key)) }
}
