import Assay
import AssayCore
import Foundation
import PlayIntegrity
import Testing

/// The device requirements depend on the Android version.
@Suite("Play Integrity device rules")
struct DeviceRuleTests {
    private static let basic = "MEETS_BASIC_INTEGRITY"
    private static let device = "MEETS_DEVICE_INTEGRITY"
    private static let strong = "MEETS_STRONG_INTEGRITY"
    private static let virtual = "MEETS_VIRTUAL_INTEGRITY"

    private func passes(
        _ labels: [String], sdk: Int?, _ rules: [PlayIntegrityConfiguration.DeviceRule]
    ) async throws -> Bool {
        var payload = Fixtures.android
        payload["deviceIntegrity.deviceRecognitionVerdict"] = .array(labels.map { .text($0) })
        payload["deviceIntegrity.deviceAttributes.sdkVersion"] = sdk.map { .raw("\($0)") }
        var android = PlayIntegrityConfiguration.AndroidRules(certificateDigests: [Fixtures.digest])
        android.statedDeviceRecognition = rules
        let verdict = try await Fixtures.verifier(Fixtures.configuration(android: android))
            .verify(Fixtures.classic(payload), at: Fixtures.now)
        #expect(verdict.failed == [] || verdict.failed == [CheckID.playIntegrityDeviceRecognition])
        return verdict.outcome == .accept
    }

    @Test(
        "The guidance: Android 13 strong, Android 9 to 12 certified, older refused, unknown the strictest",
        arguments: [
            (33, [strong], true), (33, [device], false), (36, [basic, device], false),
            (36, [basic, device, strong], true),
            (32, [device], true), (32, [strong], true), (32, [basic], false), (28, [device], true), (28, [], false),
            (27, [strong], false), (27, [basic, device, strong], false), (0, [strong], false),
            (nil, [strong], true), (nil, [device], false), (nil, [], false), (33, [virtual], false),
            (33, ["MEETS_PC_INTEGRITY"], false), (28, ["MEETS_DEVICE_INTEGRITY "], false),
            (28, ["meets_device_integrity"], false),
        ] as [(Int?, [String], Bool)])
    func guidance(sdk: Int?, labels: [String], isAccepted: Bool) async throws {
        #expect(try await passes(labels, sdk: sdk, PlayIntegrityConfiguration.DeviceRule.guidance) == isAccepted)
    }

    @Test(
        "Without rules in the policy, a new app in the Play Console passes, noted, until Google tells the version of Android",
        arguments: [
            // What a new app gets: one label, and no attributes of the device.
            (nil, [device], "annotated sdk-version-unknown"), (nil, [basic, device], "annotated sdk-version-unknown"),
            (nil, [basic, device, strong], "passed "), (nil, [basic], "failed device-label-missing"),
            (nil, [], "failed device-label-missing"), (nil, [virtual], "failed device-label-missing"),
            // From then on the guidance counts.
            (33, [device], "failed device-label-missing"), (33, [strong], "passed "), (28, [device], "passed "),
            (27, [strong], "failed android-too-old"),
        ] as [(Int?, [String], String)])
    func firstDay(sdk: Int?, labels: [String], expected: String) async throws {
        func result(_ lines: String) async throws -> String {
            var payload = Fixtures.android
            payload["deviceIntegrity.deviceRecognitionVerdict"] = .array(labels.map { .text($0) })
            payload["deviceIntegrity.deviceAttributes"] = sdk.map { ["sdkVersion": .raw("\($0)")] }
            let policy = try PolicyFile.parse(
                """
                version: 1
                apps:
                  - name: shop
                    playIntegrity:
                      packageName: \(Fixtures.packageName)
                      certificateDigests: ["\(Fixtures.digest.map { String($0, radix: 16) }.joined())"]
                      challenge: caller
                \(lines)
                """, path: "policy.yaml")
            var standard = Fixtures.standard
            standard["deviceIntegrity"] = payload["deviceIntegrity"]
            let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                Fixtures.answer(standard), at: Fixtures.now)
            let found = try #require(verdict.result(CheckID.playIntegrityDeviceRecognition))
            #expect((verdict.outcome == .accept) == (found.status != .failed))
            return "\(found.status) \(found.finding?.code ?? "")"
        }
        #expect(try await result("") == expected)
        // Rules in the policy hold without exception, and the code says what to turn on.
        guard sdk == nil, labels.contains(Self.device), !labels.contains(Self.strong) else { return }
        let rules = """
                  deviceRecognition:
                    - { minimumSDK: 33, require: MEETS_STRONG_INTEGRITY }
                    - { minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }
            """
        #expect(try await result(rules) == "failed sdk-version-unknown")
    }

    @Test("A stronger label satisfies a weaker demand; the virtual label satisfies only itself")
    func strength() async throws {
        let order = [Self.basic, Self.device, Self.strong]
        for (demand, demanded) in order.enumerated() {
            let rules = [PlayIntegrityConfiguration.DeviceRule(minimumSDK: 1, require: IntegrityLabel(demanded))]
            for (index, label) in order.enumerated() {
                #expect(try await passes([label], sdk: 30, rules) == (index >= demand))
            }
            #expect(try await !passes([Self.virtual], sdk: 30, rules))
        }
        let emulators = [PlayIntegrityConfiguration.DeviceRule(minimumSDK: 1, require: .virtual)]
        #expect(try await passes([Self.virtual], sdk: 30, emulators))
        #expect(try await !passes([Self.strong], sdk: 30, emulators))
    }

    @Test("Rules apply from their version on, in any order; the strictest has the strongest label")
    func order() async throws {
        let rules = [
            PlayIntegrityConfiguration.DeviceRule(minimumSDK: 24, require: .strong),
            PlayIntegrityConfiguration.DeviceRule(minimumSDK: 35, require: .basic),
            PlayIntegrityConfiguration.DeviceRule(minimumSDK: 30, require: .device),
        ]
        #expect(try await passes([Self.basic], sdk: 35, rules))
        #expect(try await !passes([Self.basic], sdk: 34, rules))
        #expect(try await passes([Self.device], sdk: 30, rules))
        #expect(try await !passes([Self.device], sdk: 29, rules))
        #expect(try await passes([Self.strong], sdk: 24, rules))
        #expect(try await !passes([Self.strong], sdk: 23, rules))
        #expect(try await !passes([Self.device], sdk: nil, rules))
        #expect(try await passes([Self.strong], sdk: nil, rules))
    }
}
