import AssayCore
import AssayTesting
import FoundationEssentials

/// The policies of the vectors, one per folder, and their keys.
struct IntegrityVectorPolicies {
    let mint: IntegrityVectorMint

    init(_ mint: IntegrityVectorMint) { self.mint = mint }

    var files: [VectorDraft] { keyFiles + policies }

    private var keyFiles: [VectorDraft] {
        let keys = [
            ("current", mint.current), ("previous", mint.previous), ("expired", mint.expired),
            ("pending", mint.pending), ("other-app", mint.otherApp),
        ]
        return keys.flatMap {
            [
                VectorDraft("keys/\($0.0)-decryption.b64", text: $0.1.decryptionKeyFile, isSecret: true),
                VectorDraft("keys/\($0.0)-verification.b64", text: $0.1.verificationKeyFile),
            ]
        }
    }

    private var policies: [VectorDraft] {
        [
            file(
                "", keys: named,
                demands: [
                    "deviceRecognition:", "  - { minimumSDK: 33, require: MEETS_STRONG_INTEGRITY }",
                    "  - { minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }",
                ]),
            file(
                "strict/", keys: named,
                demands: [
                    "minimumSDKVersion: 30", "maximumDeviceActivity: LEVEL_2",
                    "deviceRecall: { reject: [bitFirst, bitThird] }",
                ],
                enforced: ["licensing", "play-protect", "app-access-risk", "location-spoofing"]),
            file(
                "lenient/", keys: named,
                demands: [
                    "freshness: { past: 10s, future: 0s }", "appRecognition: [PLAY_RECOGNIZED, UNRECOGNIZED_VERSION]",
                    "deviceRecognition:", "  - { minimumSDK: 30, require: MEETS_DEVICE_INTEGRITY }",
                    "  - { minimumSDK: 21, require: MEETS_BASIC_INTEGRITY }", "licensing: [LICENSED, UNLICENSED]",
                    "playProtect: [NO_ISSUES, NO_DATA, POSSIBLE_RISK, MEDIUM_RISK]",
                    "appAccessRisk: { reject: [KNOWN_CONTROLLING, UNKNOWN_CONTROLLING] }",
                    "locationSpoofing: { allow: [LOW_RISK_DEVICE, HIGH_RISK_NETWORK] }",
                ],
                enforced: ["licensing", "play-protect", "app-access-risk", "location-spoofing"]),
            // No names: every key whose scope is the package name.
            file("scope/", keys: scoped, namesKeys: false),
            file("ledger/", keys: named, challenge: "ledger"),
            file("requests/", keys: [], demands: ["requests: {}"]),
            file("requests-nonce/", keys: [], demands: ["requests: { nonce: ledger }"]),
            // No keys: Google opens classic tokens.
            file("google/", keys: []),
            file("pc/", keys: [], isPC: true),
        ]
    }

    /// A key of a policy, with its other fields.
    private typealias Key = (name: String, fields: [String])

    private var windows: [Key] {
        let past = RFC3339.format(mint.time.addingTimeInterval(-86_400))
        let future = RFC3339.format(mint.time.addingTimeInterval(86_400))
        return [
            ("expired", ["notAfter: \(past)"]), ("pending", ["notBefore: \(future)"]),
            // Live at its last moment, which is the time of receipt.
            ("previous", ["notBefore: \(past)", "notAfter: \(RFC3339.format(mint.time))"]),
        ]
    }

    private var named: [Key] { [("current", [])] + windows }

    private var scoped: [Key] {
        let scope = "for: \(IntegrityVectorMint.packageName)"
        return [("current", [scope])] + windows.map { ($0.name, [scope] + $0.fields) }
            + [("other-app", ["for: \(IntegrityVectorMint.otherPackageName)"])]
    }

    private func file(
        _ folder: String, keys: [Key], namesKeys: Bool = true, isPC: Bool = false, challenge: String = "caller",
        demands: [String] = [], enforced: [String] = []
    ) -> VectorDraft {
        let up = folder.isEmpty ? "" : "../"
        var lines = [
            "# Minted with the vectors beside it; the keys are for tests and known to everybody.", "version: 1",
        ]
        if !keys.isEmpty { lines.append("keys:") }
        for key in keys {
            lines += ["  - name: \(key.name)", "    use: play-integrity"] + key.fields.map { "    \($0)" }
            lines += ["decryption", "verification"].map { "    \($0)Key: \"file:\(up)keys/\(key.name)-\($0).b64\"" }
        }
        var app = ["packageName: \(IntegrityVectorMint.packageName)"]
        if isPC { app.append("platform: pc") }
        if namesKeys, !keys.isEmpty { app.append("keys: [\(keys.map(\.name).joined(separator: ", "))]") }
        if !isPC {
            app.append("certificateDigests:")
            app += mint.digests.map { "  - \"\(Base64URL.text($0))\"" }
            app.append("minimumVersionCode: 42")
        }
        // PC game tokens have no nonce.
        if !isPC { app.append("challenge: \(challenge)") }
        app += demands
        lines += ["apps:", "  - name: \(IntegrityVectorMint.app)", "    playIntegrity:"] + app.map { "      \($0)" }
        if !enforced.isEmpty { lines += ["checks:"] + enforced.map { "  play-integrity.\($0): enforce" } }
        return VectorDraft("\(folder)policy.yaml", text: lines.joined(separator: "\n") + "\n")
    }
}
