import AssayTesting
import FoundationEssentials

/// Certificates without a valid path from a leaf over one intermediate to the trusted root at the time of judgement.
extension AppAttestVectorMint {
    func attestationChain() throws(MintingError) -> [VectorCase] { validityAndOrder + (try issuers()) + leaves }

    private func refused(
        _ id: String, delay: TimeInterval = 0, _ change: @escaping (inout AttestationBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        attestation(id, .reject("chain"), delay: delay, change: change)
    }

    private var validityAndOrder: [VectorCase] {
        let root = authority.root
        return [
            refused("leaf-a-second-before-its-first", delay: -86_401),
            refused("leaf-a-second-after-its-last", delay: 2 * 86_400 + 1),
            refused("leaf-expired-a-month-ago", delay: 30 * 86_400),
            refused("leaf-never-valid") { swap(&$0.leaf.notBefore, &$0.leaf.notAfter) },
            refused("x5c-swapped") { $0.changeCertificates = { [$0[1], $0[0]] } },
            refused("x5c-leaf-twice") { $0.changeCertificates = { [$0[0], $0[0]] } },
            refused("x5c-intermediate-twice") { $0.changeCertificates = { [$0[1], $0[1]] } },
            refused("x5c-root-in-place-of-intermediate") { $0.changeCertificates = { [$0[0], root.certificate] } },
            refused("leaf-issued-by-root") { $0.issuer = root },
        ]
    }

    private func issuers() throws(MintingError) -> [VectorCase] {
        let authority = authority
        let genuine = authority.attestationAuthority
        let lookalike = try lookalike()
        let other = try TestAuthority(
            organization: "Another Test", seed: "\(seed)/another",
            notBefore: Self.notBefore(time))
        let day: TimeInterval = 86_400
        let expired = try authority.attestationAuthority(
            notBefore: time.addingTimeInterval(-20 * day), notAfter: time.addingTimeInterval(-1))
        let future = try authority.attestationAuthority(
            notBefore: time.addingTimeInterval(1), notAfter: time.addingTimeInterval(20 * day))
        func intermediate(
            under issuer: TestIssuer, _ label: String, _ extensions: [CertificateExtension]
        ) throws(MintingError) -> TestIssuer {
            try issuer.issue(
                name: genuine.name, key: TestKey(.p384, seed: seed, label: label),
                notBefore: time.addingTimeInterval(-20 * day), notAfter: time.addingTimeInterval(20 * day),
                extensions: extensions)
        }
        let notCA = try intermediate(
            under: authority.root, "not-ca", [.basicConstraints(isCA: false), .keyUsage(0x06)])
        let noKeyUsage = try intermediate(
            under: authority.root, "no-sign", [.basicConstraints(isCA: true, pathLength: 0), .keyUsage(0x80)])
        let subordinate = try intermediate(
            under: genuine, "subordinate", [.basicConstraints(isCA: true, pathLength: 0), .keyUsage(0x06)])
        func issued(_ id: String, by issuer: TestIssuer) -> VectorCase { refused(id) { $0.issuer = issuer } }
        return [
            issued("lookalike-root", by: lookalike.attestationAuthority),
            refused("lookalike-intermediate") {
                $0.issuer = lookalike.attestationAuthority
                $0.changeCertificates = { [$0[0], genuine.certificate] }
            },
            refused("lookalike-intermediate-beside-genuine-leaf") {
                $0.changeCertificates = { [$0[0], lookalike.attestationAuthority.certificate] }
            },
            issued("another-authority", by: other.attestationAuthority),
            issued("subordinate-of-the-intermediate", by: subordinate),
            issued("intermediate-expired", by: expired),
            issued("intermediate-not-yet-valid", by: future),
            issued("intermediate-is-no-ca", by: notCA),
            issued("intermediate-may-not-sign", by: noKeyUsage),
            refused("intermediate-signature-broken") { $0.changeCertificates = { [$0[0], $0[1].flippingLastBit()] } },
        ]
    }

    private var leaves: [VectorCase] {
        [
            refused("leaf-signature-broken") { $0.changeCertificates = { [$0[0].flippingLastBit(), $0[1]] } },
            refused("leaf-is-a-ca") { $0.leaf.constraints = [.basicConstraints(isCA: true), .keyUsage(0xF4)] },
            refused("leaf-names-another-issuer") {
                let genuine = $0.issuer
                $0.issuer = TestIssuer(
                    name: DistinguishedName([.init(.commonName, "Somebody Else")]), issuerName: genuine.issuerName,
                    serialNumber: genuine.serialNumber, key: genuine.key, certificate: genuine.certificate)
            },
            refused("leaf-with-unknown-critical-extension") {
                $0.leaf.others.append(
                    CertificateExtension([1, 2, 840, 113635, 100, 99], isCritical: true, value: DERBuilder.null))
            },
        ]
    }
}
