import AssayPrimitives

/// The trust anchors of App Attest, with the path validators that remember verified authorities.
struct AppAttestTrust: Sendable {
    /// Paths of attested certificates.
    let attestation: CertificatePathValidator
    /// Paths of receipt signers.
    let receipts: CertificatePathValidator
    /// The names of the test roots in place of Apple's, and nil for Apple's.
    let testAuthority: String?

    /// Apple's own anchors.
    static let apple = AppAttestTrust(
        attestation: AppleRoots.appAttestation, receipts: AppleRoots.appleRootG3, testAuthority: nil)

    /// The anchors of a test authority, for attestations and receipts alike.
    init(testRoots: [Certificate]) {
        self.init(
            attestation: testRoots, receipts: testRoots,
            testAuthority: testRoots.map(\.subjectDescription).joined(separator: "; "))
    }

    private init(attestation: [Certificate], receipts: [Certificate], testAuthority: String?) {
        self.attestation = CertificatePathValidator(anchors: attestation, algorithms: .ecdsaOnly)
        self.receipts = CertificatePathValidator(anchors: receipts, algorithms: .ecdsaOnly)
        self.testAuthority = testAuthority
    }
}
