/// Why a CMS message was not verified.
package enum CMSFailure: Error, Equatable {
    /// Larger than ``InputLimits/receipt``.
    case tooLarge(count: Int)
    /// Not a ContentInfo, or bytes follow it.
    case malformed(String)
    /// A ContentInfo of another type.
    case notSignedData
    /// The message contains its content, but the caller passed it separately; or the reverse.
    case detachedContent(isExpected: Bool)
    /// Not exactly one signer.
    case signers(count: Int)
    /// A forbidden digest or signature algorithm.
    case forbiddenAlgorithm(String)
    /// The content does not match signature, digest or signed attributes, or the signer's certificate is missing.
    case badSignature(String)
    /// OpenSSL failed for another reason.
    case openssl(String)

    package var code: String {
        switch self {
        case .tooLarge: "too-large"
        case .malformed: "malformed"
        case .notSignedData: "not-signed-data"
        case .detachedContent: "detached-content"
        case .signers: "signers"
        case .forbiddenAlgorithm: "forbidden-algorithm"
        case .badSignature: "bad-signature"
        case .openssl: "openssl"
        }
    }

    /// A description of the failure.
    package var detail: String {
        switch self {
        case .tooLarge(let count): "\(count) bytes, at most \(InputLimits.receipt) are allowed"
        case .malformed(let text): "not a CMS message: \(text)"
        case .notSignedData: "a CMS message of another type than SignedData"
        case .detachedContent(let isExpected):
            isExpected ? "the message contains its content, which is given apart" : "the message has no content"
        case .signers(let count): "\(count) signers, exactly one is allowed"
        case .forbiddenAlgorithm(let name): "signed with \(name), which is not allowed"
        case .badSignature(let text): "the signature does not hold: \(text)"
        case .openssl(let text): "OpenSSL failed: \(text)"
        }
    }
}
