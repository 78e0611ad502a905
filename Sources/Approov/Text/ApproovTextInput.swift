/// A text that an app signed with the account's message signing key, to verify.
///
/// `getMessageSignature` of Approov's SDKs makes the signature: HMAC-SHA256 of the UTF-8 of the text. Approov documents
/// neither the algorithm nor the encoding. Both are inferred from its HTTP message signatures: the same key makes them
/// under the name `hmac-sha256`.
public struct ApproovTextInput: Sendable {
    /// The token that the app sent with the text.
    package let token: String
    /// The signed text, unchanged. It must contain the token.
    package let text: String
    /// The signature: 32 bytes in standard base64 with padding.
    package let signature: String
    /// The bound values of the request, in policy order.
    package let binding: [ApproovBoundValue]
    /// The client's address, IPv4 or IPv6; nil if unknown.
    package let address: String?

    /// Creates the input of a verification.
    ///
    /// - Parameters:
    ///   - token: The token, as in the request field.
    ///   - text: The signed text, which contains the token.
    ///   - signature: The result of `getMessageSignature`.
    public init(
        token: String, text: String, signature: String, binding: [ApproovBoundValue] = [], address: String? = nil
    ) {
        (self.token, self.text, self.signature) = (token, text, signature)
        (self.binding, self.address) = (binding, address)
    }
}
