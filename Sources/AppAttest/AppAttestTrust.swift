package import AssayPrimitives

/// The trust anchors of App Attest, with path validators that cache verified authorities.
package struct AppAttestTrust: Sendable {
    package let attestation: CertificatePathValidator
    /// Paths of receipt signers.
    package let receipts: CertificatePathValidator
    /// The names and key digests of the test roots; nil for Apple's roots. Two authorities may share a name.
    let testAuthority: String?

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

/// Apple's roots, from https://www.apple.com/certificateauthority/, compiled in.
package enum AppleRoots {
    /// Apple App Attestation Root CA, P-384, until 2045-03-15.
    /// SHA-256 1CB9823BA28BA6AD2D33A006941DE2AE4F513EF1D4E831B9F7E0FA7B6242C932.
    package static let appAttestation = certificates(
        """
        -----BEGIN CERTIFICATE-----
        MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
        JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
        QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
        Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
        biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
        bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
        NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
        Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
        MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
        CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
        53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
        oyFraWVIyd/dganmrduC1bmTBGwD
        -----END CERTIFICATE-----
        """)

    /// Apple Root CA - G3, P-384, until 2039-04-30.
    /// SHA-256 63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179.
    package static let appleRootG3 = certificates(
        """
        -----BEGIN CERTIFICATE-----
        MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwS
        QXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9u
        IEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
        MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBS
        b290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9y
        aXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
        AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtf
        TjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517
        IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gA
        MGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4
        at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
        6BgD56KyKA==
        -----END CERTIFICATE-----
        """)

    /// Parses a root. A text that cannot be parsed gives no anchor, and then every path is rejected. Tests compare the
    /// roots with their digests.
    private static func certificates(_ pem: String) -> [Certificate] {
        (try? PEM.certificates(in: Array(pem.utf8))) ?? []
    }
}
