import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An authority with cheap signatures, an app, and the key of a device.
enum AppleMint {
    static let appID = "1234567890.com.example.shop"
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    /// How long before the time of judgement the validity of the authority and its leaves begins, in seconds.
    private static let age: Double = 30 * 86_400
    static let challenge = Array("challenge-of-the-server-0123456789".utf8)

    static let rootSigner = signer("root")
    static let intermediateSigner = signer("intermediate")
    static let receiptSigner = signer("receipt")
    static let deviceSigner = signer("device")
    static let device = AttestedKey(deviceSigner)

    private static func signer(_ label: String) -> FixedNonceSigner {
        do { return try FixedNonceSigner("fuzz/\(label)") } catch { FuzzTarget.broken("no key: \(error)") }
    }

    /// The authority. All its keys are on P-256.
    static let authority: TestAuthority = {
        do { return try makeAuthority() } catch { FuzzTarget.broken("no authority: \(error)") }
    }()

    private static func makeAuthority() throws(MintingError) -> TestAuthority {
        let genuine = try TestAuthority(organization: "Fuzz", seed: "fuzz", notBefore: now - age)
        let (from, until) = (now - age, now + age)
        let root = try TestIssuer.selfSigned(
            name: genuine.root.name, key: rootSigner.key, notBefore: from, notAfter: until)
        func issued(
            _ name: DistinguishedName, by issuer: TestIssuer, _ signer: FixedNonceSigner,
            _ extensions: [CertificateExtension]
        ) throws(MintingError) -> TestIssuer {
            try issuer.issue(
                name: name, key: signer.key, notBefore: from, notAfter: until,
                extensions: extensions + [
                    .authorityKeyIdentifier(point: issuer.key.publicPoint),
                    .subjectKeyIdentifier(point: signer.key.publicPoint),
                ],
                signatureAlgorithm: .ecdsaWithSHA256)
        }
        let receiptAuthority = try issued(
            genuine.receiptAuthority.name, by: root, signer("receipt authority"),
            [.basicConstraints(isCA: true), .keyUsage(0x06), .receiptAuthorityMarker])
        return TestAuthority(
            root: root,
            attestationAuthority: try issued(
                genuine.attestationAuthority.name, by: root, intermediateSigner,
                [.basicConstraints(isCA: true, pathLength: 0), .keyUsage(0x06)]),
            receiptAuthority: receiptAuthority,
            receiptSigner: try issued(
                genuine.receiptSigner.name, by: receiptAuthority, receiptSigner,
                [.basicConstraints(isCA: false), .keyUsage(0x80), .receiptSignerMarker]))
    }

    /// The signed part of a certificate, as a tree.
    static func signedPart(of certificate: [UInt8]) -> DERTree {
        guard let tree = DERTree(certificate), tree.childCount == 3 else { FuzzTarget.broken("no certificate") }
        return tree[child: 0]
    }

    /// Signs a certificate.
    static func certificate(_ signedPart: [UInt8], by signer: FixedNonceSigner) -> [UInt8] {
        DERBuilder.sequence(
            signedPart, DERBuilder.sequence(DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 2])),
            DERBuilder.bitString(signer.signature(over: signedPart).der))
    }

    /// A certificate of the device's key with a nonce.
    static func leaf(_ device: AppAttestDevice, nonce: [UInt8]) -> [UInt8] {
        do {
            let blueprint = LeafBlueprint(
                key: self.device, appID: appID, device: device, issuedAt: now, organization: authority.organization)
            return try blueprint.certificate(nonce: nonce, issuer: authority.attestationAuthority)
        } catch {
            FuzzTarget.broken("no leaf: \(error)")
        }
    }

    /// The fields of the receipt of a leaf: an attestation's receipt, or with a risk metric a refreshed receipt.
    static func receipt(of leaf: [UInt8], riskMetric: UInt32?) -> DERTree {
        let hash = Digest.sha256(challenge)
        let blueprint =
            if let riskMetric {
                ReceiptBlueprint(
                    authority: authority, appID: appID, certificate: leaf, clientDataHash: hash,
                    environment: .production, createdAt: now, riskMetric: riskMetric)
            } else {
                ReceiptBlueprint(
                    authority: authority, appID: appID, certificate: leaf, clientDataHash: hash,
                    environment: .production, createdAt: now)
            }
        guard let tree = DERTree(DERBuilder.element(0x31, blueprint.fields.flatMap(\.encoded))) else {
            FuzzTarget.broken("no receipt")
        }
        return tree
    }

    /// Signs a payload as a CMS message.
    static func signed(_ payload: [UInt8], edits: [Edit] = []) -> [UInt8] {
        let signer = authority.receiptSigner
        let sha256 = DERBuilder.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])
        let info = DERBuilder.sequence(
            DERBuilder.integer(1),
            DERBuilder.sequence(signer.issuerName.encoded, DERBuilder.integer(magnitude: signer.serialNumber)),
            DERBuilder.sequence(sha256, DERBuilder.null),
            DERBuilder.sequence(DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 2])),
            DERBuilder.octetString(receiptSigner.signature(over: payload).der))
        let certificates = [signer, authority.receiptAuthority].map(\.certificate)
        guard !edits.isEmpty else {
            return ReceiptEncoding.indefinite(chunkSize: 1000)
                .message(content: payload, certificates: certificates, signerInfos: info)
        }
        let message = ReceiptEncoding.definite
            .message(content: payload, certificates: certificates, signerInfos: info)
        guard var tree = DERTree(message) else { return message }
        for edit in edits { tree.apply(edit) }
        return tree.encoded
    }

    /// A verifier that trusts the authority.
    static func verifier(
        clientData: AppAttestConfiguration.ClientDataBinding = .none, modes: [CheckID: CheckMode] = [:]
    ) -> Verifier {
        do {
            let roots = try PEM.certificates(in: Array(authority.rootPEM.utf8))
            let configuration = try AppAttestConfiguration(
                appIDs: [appID], environments: [.production], challenge: .ledger, clientData: clientData
            ) {
                $0.receipt = .init(maximumAge: 300, maximumRiskMetric: 9)
                $0.requests = RequestRules()
                $0.testRoots = roots
            }
            return Verifier(
                policy: try VerificationPolicy(
                    apps: [PolicyApp(name: "shop", configuration)], modes: modes, catalogue: Verifier.catalogue),
                ledger: MemoryLedger())
        } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }

    /// A challenge in the ledger for a kind of evidence.
    static func issued(_ kind: EvidenceKind, asText isText: Bool = false) -> IssuedChallenge {
        IssuedChallenge(
            value: isText ? Array(Base64.encode(challenge, .standard).utf8) : challenge, app: "shop",
            purpose: ChallengePurpose(kind), issuedAt: now - 60, expiresAt: now + 300)
    }
}

extension AttestedKey {
    fileprivate init(_ signer: FixedNonceSigner) {
        do {
            self = try AttestedKey(scalar: signer.scalar)
        } catch {
            FuzzTarget.broken("no key: \(error)")
        }
    }
}
