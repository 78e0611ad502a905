import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Mints the evidence of Apple devices, with or without a defect.
extension CorpusMaterials {
    private static let otherAppID = "1234567890.com.example.copy"

    private func challenge(_ id: String) -> [UInt8] { bytes("challenge", id, count: 24) }

    private func extensions(_ facts: AppleCorpusFacts) -> AppAttestExtensions {
        facts.device.hasExtensions
            ? AppAttestExtensions(bundleVersion: facts.bundleVersion, validationCategory: facts.validationCategory)
            : .none
    }

    private func blueprint(_ origin: String, madeAt: Int, _ facts: AppleCorpusFacts) -> AttestationBlueprint {
        AttestationBlueprint(
            authority: authority, key: facts.key.key, appID: Self.appID,
            environment: facts.isDevelopment ? .development : .production, device: facts.device,
            extensions: extensions(facts), clientData: .bytes(challenge(origin)),
            issuedAt: CorpusCalendar.date(madeAt))
    }

    func attestation(_ plan: CorpusPlan, _ facts: AppleCorpusFacts) throws(MintingError) -> EvidenceRecord {
        var blueprint = blueprint(plan.origin, madeAt: plan.madeAt, facts)
        var keyID: String?
        var claimed: AppAttestClientData?
        switch plan.defect {
        case .nonce: claimed = .bytes(challenge("another than \(plan.origin)"))
        case .keyID: keyID = Data(otherKey(plan.origin).keyID).base64EncodedString()
        case let defect?: try spoil(&blueprint, defect, plan)
        case nil: disturbReceipt(&blueprint, plan)
        }
        var minted = try blueprint.mint()
        if let claimed { minted.clientData = claimed }
        return minted.record(
            id: plan.id, keyID: keyID, app: Self.appleApp, receivedAt: CorpusCalendar.date(plan.receivedAt),
            expect: plan.expectation)
    }

    /// A key that does not belong to the device.
    private func otherKey(_ origin: String) -> AttestedKey {
        AttestedKey(seed: seed, label: "corpus/another than \(origin)")
    }

    private func spoil(
        _ blueprint: inout AttestationBlueprint, _ defect: CorpusDefect, _ plan: CorpusPlan
    ) throws(MintingError) {
        let other = otherKey(plan.origin)
        switch defect {
        case .decode: blueprint.changeEncoded = { Array($0.dropLast(1 + $0.count / 3)) }
        case .chain: blueprint.issuer = lookalike.attestationAuthority
        case .publicKey: blueprint.authenticatorData.attestedCredential?.publicKey = other.coseKey.encoded
        case .credentialID: blueprint.authenticatorData.attestedCredential?.credentialID = other.keyID
        case .appID: blueprint.authenticatorData.rpIDHash = Digest.sha256(Array(Self.otherAppID.utf8))
        case .environment:
            blueprint.authenticatorData.attestedCredential?.aaguid = Array("appattestsandbox".utf8)
        case .counter: blueprint.authenticatorData.counter = 1
        case .receipt: blueprint.receipt = .none
        case .validationCategory:
            blueprint = remade(blueprint, plan, device: .iOS27, bundleVersion: "4.1.0", category: 5)
        case .bundleVersion:
            blueprint = remade(blueprint, plan, device: .iOS27, bundleVersion: "3.9.1", category: 4)
        case .osVersion:
            blueprint = remade(blueprint, plan, device: .iOS14, bundleVersion: nil, category: nil)
        case .platform:
            blueprint = remade(blueprint, plan, device: .macOS27, bundleVersion: "4.1.0", category: 4)
            blueprint.leaf.others = [.appAttestACL(AppAttestPlatform.iOS.acl)]
        default: throw MintingError("no attestation has the defect \(defect.rawValue)")
        }
    }

    /// The attestation of the same key and client data from another device model.
    private func remade(
        _ blueprint: AttestationBlueprint, _ plan: CorpusPlan, device: AppAttestDevice, bundleVersion: String?,
        category: UInt32?
    ) -> AttestationBlueprint {
        AttestationBlueprint(
            authority: authority, key: blueprint.key, appID: Self.appID, device: device,
            extensions: AppAttestExtensions(bundleVersion: bundleVersion, validationCategory: category),
            clientData: blueprint.clientData, issuedAt: blueprint.issuedAt)
    }

    /// Mints 1% of the receipts under the lookalike authority and omits 1%. The default policy only annotates both.
    private func disturbReceipt(_ blueprint: inout AttestationBlueprint, _ plan: CorpusPlan) {
        guard !enforced.contains("app-attest.attestation.receipt") else { return }
        var random = CorpusRandom(seed: seed, "receipt/\(plan.origin)")
        let lookalike = lookalike
        if random.happens(perMille: 10) {
            blueprint.receipt = .minted { receipt in
                receipt.signers = [lookalike.receiptSigner]
                receipt.certificates = [lookalike.receiptSigner, lookalike.receiptAuthority, lookalike.root]
                    .map(\.certificate)
            }
        } else if random.happens(perMille: 10) {
            blueprint.receipt = .none
        }
    }

    func assertion(_ plan: CorpusPlan, _ facts: AppleCorpusFacts) throws(MintingError) -> EvidenceRecord {
        let challenge = challenge(plan.origin)
        var extensions = extensions(facts)
        var appID = Self.appID
        var signed = clientData(plan.origin, challenge)
        var seen: AppAttestClientData?
        var key = facts.key
        switch plan.defect {
        case .key: key = CorpusKey(seed: seed, label: "corpus/never attested/\(plan.origin)")
        case .signature:
            seen = .bytes(Array(String(decoding: signed, as: UTF8.self).dropLast().utf8) + Array("0}".utf8))
        case .appID: appID = Self.otherAppID
        case .clientData: signed = clientData(plan.origin, self.challenge("another than \(plan.origin)"))
        case .validationCategory:
            extensions = AppAttestExtensions(bundleVersion: facts.bundleVersion, validationCategory: 5)
        case .bundleVersion: extensions = AppAttestExtensions(bundleVersion: "3.9.1", validationCategory: 4)
        default: break
        }
        var blueprint = AssertionBlueprint(
            key: key.key, appID: appID, counter: facts.counter, clientData: .bytes(signed), extensions: extensions)
        if plan.defect == .decode { blueprint.changeEncoded = { Array($0.dropLast(1 + $0.count / 3)) } }
        if plan.defect == .counter { throw MintingError("a counter is wrong by coming a second time") }
        return try blueprint.mint().record(
            id: plan.id, app: Self.appleApp, receivedAt: CorpusCalendar.date(plan.receivedAt), challenge: challenge,
            clientData: seen, expect: plan.expectation)
    }

    /// The JSON body of a request, with its challenge.
    private func clientData(_ origin: String, _ challenge: [UInt8]) -> [UInt8] {
        var random = CorpusRandom(seed: seed, "request/\(origin)")
        let action = random.choose([(6, "view-cart"), (3, "add-to-cart"), (1, "pay")], "view-cart")
        let text = Data(challenge).base64EncodedString()
        return Array(
            #"{"action":"\#(action)","challenge":"\#(text)","amount":\#(random.number(in: 100...99_999))}"#.utf8)
    }

    func receipt(_ plan: CorpusPlan, _ facts: AppleCorpusFacts) throws(MintingError) -> EvidenceRecord {
        // The receipt contains the certificate of the key's attestation. Attestations are not stored, so mint it again.
        var attestation = blueprint(facts.attestation.origin, madeAt: facts.attestation.madeAt, facts)
        attestation.receipt = .none
        var key = facts.key.key
        if plan.defect == .publicKey {
            key = otherKey(plan.origin)
            attestation = AttestationBlueprint(
                authority: authority, key: key, appID: Self.appID, clientData: attestation.clientData,
                issuedAt: attestation.issuedAt)
            attestation.receipt = .none
        }
        guard let certificate = try attestation.mint().certificates.first else {
            throw MintingError("the attestation of \(plan.id) has no certificate")
        }
        var random = CorpusRandom(seed: seed, "risk/\(plan.origin)")
        let age = plan.defect == .freshness ? random.number(in: 600...7200) * 1000 : 0
        var environment = facts.isDevelopment ? AttestEnvironment.development : .production
        if plan.defect == .environment { environment = facts.isDevelopment ? .production : .development }
        var blueprint = ReceiptBlueprint(
            authority: authority, appID: plan.defect == .appID ? Self.otherAppID : Self.appID,
            certificate: certificate, clientDataHash: attestation.clientData.hash, environment: environment,
            createdAt: CorpusCalendar.date(plan.madeAt - age),
            riskMetric: plan.defect == .riskMetric
                ? UInt32(random.number(in: 30...400)) : UInt32(random.choose([(85, 1), (10, 2), (5, 8)], 1)))
        switch plan.defect {
        case .decode: blueprint.changeEncoded = { Array($0.dropLast(1 + $0.count / 3)) }
        case .signature: blueprint.signers = [lookalikeOfSigner]
        case .chain:
            blueprint.signers = [lookalike.receiptSigner]
            blueprint.certificates = [lookalike.receiptSigner, lookalike.receiptAuthority, lookalike.root]
                .map(\.certificate)
        default: break
        }
        return EvidenceRecord(
            id: plan.id, kind: EvidenceKind("app-attest.receipt"), app: Self.appleApp,
            receivedAt: CorpusCalendar.date(plan.receivedAt),
            evidence: RecordObject([
                ("keyId", .base64(facts.key.key.keyID)), ("receipt", .base64(try blueprint.mint())),
            ]),
            expect: plan.expectation)
    }

    /// The name and certificate of the genuine receipt signer with another private key.
    private var lookalikeOfSigner: TestIssuer {
        let signer = authority.receiptSigner
        return TestIssuer(
            name: signer.name, issuerName: signer.issuerName, serialNumber: signer.serialNumber,
            key: lookalike.receiptSigner.key, certificate: signer.certificate)
    }
}
