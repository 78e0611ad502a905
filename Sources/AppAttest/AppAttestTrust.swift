package import AssayPrimitives

/// The trust anchors of App Attest, with path validators that cache verified authorities.
package struct AppAttestTrust: Sendable {
    package let attestation: CertificatePathValidator
    /// Paths of receipt signers.
    package let receipts: CertificatePathValidator
    /// The names and key digests of the test roots; nil for Apple's roots. Two authorities may share a name.
    let testAuthority: String?

    /// Apple's own anchors.
    package static let apple = AppAttestTrust(
        attestation: AppleRoots.appAttestation, receipts: AppleRoots.appleRootG3, testAuthority: nil)

    /// The anchors of a test authority, for both attestations and receipts.
    init(testRoots: [Certificate]) {
        self.init(
            attestation: testRoots, receipts: testRoots,
            testAuthority: testRoots.map(AppAttestTrust.name).sorted().joined(separator: "; "))
    }

    private static func name(of root: Certificate) -> String {
        let digest = Digest.sha256(root.subjectPublicKeyInfo).map { byte in
            String(byte >> 4, radix: 16, uppercase: true) + String(byte & 0xF, radix: 16, uppercase: true)
        }
        return "\(root.subjectDescription) (key SHA-256 \(digest.joined()))"
    }

    private init(attestation: [Certificate], receipts: [Certificate], testAuthority: String?) {
        self.attestation = CertificatePathValidator(anchors: attestation, algorithms: .ecdsaOnly)
        self.receipts = CertificatePathValidator(anchors: receipts, algorithms: .ecdsaOnly)
        self.testAuthority = testAuthority
    }
}
