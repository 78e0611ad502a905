/// A receipt to verify, as Apple's server returned it.
public struct ReceiptInput: Sendable {
    /// The key identifier, 32 bytes.
    package let keyID: [UInt8]
    /// The receipt: a CMS message, decoded from base64.
    package let receipt: [UInt8]

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - keyID: the identifier of the key that the receipt was requested for, decoded from base64.
    ///   - receipt: the body of the response of Apple's server, decoded from base64.
    public init(keyID: some Sequence<UInt8>, receipt: some Sequence<UInt8>) {
        self.keyID = Array(keyID)
        self.receipt = Array(receipt)
    }
}
