import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

/// An app with the keys of its classic tokens.
enum GoogleMint {
    static let packageName = "com.example.shop"
    static let now = AppleMint.now
    static let nonce = [UInt8](repeating: 0xFB, count: 32)
    static let nonceText = Base64.encode(nonce, .url)
    static let requestHash = "2cp24z-hash-of-a-request"
    static let digest = [UInt8](repeating: 0x6A, count: 32)

    static let signer: FixedNonceSigner = {
        do { return try FixedNonceSigner("fuzz/google") } catch { FuzzTarget.broken("no key: \(error)") }
    }()

    static let classicPayload = recalled(
        PlayIntegrityPayloadBlueprint(
            classic: nonce, packageName: packageName, certificateDigests: [digest], issuedAt: now))

    static let standardPayload = recalled(
        PlayIntegrityPayloadBlueprint(
            standard: requestHash, packageName: packageName, certificateDigests: [digest], issuedAt: now))

    /// The payload of a device for which the app has set recall bits.
    private static func recalled(_ payload: PlayIntegrityPayloadBlueprint) -> JSONItem {
        var json = payload.json
        json[path: ["environmentDetails", "locationSpoofingRiskVerdict"]] = ["LOW_RISK_DEVICE"]
        json[path: ["deviceIntegrity", "deviceRecall"]] = [
            "values": ["bitFirst": false, "bitSecond": true, "bitThird": false],
            "writeDates": ["yyyymmSecond": 202_609],
        ]
        return json
    }

    static let computerPayload: JSONItem = {
        var json = PlayIntegrityPayloadBlueprint(pc: requestHash, packageName: packageName, issuedAt: now).json
        json["accountDetails"] = ["appLicensingVerdict": "LICENSED"]
        return json
    }()

    /// A verifier that enforces every check, for an app on Android or a game on PC.
    static func verifier(isOnComputer: Bool = false) -> Verifier {
        do {
            var rules = PlayIntegrityConfiguration.AndroidRules(
                certificateDigests: [digest], versions: VersionRules(minimum: 42))
            rules.minimumSDKVersion = 24
            rules.maximumDeviceActivity = "LEVEL_2"
            rules.rejectedRecallBits = [.bitFirst]
            let configuration = try PlayIntegrityConfiguration(
                packageName: packageName, android: isOnComputer ? nil : rules,
                challenge: isOnComputer ? .caller : .ledger)
            let material = try PlayIntegrityKeys.reading([
                "decryptionKey": SecretBytes(Array(Base64.encode(EngineKeys.decryption, .standard).utf8)),
                "verificationKey": SecretBytes(
                    Array(Base64.encode(signer.key.subjectPublicKeyInfo(), .standard).utf8)),
            ])
            let enforced = PlayIntegrityCheck.catalogue.compactMap { definition -> (CheckID, CheckMode)? in
                if case .policy = definition.kind { (definition.id, .enforce) } else { nil }
            }
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configuration)],
                keys: [NamedKey(name: "play", scope: packageName, material: material)],
                modes: Dictionary(uniqueKeysWithValues: enforced),
                catalogue: Verifier.catalogue)
            return Verifier(policy: policy, ledger: MemoryLedger())
        } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }

    /// Why a payload must not be accepted; nil if no reason is known, or if the payload contains raw text.
    static func objection(to payload: JSONItem, delay: Int, binding: PlayIntegrityField, _ bound: String) -> String? {
        guard payload.isComposed else { return nil }
        guard payload[path: ["requestDetails", "requestPackageName"]] == .text(packageName) else {
            return "another app asked for the token"
        }
        guard case .text(let text)? = payload[path: binding.path] else { return "it is bound to nothing" }
        let isBound =
            binding == .nonce ? AnyBase64.decode(text) == nonce : text.utf8.elementsEqual(bound.utf8)
        guard isBound else { return "it is bound to something else" }
        if case .text(let time)? = payload[path: ["requestDetails", "timestampMillis"]] {
            guard let made = Int64(time), abs(made - 1_790_000_000_000) <= 400_000 + Int64(abs(delay)) * 1000 else {
                return "it was not made just now"
            }
            let age = 1_790_000_000_000 + Int64(delay) * 1000 - made
            guard (-60_000...300_000).contains(age) else { return "it is too old, or from the future" }
        }
        guard payload[path: ["accountDetails", "appLicensingVerdict"]] == "LICENSED" else { return "not licensed" }
        return nil
    }
}
