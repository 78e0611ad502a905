import AssayCore

/// The keys to which chains must lead, with a cache of verified issuers.
final class AndroidKeyTrust: Sendable {
    /// A pinned key: the name and the key of a root. Its certificate does not matter.
    final class Anchor: Sendable {
        /// One of possibly several root certificates with this key.
        let certificate: ArraySlice<UInt8>
        let name: ArraySlice<UInt8>
        let subjectPublicKeyInfo: ArraySlice<UInt8>
        let key: IssuerKey
        /// SHA-256 of the SubjectPublicKeyInfo, in hexadecimal.
        let keyDigest: String

        init?(_ root: Certificate) {
            guard let key = IssuerKey(root.subjectPublicKeyInfo) else { return nil }
            certificate = root.der
            name = root.subject
            subjectPublicKeyInfo = root.subjectPublicKeyInfo
            self.key = key
            keyDigest = Digest.sha256(root.subjectPublicKeyInfo).hexadecimal
        }
    }

    static let google = AndroidKeyTrust(GoogleRoots.certificates, testAuthority: nil)

    let anchors: [Anchor]
    /// The names and key digests of the test roots; nil for Google's.
    let testAuthority: String?
    /// Verified issuers by the bytes of their certificates: from certificate 1 up, which remote provisioning renews, and from
    /// certificate 2 up, which many devices share.
    private let all = PathCache<VerifiedIssuers>(capacity: 512)
    private let shared = PathCache<VerifiedIssuers>(capacity: 512)

    /// Trusts the keys of a test authority.
    convenience init(testRoots: [Certificate]) {
        self.init(
            testRoots,
            testAuthority: testRoots.map { root in
                "\(root.subjectDescription) (key SHA-256 \(Digest.sha256(root.subjectPublicKeyInfo).hexadecimal))"
            }.sorted().joined(separator: "; "))
    }

    private init(_ roots: [Certificate], testAuthority: String?) {
        anchors = roots.compactMap(Anchor.init)
        self.testAuthority = testAuthority
    }

    /// Issuers that an earlier chain has verified, for the certificates of a chain above the leaf, in DER.
    func issuers(_ certificates: ArraySlice<[UInt8]>) -> KnownIssuers? {
        if let issuers = Self.issuers(certificates, in: all) {
            return KnownIssuers(trust: self, start: 1, issuers: issuers)
        }
        return Self.issuers(certificates.dropFirst(), in: shared).map {
            KnownIssuers(trust: self, start: 2, issuers: $0)
        }
    }

    private static func issuers(
        _ certificates: ArraySlice<[UInt8]>, in cache: PathCache<VerifiedIssuers>
    ) -> VerifiedIssuers? {
        guard let known = cache[cacheKey(certificates)], known.certificates.count == certificates.count,
            zip(known.certificates, certificates).allSatisfy({ $0.der.isByteEqual(to: $1) })
        else { return nil }
        return known
    }

    /// Keeps verified issuers, of which the first is at `start`, 1 or 2, in its chain.
    func remember(_ issuers: VerifiedIssuers, from start: Int) {
        (start == 1 ? all : shared).insert(issuers, for: Self.cacheKey(issuers.certificates.lazy.map(\.der)))
    }

    /// What issuers are looked up by: the end of the first certificate, its signature, and the lengths of all. A hit is compared byte
    /// by byte. A digest of the certificates would take a tenth of the time of a verification on P-256.
    private static func cacheKey(_ certificates: some Collection<some BidirectionalCollection<UInt8>>) -> [UInt8] {
        var key = certificates.first.map { Array($0.suffix(32)) } ?? []
        for certificate in certificates {
            key.append(UInt8(truncatingIfNeeded: certificate.count >> 8))
            key.append(UInt8(truncatingIfNeeded: certificate.count))
        }
        return key
    }

    /// Whether a certificate with a pinned key is a root's own: one that is compiled in or of the policy, or signed by the key.
    func isOwn(_ root: Certificate) -> Bool {
        anchors.contains { $0.certificate.isByteEqual(to: root.der) }
            || anchors.contains { $0.key.hasSigned(root) }
    }

    func pins(_ certificate: Certificate) -> Bool {
        anchors.contains { $0.subjectPublicKeyInfo.isByteEqual(to: certificate.subjectPublicKeyInfo) }
    }
}

/// A key that may issue certificates: P-256 or P-384, or RSA from 2048 bits.
enum IssuerKey: Sendable {
    case ecdsa(ECDSAPublicKey)
    case rsa(RSAPublicKey)

    init?(_ info: ArraySlice<UInt8>) {
        if let key = try? ECDSAPublicKey(subjectPublicKeyInfo: info) {
            self = .ecdsa(key)
        } else if let key = try? RSAPublicKey(subjectPublicKeyInfo: info) {
            self = .rsa(key)
        } else {
            return nil
        }
    }

    /// Whether this key signed a certificate: SHA-256 or SHA-384 with ECDSA, SHA-256 with RSA. Genuine chains use no other algorithm.
    func hasSigned(_ certificate: Certificate) -> Bool {
        switch self {
        case .ecdsa(let key):
            guard let digest = certificate.signatureAlgorithm.ecdsaDigest else { return false }
            return key.isValidSignature(der: certificate.signature, for: certificate.tbsBytes, digest: digest)
        case .rsa(let key):
            guard certificate.signatureAlgorithm == .rsaSHA256 else { return false }
            return key.verifyPKCS1SHA256(Array(certificate.signature), for: certificate.tbsBytes)
        }
    }
}
