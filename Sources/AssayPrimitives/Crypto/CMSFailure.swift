import AssayCore

/// Why a CMS message is not one that a certificate of it has signed.
package enum CMSFailure: Error, CheckFinding, Equatable {
    /// Larger than ``InputLimits/receipt``.
    case tooLarge(count: Int)
    /// No ContentInfo, or something follows it.
    case malformed(String)
    /// A ContentInfo of another type.
    case notSignedData
    /// The message contains its content although it should not, or the other way round.
    case detachedContent(isExpected: Bool)
    /// Other than one signer.
    case signers(count: Int)
    /// A digest or signature algorithm that is not allowed.
    case forbiddenAlgorithm(String)
    /// The signature, the digest or the signed attributes do not fit the content, or the certificate is not there.
    case badSignature(String)
    /// OpenSSL failed for a reason of its own.
    case openssl(String)

    /// The stable code.
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

    /// What was found.
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
