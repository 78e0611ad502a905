internal import FoundationEssentials

/// The rules for single certificates, independent of path building (RFC 5280 sections 6.1.3 and 6.1.4).
struct CertificateRules {
    let algorithms: CertificatePathValidator.Algorithms

    /// Checks the time-independent rules for a leaf.
    func failure(ofLeaf leaf: Certificate) -> PathFailure? {
        guard leaf.version == 3 else {
            return .unsupportedVersion(subject: leaf.subjectDescription, version: leaf.version)
        }
        guard leaf.basicConstraints?.isCA != true else { return .leafIsCA(subject: leaf.subjectDescription) }
        // RFC 5280 section 4.2.1.9: without cA, keyCertSign must not be set.
        guard leaf.keyUsage?.contains(.keyCertSign) != true else {
            return .keyUsage(subject: leaf.subjectDescription)
        }
        return extensionFailure(of: leaf) ?? signatureFailure(of: leaf) ?? keyFailure(of: leaf)
    }

    /// Checks the time-independent rules for an intermediate.
    func failure(ofIntermediate certificate: Certificate) -> PathFailure? {
        guard certificate.version == 3 else {
            return .unsupportedVersion(subject: certificate.subjectDescription, version: certificate.version)
        }
        guard certificate.basicConstraints?.isCA == true else {
            return .notACA(subject: certificate.subjectDescription)
        }
        return failure(ofIssuer: certificate) ?? signatureFailure(of: certificate)
    }

    /// Checks the time-independent rules for a trust anchor. Ignores its signature algorithm: a self-signature proves
    /// nothing.
    func failure(ofAnchor certificate: Certificate) -> PathFailure? {
        guard certificate.basicConstraints?.isCA != false else {
            return .notACA(subject: certificate.subjectDescription)
        }
        return failure(ofIssuer: certificate)
    }

    private func failure(ofIssuer certificate: Certificate) -> PathFailure? {
        if let usage = certificate.keyUsage, !usage.contains(.keyCertSign) {
            return .keyUsage(subject: certificate.subjectDescription)
        }
        return extensionFailure(of: certificate) ?? keyFailure(of: certificate)
    }

    /// Checks validity at a time. notAfter includes its whole second (RFC 5280 section 4.1.2.5).
    static func timeFailure(of certificate: Certificate, at now: Date) -> PathFailure? {
        // Compares numbers, not Dates: a Date that is NaN compares as later than any other.
        let seconds = now.timeIntervalSince1970
        guard seconds >= certificate.notBefore.timeIntervalSince1970 else {
            return .notYetValid(
                subject: certificate.subjectDescription, notBefore: certificate.notBefore, now: now)
        }
        guard seconds < certificate.notAfter.timeIntervalSince1970 + 1 else {
            return .expired(subject: certificate.subjectDescription, notAfter: certificate.notAfter, now: now)
        }
        return nil
    }

    // Arrays: comparing a few identifiers is faster than hashing one.

    private static let understood: [ObjectIdentifier] = [
        .basicConstraints, .keyUsage, .subjectAltName, .certificatePolicies, .extendedKeyUsage,
    ]

    /// Unsupported constraints, rejected whether critical or not.
    private static let constraints: [ObjectIdentifier] = [
        .nameConstraints, .policyConstraints, .policyMappings, .inhibitAnyPolicy,
    ]

    private func extensionFailure(of certificate: Certificate) -> PathFailure? {
        for found in certificate.extensions {
            let isRefused =
                found.isCritical
                ? !CertificateRules.understood.contains(found.oid) : CertificateRules.constraints.contains(found.oid)
            if isRefused {
                return .unknownCriticalExtension(subject: certificate.subjectDescription, oid: found.oid)
            }
        }
        return nil
    }

    private func signatureFailure(of certificate: Certificate) -> PathFailure? {
        switch certificate.signatureAlgorithm {
        case .ecdsaSHA256, .ecdsaSHA384: return nil
        case .rsaSHA256, .rsaSHA384, .rsaSHA512:
            if algorithms == .ecdsaAndRSA { return nil }
        case .ecdsaSHA512, .other: break
        }
        return .forbiddenAlgorithm(
            subject: certificate.subjectDescription, algorithm: certificate.signatureAlgorithm.description)
    }

    private func keyFailure(of certificate: Certificate) -> PathFailure? {
        if (try? certificate.publicKey()) != nil { return nil }
        if algorithms == .ecdsaAndRSA, RSAKeyRules.isAllowed(certificate.subjectPublicKeyInfo) { return nil }
        return .forbiddenAlgorithm(
            subject: certificate.subjectDescription,
            algorithm: algorithms == .ecdsaOnly
                ? "a public key that is no point of P-256 or P-384"
                : "a public key that is neither a point of P-256 or P-384 nor an RSA key of 2048 to 8192 bits")
    }
}
