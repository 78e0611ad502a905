package import AssayPrimitives

extension PathFailure: CheckFinding {
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
