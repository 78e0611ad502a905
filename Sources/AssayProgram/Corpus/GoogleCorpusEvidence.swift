import AssayCore
import AssayTesting

/// Mints the evidence of Android devices and PC games, with or without a defect.
extension CorpusMaterials {
    private static let otherPackageName = "com.example.shop.debug"

    func classic(_ plan: CorpusPlan, _ facts: AndroidCorpusFacts) throws(MintingError) -> EvidenceRecord {
        let nonce = bytes("nonce", plan.origin, count: 24)
        var blueprint = ClassicTokenBlueprint(
            keys: playKeys, packageName: Self.packageName, nonce: nonce, certificateDigests: [certificateDigest],
            versionCode: Int64(facts.versionCode), issuedAt: CorpusCalendar.date(plan.madeAt))
        blueprint.contentKey = bytes("content key", plan.origin)
        blueprint.initializationVector = bytes("initialization vector", plan.origin, count: 12)
        describe(facts, in: &blueprint.payload)
        var expected: [UInt8]?
        switch plan.defect {
        case .decode: blueprint.changeToken = { String($0.dropLast($0.utf8.count / 3)) }
        case .decryption: blueprint.keys = otherPlayKeys
        case .signature:
            let attacker = otherPlayKeys.signingKey
            blueprint.changeSigned = { $0.signer = .es256(attacker) }
        case .nonce: expected = bytes("nonce", "another than \(plan.origin)", count: 24)
        case let defect?: try spoil(&blueprint.payload, defect)
        case nil: break
        }
        return try blueprint.mint().record(
            id: plan.id, nonce: expected.map { Base64URL.text($0) }, app: Self.androidApp,
            receivedAt: CorpusCalendar.date(plan.receivedAt), expect: plan.expectation)
    }

    func standard(_ plan: CorpusPlan, _ facts: AndroidCorpusFacts) throws(MintingError) -> EvidenceRecord {
        var blueprint = StandardAnswerBlueprint(
            packageName: Self.packageName, requestHash: requestHash(plan.origin),
            certificateDigests: [certificateDigest], versionCode: Int64(facts.versionCode),
            issuedAt: CorpusCalendar.date(plan.madeAt))
        describe(facts, in: &blueprint.payload)
        return try answer(blueprint, plan, app: Self.androidApp)
    }

    func pc(_ plan: CorpusPlan) throws(MintingError) -> EvidenceRecord {
        var blueprint = StandardAnswerBlueprint(
            pcPackageName: Self.pcPackageName, requestHash: requestHash(plan.origin),
            issuedAt: CorpusCalendar.date(plan.madeAt))
        blueprint.payload[.appLicensingVerdict] = "LICENSED"
        return try answer(blueprint, plan, app: Self.pcApp)
    }

    private func requestHash(_ id: String) -> String { Base64URL.text(bytes("request hash", id)) }

    private func answer(
        _ genuine: StandardAnswerBlueprint, _ plan: CorpusPlan, app: String
    ) throws(MintingError) -> EvidenceRecord {
        var blueprint = genuine
        var expected: String?
        switch plan.defect {
        case .decode:
            blueprint.changeAnswer = {
                $0 = StandardAnswerBlueprint.error(
                    code: 400, message: "Integrity token cannot be decrypted.", status: "INVALID_ARGUMENT")
            }
        case .requestHash: expected = requestHash("another than \(plan.origin)")
        case let defect?: try spoil(&blueprint.payload, defect)
        case nil: break
        }
        return try blueprint.mint().record(
            id: plan.id, requestHash: expected, app: app, receivedAt: CorpusCalendar.date(plan.receivedAt),
            expect: plan.expectation)
    }

    /// Sets the fields of the device and its environment. Fields of enforced checks get values that pass.
    private func describe(_ facts: AndroidCorpusFacts, in payload: inout PlayIntegrityPayloadBlueprint) {
        func told<Value>(_ check: String, _ value: Value, _ good: Value) -> Value {
            enforced.contains("play-integrity.\(check)") ? good : value
        }
        func texts(_ labels: [String]) -> JSONItem { .array(labels.map { .text($0) }) }
        payload[.deviceRecognitionVerdict] = texts(facts.labels)
        payload[.deviceActivityLevel] = .text(facts.activity)
        payload[.sdkVersion] = .integer(facts.sdk)
        payload[.recallValues] = ["bitFirst": false, "bitSecond": .flag(facts.isMarked), "bitThird": false]
        payload[.appLicensingVerdict] = .text(told("licensing", facts.licensing, "LICENSED"))
        payload[.playProtectVerdict] = .text(told("play-protect", facts.playProtect, "NO_ISSUES"))
        payload[.appsDetected] = texts(told("app-access-risk", facts.apps, ["KNOWN_INSTALLED"]))
        payload[.locationSpoofingRiskVerdict] = texts(
            told("location-spoofing", facts.location, ["LOW_RISK_DEVICE", "LOW_RISK_NETWORK"]))
    }

    private func spoil(
        _ payload: inout PlayIntegrityPayloadBlueprint, _ defect: CorpusDefect
    ) throws(MintingError) {
        switch defect {
        case .payload: payload[.deviceRecognitionVerdict] = 7
        case .requestPackage: payload[.requestPackageName] = .text(Self.otherPackageName)
        // The plan's `madeAt` is already too old.
        case .freshness: break
        case .testingResponse: payload[.isTestingResponse] = true
        case .appRecognition: payload[.appRecognitionVerdict] = "UNRECOGNIZED_VERSION"
        case .appPackage: payload[.packageName] = .text(Self.otherPackageName)
        case .certificate:
            payload[.certificateSha256Digest] = [.text(Base64URL.text(bytes("certificate", "copy")))]
        case .versionCode: payload[.versionCode] = "391"
        case .deviceRecognition: payload[.deviceRecognitionVerdict] = ["MEETS_BASIC_INTEGRITY"]
        case .sdkVersion:
            payload[.sdkVersion] = 28
            payload[.deviceRecognitionVerdict] = ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]
        case .deviceActivity: payload[.deviceActivityLevel] = "LEVEL_4"
        case .deviceRecall:
            payload[.bitFirst] = true
            payload[.yyyymmFirst] = 202601
        case .licensing: payload[.appLicensingVerdict] = "UNLICENSED"
        case .playProtect: payload[.playProtectVerdict] = "HIGH_RISK"
        case .appAccessRisk: payload[.appsDetected] = ["KNOWN_INSTALLED", "UNKNOWN_CONTROLLING"]
        case .locationSpoofing: payload[.locationSpoofingRiskVerdict] = ["HIGH_RISK_DEVICE", "HIGH_RISK_NETWORK"]
        case .pcIntegrity: payload[.deviceRecognitionVerdict] = []
        default: throw MintingError("no integrity token has the defect \(defect.rawValue)")
        }
    }
}
