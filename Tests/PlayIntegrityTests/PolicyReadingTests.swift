import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// Every field of the policy's section is checked when it is read, and every error names its place.
@Suite("Play Integrity policy")
struct PolicyReadingTests {
    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("no such file") }
    }

    private func parse(_ lines: String) throws(PolicyError) -> PlayIntegrityConfiguration {
        let section = lines.split(separator: "\n").map { "      \($0)\n" }.joined()
        let policy = try PolicyFile.parse(
            "version: 1\napps:\n  - name: shop\n    playIntegrity:\n" + section, file: "p.yaml", files: NoFiles())
        guard let configuration = policy.apps.first?.configuration(PlayIntegrityConfiguration.self) else {
            throw PolicyError(field: "", "no configuration")
        }
        return configuration
    }

    private static let digest = String(repeating: "6a", count: 32)
    private static let minimal = "packageName: com.example.shop\ncertificateDigests: [\"\(digest)\"]\n"

    @Test("Two fields are required; the defaults follow the guidance")
    func defaults() throws {
        let configuration = try parse(Self.minimal)
        #expect(configuration.packageName == "com.example.shop")
        #expect(configuration.platform == .android)
        #expect(configuration.keys == nil)
        #expect(configuration.challenge == .ledger)
        #expect(configuration.freshness == .init(past: 300, future: 60))
        #expect(configuration.licensing == [.licensed])
        #expect(configuration.testResponses == .refuse)
        let rules = try #require(configuration.android)
        #expect(rules.certificateDigests == [[UInt8](repeating: 0x6A, count: 32)])
        #expect(rules.versions.minimum == nil)
        #expect(rules.appRecognition == [.playRecognized])
        #expect(rules.deviceRecognition == PlayIntegrityConfiguration.DeviceRule.guidance)
        #expect(rules.minimumSDKVersion == nil)
        #expect(rules.maximumDeviceActivity == nil)
        #expect(rules.rejectedRecallBits == [])
        #expect(rules.playProtect == [.noIssues, .noData])
        #expect(rules.rejectedAccessRisks == [.unknownCapturing, .unknownOverlays, .unknownControlling])
        #expect(rules.locationSpoofing == [.lowRiskDevice, .lowRiskNetwork])
    }

    @Test("Every field is read")
    func everything() throws {
        let configuration = try parse(
            Self.minimal + """
                platform: android
                keys: [play-2026, play-2025]
                challenge: caller
                freshness: { past: 90s, future: 0s }
                minimumVersionCode: 42
                appRecognition: [PLAY_RECOGNIZED, UNRECOGNIZED_VERSION]
                deviceRecognition:
                  - { minimumSDK: 28, require: MEETS_BASIC_INTEGRITY }
                  - { minimumSDK: 30, require: MEETS_VIRTUAL_INTEGRITY }
                minimumSDKVersion: 29
                maximumDeviceActivity: LEVEL_3
                deviceRecall: { reject: [bitSecond, bitThird], blocks: ban }
                licensing: [LICENSED, UNEVALUATED]
                playProtect: [NO_ISSUES]
                appAccessRisk: { reject: [UNKNOWN_INSTALLED] }
                locationSpoofing: { allow: [LOW_RISK_DEVICE, SOME_NEW_WORD] }
                """)
        #expect(configuration.keys == ["play-2026", "play-2025"])
        #expect(configuration.challenge == .caller)
        #expect(configuration.freshness == .init(past: 90, future: 0))
        #expect(configuration.licensing == [.licensed, .unevaluated])
        let rules = try #require(configuration.android)
        #expect(rules.versions.minimum == 42)
        #expect(rules.appRecognition == [.playRecognized, "UNRECOGNIZED_VERSION"])
        #expect(
            rules.deviceRecognition == [
                .init(minimumSDK: 30, require: .virtual), .init(minimumSDK: 28, require: .basic),
            ])
        #expect(rules.minimumSDKVersion == 29)
        #expect(rules.maximumDeviceActivity == "LEVEL_3")
        #expect(rules.rejectedRecallBits == [.bitSecond, .bitThird] && rules.banningBit == .bitSecond)
        #expect(rules.playProtect == [.noIssues])
        #expect(rules.rejectedAccessRisks == ["UNKNOWN_INSTALLED"])
        #expect(rules.locationSpoofing == [.lowRiskDevice, IntegrityLabel("SOME_NEW_WORD")])
    }

    @Test("A game on PC has a package name, a window and licensing, and no Android fields")
    func pc() throws {
        let configuration = try parse("packageName: com.example.game\nplatform: pc\nfreshness: { past: 1m }")
        #expect(configuration.platform == .pc)
        #expect(configuration.android == nil)
        #expect(configuration.freshness == .init(past: 60, future: 60))
    }

    @Test(
        "A certificate digest is hexadecimal with or without colons, base64url or base64",
        arguments: [
            digest, digest.uppercased(), Array(repeating: "6A", count: 32).joined(separator: ":"),
            Base64.encode([UInt8](repeating: 0x6A, count: 32), .url),
            Base64.encode([UInt8](repeating: 0x6A, count: 32), .standard),
        ])
    func digests(text: String) throws {
        let rules = try parse("packageName: com.example.shop\ncertificateDigests: [\"\(text)\"]").android
        #expect(rules?.certificateDigests == [[UInt8](repeating: 0x6A, count: 32)])
    }

    @Test(
        "Contradictory fields are refused with field and line",
        arguments: [
            ("certificateDigests: [\"\(digest)\"]", "packageName", "required"),
            ("packageName: com.example.shop", "certificateDigests", "required"),
            ("packageName: shop\ncertificateDigests: [\"\(digest)\"]", "packageName", "two segments"),
            ("packageName: com.1shop\ncertificateDigests: [\"\(digest)\"]", "packageName", "begins with a letter"),
            (minimal + "packagename: x", "packagename", "unknown field"),
            (minimal + "platform: ios", "platform", "android, pc"),
            (minimal + "platform: pc", "certificateDigests", "platform pc has no"),
            ("packageName: com.example.game\nplatform: pc\nkeys: [a]", "keys", "platform pc has no"),
            (minimal + "keys: []", "keys", "at least one"), (minimal + "keys: [a, a]", "keys[1]", "twice"),
            (minimal + "challenge: nobody", "challenge", "ledger, caller"),
            (minimal + "freshness: { past: 5 }", "freshness.past", "length of time"),
            (minimal + "freshness: { past: 4000d }", "freshness.past", "ten years"),
            (minimal + "freshness: { age: 5m }", "freshness.age", "unknown field"),
            (minimal + "minimumVersionCode: -1", "minimumVersionCode", "whole number"),
            (minimal + "minimumVersionCode: 9223372036854775808", "minimumVersionCode", "whole number"),
            (minimal + "minimumVersionCode: +1", "minimumVersionCode", "whole number"),
            (minimal + "appRecognition: []", "appRecognition", "at least one"),
            (minimal + "appRecognition: [GENUINE]", "appRecognition[0]", "PLAY_RECOGNIZED"),
            (minimal + "appRecognition: [PLAY_RECOGNIZED, PLAY_RECOGNIZED]", "appRecognition[1]", "twice"),
            (minimal + "deviceRecognition: []", "deviceRecognition", "at least one"),
            (minimal + "deviceRecognition: [{ minimumSDK: 1 }]", "deviceRecognition[0].require", "required"),
            (
                minimal + "deviceRecognition: [{ require: MEETS_DEVICE_INTEGRITY }]", "deviceRecognition[0].minimumSDK",
                "required"
            ),
            (
                minimal + "deviceRecognition: [{ minimumSDK: 1, require: MEETS_PC_INTEGRITY }]",
                "deviceRecognition[0].require", "expected one of"
            ),
            (
                minimal
                    + "deviceRecognition: [{ minimumSDK: 1, require: MEETS_BASIC_INTEGRITY }, { minimumSDK: 1, require: MEETS_BASIC_INTEGRITY }]",
                "deviceRecognition[1].minimumSDK", "two rules"
            ),
            (minimal + "minimumSDKVersion: 2147483648", "minimumSDKVersion", "whole number"),
            (minimal + "maximumDeviceActivity: UNEVALUATED", "maximumDeviceActivity", "LEVEL_1"),
            (minimal + "deviceRecall: {}", "deviceRecall.reject", "required"),
            (minimal + "deviceRecall: { reject: [bitFourth] }", "deviceRecall.reject[0]", "bitFirst"),
            (minimal + "deviceRecall: { reject: [bitFirst, bitFirst] }", "deviceRecall.reject[1]", "twice"),
            (minimal + "deviceRecall: { blocks: ban }", "deviceRecall.reject", "required"),
            (minimal + "deviceRecall: { reject: [bitFirst], blocks: yes }", "deviceRecall.blocks", "ban"),
            (minimal + "licensing: [licensed]", "licensing[0]", "LICENSED"),
            (minimal + "playProtect: [NO_RISK]", "playProtect[0]", "NO_ISSUES"),
            (minimal + "appAccessRisk: { reject: [] }", "appAccessRisk.reject", "at least one"),
            (minimal + "appAccessRisk: { reject: [CAPTURING] }", "appAccessRisk.reject[0]", "UNKNOWN_CAPTURING"),
            (minimal + "locationSpoofing: { allow: [low] }", "locationSpoofing.allow[0]", "LOW_RISK_DEVICE"),
        ] as [(String, String, String)])
    func refused(lines: String, field: String, message: String) {
        let error = #expect(throws: PolicyError.self) { try parse(lines) }
        #expect(error?.field == "apps[0].playIntegrity.\(field)", "\(error?.description ?? "")")
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.file == "p.yaml")
        #expect((error?.line ?? 0) >= 4)
    }

    @Test(
        "An invalid certificate digest is reported with the form and length found",
        arguments: [
            (String(repeating: "6a", count: 20), "20 bytes in hexadecimal digits, the length of a SHA-1 digest"),
            (Array(repeating: "6A", count: 20).joined(separator: ":"), "SHA-1"),
            (String(repeating: "6a", count: 31), "31 bytes in hexadecimal"),
            (Base64.encode([UInt8](repeating: 0xFA, count: 20), .standard), "20 bytes in base64"),
            (Base64.encode([UInt8](repeating: 0xFA, count: 33), .standard), "33 bytes in base64"),
            ("6a:6a6a", "neither"), ("SHA256: 6a", "neither"),
        ])
    func digestErrors(text: String, message: String) {
        let error = #expect(throws: PolicyError.self) {
            try parse("packageName: com.example.shop\ncertificateDigests: [\"\(text)\"]")
        }
        #expect(error?.field == "apps[0].playIntegrity.certificateDigests[0]")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("A digest that is listed in two encodings is a duplicate")
    func duplicateDigests() {
        let base64 = Base64.encode([UInt8](repeating: 0x6A, count: 32), .url)
        let error = #expect(throws: PolicyError.self) {
            try parse("packageName: com.example.shop\ncertificateDigests: [\"\(Self.digest)\", \"\(base64)\"]")
        }
        #expect(error?.field == "apps[0].playIntegrity.certificateDigests[1]")
    }

    /// The parts of a configuration, one of them invalid.
    struct Parts: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var packageName = "com.example.shop"
        var android: PlayIntegrityConfiguration.AndroidRules? = .init(certificateDigests: [Fixtures.digest])
        var keys: [String]?
        var freshness = PlayIntegrityConfiguration.Freshness()
        var licensing: [IntegrityLabel] = [.licensed]
    }

    private static func rules(
        _ change: (inout PlayIntegrityConfiguration.AndroidRules) -> Void
    ) -> PlayIntegrityConfiguration.AndroidRules {
        var rules = PlayIntegrityConfiguration.AndroidRules(certificateDigests: [Fixtures.digest])
        change(&rules)
        return rules
    }

    @Test(
        "A configuration composed in code is checked by the same rules",
        arguments: [
            Parts(testDescription: "package name", packageName: "shop"),
            Parts(testDescription: "no digests", android: .init(certificateDigests: [])),
            Parts(testDescription: "short digest", android: .init(certificateDigests: [[1]])),
            Parts(
                testDescription: "PC label",
                android: rules { $0.statedDeviceRecognition = [.init(minimumSDK: 1, require: .pc)] }),
            Parts(testDescription: "no device rules", android: rules { $0.statedDeviceRecognition = [] }),
            Parts(testDescription: "no level", android: rules { $0.maximumDeviceActivity = .unevaluated }),
            Parts(testDescription: "no keys", keys: []), Parts(testDescription: "key twice", keys: ["a", "a"]),
            Parts(testDescription: "no licensing", licensing: []),
            Parts(testDescription: "negative", freshness: .init(past: -1)),
            Parts(testDescription: "no number", freshness: .init(past: .nan)),
            Parts(testDescription: "infinite", freshness: .init(future: .infinity)),
        ])
    func inCode(parts: Parts) {
        #expect(throws: PolicyError.self) {
            try PlayIntegrityConfiguration(
                packageName: parts.packageName, android: parts.android
            ) {
                $0.keys = parts.keys
                $0.freshness = parts.freshness
                $0.licensing = parts.licensing
            }
        }
    }
}
