internal import FoundationEssentials

/// What must hold of each certificate of a path by itself, whoever builds the path (RFC 5280 section 6.1.3 and 6.1.4).
struct CertificateRules {
    let algorithms: CertificatePathValidator.Algorithms

    /// What holds of the leaf at any time.
    func failure(ofLeaf leaf: Certificate) -> PathFailure? {
        guard leaf.version == 3 else {
            return .unsupportedVersion(subject: leaf.subjectDescription, version: leaf.version)
        }
        guard leaf.basicConstraints?.isCA != true else { return .leafIsCA(subject: leaf.subjectDescription) }
        // RFC 5280 section 4.2.1.9: without cA, keyCertSign must not be asserted.
        guard leaf.keyUsage?.contains(.keyCertSign) != true else {
            return .keyUsage(subject: leaf.subjectDescription)
        }
        return extensionFailure(of: leaf) ?? signatureFailure(of: leaf) ?? keyFailure(of: leaf)
    }

    /// What holds of a certificate between leaf and anchor at any time.
    func failure(ofIntermediate certificate: Certificate) -> PathFailure? {
        guard certificate.version == 3 else {
            return .unsupportedVersion(subject: certificate.subjectDescription, version: certificate.version)
        }
        guard certificate.basicConstraints?.isCA == true else {
            return .notACA(subject: certificate.subjectDescription)
        }
        return failure(ofIssuer: certificate) ?? signatureFailure(of: certificate)
    }

    /// What holds of a trust anchor at any time. Its own signature proves nothing, so its algorithm does not matter.
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

    /// Whether a certificate is valid at a time. A part of its last second is inside of it (RFC 5280 section 4.1.2.5).
    static func timeFailure(of certificate: Certificate, at now: Date) -> PathFailure? {
        // As numbers, since Date calls a time that is no number later than any other.
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

    // Lists, as comparing a few identifiers takes less than hashing one.

    private static let understood: [ObjectIdentifier] = [
        .basicConstraints, .keyUsage, .subjectAltName, .certificatePolicies, .extendedKeyUsage,
    ]

    /// Constraints that are not processed, whether they are critical, as they must be, or not.
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
