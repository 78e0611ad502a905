internal import FoundationEssentials

/// Cached issuers, which OpenSSL verified up to an anchor together with a leaf.
final class RememberedIssuers: Sendable {
    /// The issuer of the leaf first, the anchor last.
    let certificates: [Certificate]
    let issuer: Certificate
    let anchor: Certificate
    let key: ECDSAPublicKey

    init(certificates: [Certificate], issuer: Certificate, anchor: Certificate, key: ECDSAPublicKey) {
        (self.certificates, self.issuer, self.anchor, self.key) = (certificates, issuer, anchor, key)
    }
}

extension CertificatePathValidator {
    /// Checks a leaf under cached issuers (RFC 5280 section 6.1.3), which satisfied section 6.1.4 when cached.
    /// - Returns: nil if no issuers are cached, or if they are not usable now or for this leaf.
    func validateUnderRemembered(
        _ leaf: Certificate, candidates: [Certificate], at now: Date
    ) -> Result<ValidatedPath, PathFailure>? {
        guard let remembered = issuerCache[cacheKey(leaf.issuer, candidates)],
            remembered.certificates.allSatisfy({ CertificateRules.timeFailure(of: $0, at: now) == nil }),
            leaf.issuer.isByteEqual(to: remembered.issuer.subject), identifiesIssuer(leaf, remembered.issuer),
            !leaf.extensions.contains(where: { CertificatePathValidator.judgedByOpenSSL.contains($0.oid) }),
            let digest = leaf.signatureAlgorithm.ecdsaDigest
        else { return nil }
        guard remembered.key.isValidSignature(der: leaf.signature, for: leaf.tbsBytes, digest: digest) else {
            return .failure(.badSignature(subject: leaf.subjectDescription))
        }
        return .success(ValidatedPath(leaf: leaf, issuers: remembered.certificates, anchor: remembered.anchor))
    }

    /// Extensions whose syntax OpenSSL enforces, critical or not, and this module does not check fully: alternative
    /// names, CRL distribution points, Netscape certificate type, proxy certificates, and RFC 3779 addresses and AS
    /// numbers. Leaves with them go to OpenSSL; genuine leaves have none.
    private static let judgedByOpenSSL: Set<ObjectIdentifier> = [
        .subjectAltName, ObjectIdentifier(2, 5, 29, 31), ObjectIdentifier(2, 16, 840, 1, 113730, 1, 1),
        ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 14), ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 7),
        ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 8),
    ]

    /// Whether any authority key identifier matches the issuer. False for an unusual one, which OpenSSL then checks.
    private func identifiesIssuer(_ leaf: Certificate, _ issuer: Certificate) -> Bool {
        guard let identifier = leaf.authorityKeyIdentifier else { return true }
        guard !identifier.namesIssuer else { return false }
        guard let expected = identifier.keyIdentifier, let found = issuer.subjectKeyIdentifier else { return true }
        return expected.isByteEqual(to: found)
    }

    /// Whether a path consists of all candidates and one anchor. Only such paths are cached: otherwise an attacker
    /// could fill the cache with one genuine leaf and varying unrelated certificates.
    func isExact(_ issuers: [Certificate], _ candidates: [Certificate]) -> Bool {
        issuers.count == candidates.count + 1
    }

    func remember(_ issuers: [Certificate], issuerName: ArraySlice<UInt8>, candidates: [Certificate]) {
        // With two issuers of the same name, the signer would be ambiguous.
        guard isExact(issuers, candidates), let copies = copies(of: issuers), let issuer = copies.first,
            let anchor = copies.last, issuer.subject == issuerName, let key = try? issuer.publicKey(),
            (candidates + anchors).filter({ $0.subject == issuerName }).count == 1
        else { return }
        known.insert(copies)
        issuerCache.insert(
            RememberedIssuers(certificates: copies, issuer: issuer, anchor: anchor, key: key),
            for: cacheKey(issuerName, candidates))
    }

    func remember(_ path: ValidatedPath, for key: [UInt8]) {
        guard let issuers = copies(of: path.issuers), let anchor = issuers.last, let leaf = try? path.leaf.copied()
        else { return }
        known.insert([leaf] + issuers)
        leafCache.insert(ValidatedPath(leaf: leaf, issuers: issuers, anchor: anchor), for: key)
    }

    private func copies(of certificates: [Certificate]) -> [Certificate]? {
        try? certificates.map { certificate throws(DecodeError) in try certificate.copied() }
    }

    /// The number of cached issuer paths.
    package var rememberedIssuers: Int { issuerCache.count }
    /// The number of cached leaves.
    package var rememberedLeaves: Int { leafCache.count }
}
