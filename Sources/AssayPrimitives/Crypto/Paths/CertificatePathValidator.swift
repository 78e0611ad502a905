package import FoundationEssentials

/// Validates certificate paths to given trust anchors (RFC 5280 section 6), and caches issuers. Thread-safe.
///
/// OpenSSL verifies the first path of some issuers as a whole. The validator then caches these issuers by their bytes;
/// the next leaf below them needs one signature check, under the same rules. It checks validity times every time, for
/// every certificate, including trust anchors. It rejects certificates with name or policy constraints, which it does
/// not process. It does not check revocation.
package final class CertificatePathValidator: Sendable {
    /// The allowed keys and signatures of a path.
    package enum Algorithms: Sendable, Hashable {
        /// Keys on P-256 and P-384, signatures with SHA-256 and SHA-384.
        case ecdsaOnly
        /// Also RSA keys of 2048 to 8192 bits, and RSASSA-PKCS1-v1_5 with SHA-256, SHA-384 and SHA-512.
        case ecdsaAndRSA
    }

    /// The trust anchors.
    package let anchors: [Certificate]
    let rules: CertificateRules
    let builder: OpenSSLPathBuilder
    let issuerCache: PathCache<RememberedIssuers>
    let leafCache: PathCache<ValidatedPath>
    let known: KnownCertificates

    /// Creates a validator with empty caches.
    /// - Parameters:
    ///   - anchors: the only trust anchors; the system's roots are never used. With none, every path is rejected.
    ///   - algorithms: the allowed keys and signatures.
    ///   - cacheCapacity: the maximum number of cached issuer paths, and of cached leaves.
    package init(anchors: [Certificate], algorithms: Algorithms = .ecdsaOnly, cacheCapacity: Int = 64) {
        self.anchors = anchors
        rules = CertificateRules(algorithms: algorithms)
        builder = OpenSSLPathBuilder(anchors: anchors)
        issuerCache = PathCache(capacity: cacheCapacity)
        leafCache = PathCache(capacity: cacheCapacity)
        known = KnownCertificates(capacity: cacheCapacity)
    }

    /// Validates the path from a certificate to a trust anchor.
    /// - Parameters:
    ///   - leaf: the certificate to validate: version 3, not a CA.
    ///   - intermediates: certificates that may be part of the path, in any order. Unrelated ones are ignored.
    ///   - now: the time at which all certificates of the path must be valid.
    ///   - rememberLeaf: whether to cache the leaf too. For leaves shared by many messages, such as that of a receipt
    ///     signer; not for device certificates.
    /// - Returns: the path, or the failure.
    package func validate(
        _ leaf: Certificate, intermediates: [Certificate], at now: Date, rememberLeaf: Bool = false
    ) -> Result<ValidatedPath, PathFailure> {
        guard intermediates.count < InputLimits.certificates else {
            return .failure(.tooManyCertificates(count: intermediates.count + 1))
        }
        guard !anchors.contains(leaf) else {
            return .failure(.leafIsAnchor(subject: leaf.subjectDescription))
        }
        let candidates = candidates(for: leaf, among: intermediates)
        let leafKey = rememberLeaf ? cacheKey(leaf.der, candidates) : nil
        if let leafKey, let path = leafCache[leafKey],
            path.chain.allSatisfy({ CertificateRules.timeFailure(of: $0, at: now) == nil })
        {
            return .success(path)
        }
        if let failure = rules.failure(ofLeaf: leaf) ?? CertificateRules.timeFailure(of: leaf, at: now) {
            return .failure(failure)
        }
        let result =
            validateUnderRemembered(leaf, candidates: candidates, at: now)
            ?? validateWhole(leaf, candidates: candidates, at: now)
        if let leafKey, case .success(let path) = result, isExact(path.issuers, candidates) {
            remember(path, for: leafKey)
        }
        return result
    }

    /// The possible intermediates, without duplicates, in an order that does not depend on the input order.
    private func candidates(for leaf: Certificate, among intermediates: [Certificate]) -> [Certificate] {
        var candidates: [Certificate] = []
        for certificate in intermediates
        where certificate != leaf && !anchors.contains(certificate) && !candidates.contains(certificate) {
            candidates.append(certificate)
        }
        guard candidates.count > 1 else { return candidates }
        return candidates.sorted { $0.der.lexicographicallyPrecedes($1.der) }
    }

    /// The cache key for a result: hashes all it depends on except anchors and time. DER encodings delimit themselves,
    /// so different lists never concatenate to the same bytes.
    func cacheKey(_ first: ArraySlice<UInt8>, _ candidates: [Certificate]) -> [UInt8] {
        Digest.sha256(concatenating: [first] + candidates.map(\.der))
    }
}
