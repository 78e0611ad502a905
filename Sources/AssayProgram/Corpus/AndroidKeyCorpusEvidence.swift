import AssayCore
import AssayPrimitives
import AssayTesting

/// The evidence of attested keys of Android, each kind with what can be wrong with it.
extension CorpusMaterials {
    func keyAttestation(_ plan: CorpusPlan, _ facts: AndroidKeyCorpusFacts) throws(MintingError) -> EvidenceRecord {
        let challenge = bytes("challenge", plan.origin)
        var blueprint = try AndroidKeyAttestationBlueprint(
            authority: plan.defect == .chain ? androidLookalike : androidAuthority, key: androidKey(facts.keyLabel),
            packageName: plan.defect == .application ? "com.example.copy" : Self.packageName,
            certificateDigest: certificateDigest, versionCode: UInt32(facts.versionCode), device: facts.device,
            challenge: plan.defect == .challengeBinding ? bytes("challenge", "another than \(plan.origin)") : challenge,
            issuedAt: CorpusCalendar.date(plan.madeAt))
        setPatchLevel(monthsAgo: plan.defect == .patchLevel ? 20 : facts.patchAge, &blueprint.description, plan)
        if let defect = plan.defect { try spoil(&blueprint, defect, plan) }
        return try blueprint.mint().record(
            id: plan.id, challenge: challenge, app: Self.keyApp, receivedAt: CorpusCalendar.date(plan.receivedAt),
            expect: plan.expectation)
    }

    private func androidKey(_ label: String) throws(MintingError) -> AndroidAttestedKey {
        try AndroidAttestedKey(.p256, seed: seed, label: label)
    }

    private func spoil(
        _ blueprint: inout AndroidKeyAttestationBlueprint, _ defect: CorpusDefect, _ plan: CorpusPlan
    ) throws(MintingError) {
        switch defect {
        case .decode: blueprint.changeCertificates = { [Array($0[0].dropLast($0[0].count / 3))] + $0.dropFirst() }
        // What the blueprint was made of is wrong.
        case .chain, .challengeBinding, .application, .patchLevel: break
        case .target: blueprint.extend(forging: try androidKey("corpus/forged/\(plan.origin)"))
        case .extension: blueprint.description.changeFields = { Array($0.dropLast()) }
        case .publicKey: blueprint.description.hardwareEnforced[.keySize] = .integer(384)
        case .securityLevel: blueprint.description.attestationSecurityLevel = 0
        case .version:
            (blueprint.description.attestationVersion, blueprint.description.keyMintVersion) = (4, 41)
        case .rootOfTrust:
            let root = RootOfTrustBlueprint(
                verifiedBootKey: [UInt8](repeating: 0, count: 32), deviceLocked: 0, verifiedBootState: 2,
                verifiedBootHash: bytes("boot hash", plan.origin))
            blueprint.description.hardwareEnforced[.rootOfTrust] = .encoded(root.encoded)
        case .osVersion: blueprint.description.hardwareEnforced[.osVersion] = .integer(110_000)
        case .origin: blueprint.description.hardwareEnforced[.origin] = .integer(2)
        case .purpose: blueprint.description.hardwareEnforced[.purpose] = .integers([1, 2])
        case .keyScope: blueprint.description.hardwareEnforced[.allApplications] = .null
        default: throw MintingError("no key attestation has the defect \(defect.rawValue)")
        }
    }

    private func setPatchLevel(monthsAgo: Int, _ description: inout KeyDescriptionBlueprint, _ plan: CorpusPlan) {
        let text = RFC3339.format(CorpusCalendar.date(plan.madeAt))
        let (year, month) = (Int(text.prefix(4)) ?? 1970, Int(text.dropFirst(5).prefix(2)) ?? 1)
        let months = max(0, year * 12 + month - 1 - monthsAgo)
        let level = UInt64(months / 12 * 100 + months % 12 + 1)
        description.hardwareEnforced[.osPatchLevel] = .integer(level)
        description.hardwareEnforced[.vendorPatchLevel] = .integer(level * 100 + 1)
        description.hardwareEnforced[.bootPatchLevel] = .integer(level * 100 + 1)
    }

    func keyRequest(_ plan: CorpusPlan, _ facts: AndroidKeyCorpusFacts) throws(MintingError) -> EvidenceRecord {
        let label = plan.defect == .key ? "corpus/never attested/\(plan.origin)" : facts.keyLabel
        var random = CorpusRandom(seed: seed, "request/\(plan.origin)")
        let action = random.choose([(6, "view-cart"), (3, "add-to-cart"), (1, "pay")], "view-cart")
        var blueprint = SignedRequestBlueprint(
            method: "POST", targetURI: "https://api.example.com/v1/\(action)",
            evidence: .androidKey(try androidKey(label)), nonce: Base64URL.text(bytes("nonce", plan.origin, count: 12)),
            createdAt: CorpusCalendar.date(plan.madeAt))
        blueprint.body = Array(#"{"amount":\#(random.number(in: 100...99_999))}"#.utf8)
        switch plan.defect {
        case .components: blueprint.signing.components = ["@method", "content-digest"].map { SignatureComponent($0) }
        case .signature: blueprint.signing.changeSignature = { [$0[0] ^ 1] + $0.dropFirst() }
        default: break
        }
        var minted = try blueprint.mint()
        switch plan.defect {
        case .decode: minted[field: "Signature"] = minted[field: "Signature"].map { String($0.dropLast(20)) }
        case .contentDigest: minted.body = Array(#"{"amount":1}"#.utf8)
        // The time or the key is wrong by itself.
        case .freshness, .key, .components, .signature, nil: break
        case let defect?: throw MintingError("no signed request has the defect \(defect.rawValue)")
        }
        return minted.record(
            id: plan.id, app: Self.keyApp, receivedAt: CorpusCalendar.date(plan.receivedAt), expect: plan.expectation)
    }
}
