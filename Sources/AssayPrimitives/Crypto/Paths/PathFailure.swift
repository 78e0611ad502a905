package import FoundationEssentials

/// Why a certificate path is not trusted. Certificates are identified by their subject, an unverified claim.
package enum PathFailure: Error, CheckFinding, Equatable {
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
    /// The leaf is a CA.
    case leafIsCA(subject: String)
    /// The leaf is a trust anchor.
    case leafIsAnchor(subject: String)
    /// Any other OpenSSL error: its `X509_V_ERR` number, or 0, and its text.
    case openssl(code: Int, text: String)

    /// The stable code.
    package var code: String { declaredCode.name }

    private var declaredCode: CheckCode {
        switch self {
        case .tooManyCertificates: .pathTooManyCertificates
        case .notYetValid: .pathNotYetValid
        case .expired: .pathExpired
        case .untrusted: .pathUntrusted
        case .badSignature: .pathBadSignature
        case .notACA: .pathNotACA
        case .pathLengthExceeded: .pathPathLengthExceeded
        case .keyUsage: .pathKeyUsage
        case .unknownCriticalExtension: .pathUnknownCriticalExtension
        case .forbiddenAlgorithm: .pathForbiddenAlgorithm
        case .unsupportedVersion: .pathUnsupportedVersion
        case .leafIsCA: .pathLeafIsCA
        case .leafIsAnchor: .pathLeafIsAnchor
        case .openssl: .pathOpenssl
        }
    }

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

/// The codes of certificate paths.
extension CheckCode {
    fileprivate static let pathTooManyCertificates = CheckCode(
        "too-many-certificates",
        "The evidence carries more certificates than any genuine path has, or the path is longer than the limit.")
    fileprivate static let pathNotYetValid = CheckCode(
        "not-yet-valid",
        "A certificate is not valid yet at the time of judgement: check the server's clock and `--at`.",
        remedy: .retry)
    fileprivate static let pathExpired = CheckCode(
        "expired",
        """
        A certificate has expired at the time of judgement: judge captured evidence at the time of its \
        receipt (`--as-captured`).
        """, remedy: .newAttestation)
    fileprivate static let pathUntrusted = CheckCode(
        "untrusted",
        """
        The path does not lead to a trust anchor: the evidence is forged, of another authority, or of a \
        test authority without `testRoots`.
        """)
    fileprivate static let pathBadSignature = CheckCode(
        "bad-signature", "A certificate was not signed with its issuer's key, or was changed afterwards: a forgery.")
    fileprivate static let pathNotACA = CheckCode(
        "not-a-ca",
        "A certificate that is no certification authority issues another one: an attempt to extend a genuine path.")
    fileprivate static let pathPathLengthExceeded = CheckCode(
        "path-length-exceeded",
        "There are more issuers below a certificate than its pathLenConstraint allows: an attempt to extend a path.")
    fileprivate static let pathKeyUsage = CheckCode(
        "key-usage", "The keyUsage of a certificate does not fit its place in the path.")
    fileprivate static let pathUnknownCriticalExtension = CheckCode(
        "unknown-critical-extension",
        "A certificate has a critical extension that is not supported, so that it cannot be relied upon.")
    fileprivate static let pathForbiddenAlgorithm = CheckCode(
        "forbidden-algorithm",
        "A certificate uses an algorithm or key size that is not allowed: no genuine authority issues this.")
    fileprivate static let pathUnsupportedVersion = CheckCode(
        "unsupported-version", "A certificate is of version 1 or 2, which cannot state what it is for.")
    fileprivate static let pathLeafIsCA = CheckCode(
        "leaf-is-ca", "The certificate of the evidence is itself a certification authority.")
    fileprivate static let pathLeafIsAnchor = CheckCode(
        "leaf-is-anchor", "The certificate of the evidence is itself a trust anchor.")
    fileprivate static let pathOpenssl = CheckCode(
        "openssl", "OpenSSL refuses the path for another reason, which the detail quotes.")

    /// The codes of ``PathFailure``.
    package static let ofPath = [
        pathTooManyCertificates, pathNotYetValid, pathExpired, pathUntrusted, pathBadSignature, pathNotACA,
        pathPathLengthExceeded, pathKeyUsage, pathUnknownCriticalExtension, pathForbiddenAlgorithm,
        pathUnsupportedVersion, pathLeafIsCA, pathLeafIsAnchor, pathOpenssl,
    ]
}
