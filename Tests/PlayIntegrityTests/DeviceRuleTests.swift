import Assay
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
        let android = PlayIntegrityConfiguration.AndroidRules(
            certificateDigests: [Fixtures.digest], deviceRecognition: rules)
        let verdict = try await Fixtures.verifier(Fixtures.configuration(android: android))
            .verifyClassicIntegrityToken(Fixtures.classic(payload), at: Fixtures.now)
        #expect(verdict.failed == [] || verdict.failed == [PlayIntegrityCheck.deviceRecognition])
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
