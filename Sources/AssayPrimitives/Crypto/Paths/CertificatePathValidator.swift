internal import AssayCore
package import FoundationEssentials

/// Validates certificate paths up to given trust anchors (RFC 5280 section 6), and remembers issuers.
///
/// The first path of some issuers is verified as a whole by OpenSSL. Its issuers are then remembered by their bytes,
/// and the next leaf below them costs one signature: the same rules, without deciding again about what has not changed.
/// Validity times are judged every time, for every certificate, trust anchors included.
///
/// Name and policy constraints are not processed; certificates that have them are refused. Revocation is not checked.
/// Safe to use from any number of threads.
package final class CertificatePathValidator: Sendable {
    /// Which keys and signatures a path may contain.
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

    /// Makes a validator with empty caches.
    /// - Parameters:
    ///   - anchors: what is trusted, and nothing else: never the system's roots. With none, every path is refused.
    ///   - algorithms: which keys and signatures a path may contain.
    ///   - cacheCapacity: how many issuers, and how many leaves that are to be remembered, are kept at most.
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
    ///   - leaf: the certificate in question: of version 3, and no certification authority.
    ///   - intermediates: certificates that may be part of the path, in any order. Others do no harm.
    ///   - now: the time at which all certificates of the path must be valid.
    ///   - rememberLeaf: whether the leaf is one that everyone presents, such as that of a receipt signer, so that its
    ///     signature need not be checked again. Not for the certificates of devices.
    /// - Returns: the path, or the reason why there is none.
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

    /// The certificates that may stand between leaf and anchor, each once, in an order that does not depend on the one
    /// in which they came.
    private func candidates(for leaf: Certificate, among intermediates: [Certificate]) -> [Certificate] {
        var candidates: [Certificate] = []
        for certificate in intermediates
        where certificate != leaf && !anchors.contains(certificate) && !candidates.contains(certificate) {
            candidates.append(certificate)
        }
        guard candidates.count > 1 else { return candidates }
        return candidates.sorted { $0.der.lexicographicallyPrecedes($1.der) }
    }

    /// Names what some result depends on besides the anchors, which do not change, and the time. Encodings say where
    /// they end, so no two lists of them concatenate to the same bytes.
    func cacheKey(_ first: ArraySlice<UInt8>, _ candidates: [Certificate]) -> [UInt8] {
        Digest.sha256(concatenating: [first] + candidates.map(\.der))
    }
}
