package import AssayCore
import AssayPrimitives

/// The leaf certificates that the addresses of a host present.
package struct PresentedLeaves: Sendable, Equatable {
    /// A certificate, by its digests.
    package struct Leaf: Sendable, Hashable {
        /// SHA-256 of the DER certificate.
        package let digest: [UInt8]
        /// SHA-256 of its DER SubjectPublicKeyInfo.
        package let pin: [UInt8]

        package init(digest: [UInt8], pin: [UInt8]) { (self.digest, self.pin) = (digest, pin) }

        package init(der: [UInt8]) throws(DecodeError) {
            let certificate = try Certificate(der: der[...], profile: .keystore)
            self.init(digest: Digest.sha256(der), pin: Digest.sha256(certificate.subjectPublicKeyInfo))
        }
    }

    /// The different certificates; more than one while a host changes its certificate.
    package let leaves: [Leaf]

    package init(_ leaves: [Leaf]) { self.leaves = leaves }
}

/// Fetches what the addresses of a host present: a service of the verifier.
package protocol PresentedLeavesSource: EngineService {
    /// The certificates of all addresses of a host on port 443.
    ///
    /// - Parameters:
    ///   - host: a host that the policy says to fetch.
    ///   - isSeen: whether a leaf is the one that the app saw. Known leaves without it may be out of date.
    /// - Throws: ``HostCertificateOutage`` if they are not known. That is never an acceptance.
    func leaves(
        of host: String, with isSeen: @escaping @Sendable (PresentedLeaves.Leaf) -> Bool
    ) async throws(HostCertificateOutage) -> PresentedLeaves
}

/// The certificates that a host presents are not known.
package struct HostCertificateOutage: Outage, Equatable {
    /// What is not available.
    package static let part = "certificate of a host"
    package let code: OutageCode
    /// What happened, where, and what to do.
    package let message: String

    package init(_ code: OutageCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
