package import FoundationEssentials

/// Why a certificate path is not trusted. Certificates are identified by their subject, an unverified claim.
package enum PathFailure: Error, Equatable {
    /// More certificates than ``InputLimits/certificates``, or a path that is longer.
    case tooManyCertificates(count: Int)
    /// A certificate is used before its notBefore.
    case notYetValid(subject: String, notBefore: Date, now: Date)
    /// A certificate is used after its notAfter.
    case expired(subject: String, notAfter: Date, now: Date)
    /// The issuer is neither a given certificate nor a trust anchor: the path belongs to another authority.
    case untrusted(subject: String, issuer: String)
    /// A certificate was not signed with its issuer's key, or was changed afterwards.
    case badSignature(subject: String)
    /// An issuer is not a CA: possibly an attempt to extend a path below the attacker's own certificate.
    case notACA(subject: String)
    /// More issuers below a certificate than its pathLenConstraint allows.
    case pathLengthExceeded(subject: String)
    /// A keyUsage does not fit: an issuer without keyCertSign, or a leaf with it.
    case keyUsage(subject: String)
    /// An unsupported critical extension, or a name or policy constraint.
    case unknownCriticalExtension(subject: String, oid: ObjectIdentifier)
    /// A forbidden signature algorithm, key type or key size.
    case forbiddenAlgorithm(subject: String, algorithm: String)
    /// A certificate of version 1 or 2, which cannot restrict its use.
    case unsupportedVersion(subject: String, version: Int)
    case leafIsCA(subject: String)
    /// The leaf is a trust anchor.
    case leafIsAnchor(subject: String)
    /// Any other OpenSSL error: its `X509_V_ERR` number, or 0, and its text.
    case openssl(code: Int, text: String)

    /// The failure and the certificate.
    package var detail: String {
        switch self {
        case .tooManyCertificates(let count):
            "\(count) certificates, at most \(InputLimits.certificates) are allowed in a path"
        case .notYetValid(let subject, let notBefore, let now):
            "\(subject) is valid from \(PathFailure.text(notBefore)), the time of judgement is \(PathFailure.text(now))"
        case .expired(let subject, let notAfter, let now):
            "\(subject) was valid until \(PathFailure.text(notAfter)), the time of judgement is \(PathFailure.text(now))"
        case .untrusted(let subject, let issuer):
            "\(subject) is issued by \(issuer), which is neither a trust anchor nor among the certificates"
        case .badSignature(let subject): "the signature on \(subject) is not its issuer's"
        case .notACA(let subject): "\(subject) issues a certificate and is no certification authority"
        case .pathLengthExceeded(let subject): "\(subject) has more issuers below it than its pathLenConstraint allows"
        case .keyUsage(let subject): "the keyUsage of \(subject) does not fit its place in the path"
        case .unknownCriticalExtension(let subject, let oid):
            "\(subject) has the extension \(oid), which must be understood and is not supported"
        case .forbiddenAlgorithm(let subject, let algorithm): "\(subject) uses \(algorithm), which is not allowed"
        case .unsupportedVersion(let subject, let version): "\(subject) is of version \(version), 3 is required"
        case .leafIsCA(let subject): "\(subject) is a certification authority, and not what it has certified"
        case .leafIsAnchor(let subject): "\(subject) is a trust anchor, and not what it has certified"
        case .openssl(let code, let text): "OpenSSL refuses the path with error \(code): \(text)"
        }
    }

    /// Formats a time, including times outside of RFC 3339 such as infinity.
    private static func text(_ time: Date) -> String {
        abs(time.timeIntervalSince1970) < 1e12 ? RFC3339.format(time) : "\(time.timeIntervalSince1970) seconds"
    }
}
