import Assay
import AssayCore
import Foundation
import PlayIntegrity
import Testing

/// Each check fails alone for its own reason, and no other check fails.
@Suite("Play Integrity checks")
struct CheckTableTests {
    /// One change to a genuine payload.
    struct Change: Sendable, CustomTestStringConvertible {
        let path: String
        let json: String?
        let check: CheckID
        let code: String

        init(_ path: String, _ json: String?, _ check: CheckID, _ code: String) {
            self.path = path
            self.json = json
            self.check = check
            self.code = code
        }

        var testDescription: String { "\(path) \(json ?? "missing")" }

        func applied(to payload: JSON) -> JSON {
            var payload = payload
            payload[path] = json.map { .raw($0) }
            return payload
        }
    }

    /// Changes for which both kinds of Android tokens are refused.
    static let changes: [Change] = [
        Change(
            "requestDetails.requestPackageName", #""com.example.bank""#, CheckID.playIntegrityRequestPackage,
            "request-package-differs"
        ),
        Change(
            "requestDetails.requestPackageName", nil, CheckID.playIntegrityRequestPackage, "request-package-missing"),
        Change("requestDetails.timestampMillis", nil, CheckID.playIntegrityFreshness, "time-missing"),
        Change("requestDetails.timestampMillis", #""1789999699999""#, CheckID.playIntegrityFreshness, "too-old"),
        Change("requestDetails.timestampMillis", #""1790000060001""#, CheckID.playIntegrityFreshness, "too-far-ahead"),
        Change("requestDetails.timestampMillis", #""0""#, CheckID.playIntegrityFreshness, "too-old"),
        Change(
            "requestDetails.timestampMillis", #""9223372036854775807""#, CheckID.playIntegrityFreshness, "too-far-ahead"
        ),
        Change("testingDetails.isTestingResponse", "true", CheckID.playIntegrityTestingResponse, "testing-response"),
        Change(
            "appIntegrity.appRecognitionVerdict", nil, CheckID.playIntegrityAppRecognition, "app-recognition-missing"),
        Change(
            "appIntegrity.appRecognitionVerdict", #""UNEVALUATED""#, CheckID.playIntegrityAppRecognition,
            "app-recognition-unevaluated"
        ),
        Change(
            "appIntegrity.appRecognitionVerdict", #""UNRECOGNIZED_VERSION""#, CheckID.playIntegrityAppRecognition,
            "app-recognition-not-allowed"),
        Change(
            "appIntegrity.appRecognitionVerdict", #""PLAY""#, CheckID.playIntegrityAppRecognition,
            "app-recognition-not-allowed"),
        Change(
            "appIntegrity.packageName", #""com.example.bank""#, CheckID.playIntegrityAppPackage, "app-package-differs"),
        Change("appIntegrity.packageName", nil, CheckID.playIntegrityAppPackage, "app-package-missing"),
        Change("appIntegrity.certificateSha256Digest", nil, CheckID.playIntegrityCertificate, "certificate-missing"),
        Change("appIntegrity.certificateSha256Digest", "[]", CheckID.playIntegrityCertificate, "certificate-none"),
        Change(
            "appIntegrity.certificateSha256Digest", #"[""]"#, CheckID.playIntegrityCertificate,
            "certificate-not-allowed"),
        Change(
            "appIntegrity.certificateSha256Digest",
            #"["ampqampqampqampqampqampqampqampqampqampqamo","AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]"#,
            CheckID.playIntegrityCertificate, "certificate-not-allowed"),
        Change("appIntegrity.versionCode", #""41""#, CheckID.playIntegrityVersionCode, "version-code-too-low"),
        Change("appIntegrity.versionCode", nil, CheckID.playIntegrityVersionCode, "version-code-missing"),
        Change(
            "deviceIntegrity.deviceRecognitionVerdict", nil, CheckID.playIntegrityDeviceRecognition,
            "device-label-missing"),
        Change(
            "deviceIntegrity.deviceRecognitionVerdict", "[]", CheckID.playIntegrityDeviceRecognition,
            "device-label-missing"),
        Change(
            "deviceIntegrity.deviceRecognitionVerdict", #"["MEETS_DEVICE_INTEGRITY"]"#,
            CheckID.playIntegrityDeviceRecognition,
            "device-label-missing"),
        Change(
            "deviceIntegrity.deviceRecognitionVerdict", #"["MEETS_STRONGER_INTEGRITY"]"#,
            CheckID.playIntegrityDeviceRecognition,
            "device-label-missing"),
        Change(
            "deviceIntegrity.deviceAttributes.sdkVersion", nil, CheckID.playIntegritySDKVersion, "sdk-version-missing"),
        Change(
            "deviceIntegrity.recentDeviceActivity", "{}", CheckID.playIntegrityDeviceActivity, "device-activity-missing"
        ),
        Change(
            "deviceIntegrity.recentDeviceActivity.deviceActivityLevel", #""UNEVALUATED""#,
            CheckID.playIntegrityDeviceActivity,
            "device-activity-missing"),
        Change(
            "deviceIntegrity.recentDeviceActivity.deviceActivityLevel", #""LEVEL_3""#,
            CheckID.playIntegrityDeviceActivity,
            "device-activity-too-high"),
        Change(
            "deviceIntegrity.recentDeviceActivity.deviceActivityLevel", #""LEVEL_0""#,
            CheckID.playIntegrityDeviceActivity,
            "device-activity-too-high"),
        Change("deviceIntegrity.deviceRecall", nil, CheckID.playIntegrityDeviceRecall, "device-recall-missing"),
        Change("deviceIntegrity.deviceRecall.values", "{}", CheckID.playIntegrityDeviceRecall, "device-recall-missing"),
        Change(
            "deviceIntegrity.deviceRecall.values.bitFirst", "true", CheckID.playIntegrityDeviceRecall,
            "device-recall-set"),
        Change("accountDetails", "{}", CheckID.playIntegrityLicensing, "licensing-missing"),
        Change(
            "accountDetails.appLicensingVerdict", #""UNEVALUATED""#, CheckID.playIntegrityLicensing,
            "licensing-unevaluated"),
        Change(
            "accountDetails.appLicensingVerdict", #""UNLICENSED""#, CheckID.playIntegrityLicensing,
            "licensing-not-allowed"),
        Change(
            "accountDetails.appLicensingVerdict", #""LICENSED_""#, CheckID.playIntegrityLicensing,
            "licensing-not-allowed"),
        Change("environmentDetails.playProtectVerdict", nil, CheckID.playIntegrityPlayProtect, "play-protect-missing"),
        Change(
            "environmentDetails.playProtectVerdict", #""UNEVALUATED""#, CheckID.playIntegrityPlayProtect,
            "play-protect-unevaluated"),
        Change(
            "environmentDetails.playProtectVerdict", #""POSSIBLE_RISK""#, CheckID.playIntegrityPlayProtect,
            "play-protect-not-allowed"),
        Change(
            "environmentDetails.playProtectVerdict", #""NO_RISK""#, CheckID.playIntegrityPlayProtect,
            "play-protect-not-allowed"),
        Change(
            "environmentDetails.appAccessRiskVerdict", "{}", CheckID.playIntegrityAppAccessRisk,
            "app-access-risk-missing"),
        Change(
            "environmentDetails.appAccessRiskVerdict.appsDetected", #"["KNOWN_INSTALLED","UNKNOWN_CAPTURING"]"#,
            CheckID.playIntegrityAppAccessRisk, "app-access-risk"),
        Change(
            "environmentDetails.appAccessRiskVerdict.appsDetected", #"["KNOWN_TELEPATHY"]"#,
            CheckID.playIntegrityAppAccessRisk,
            "app-access-risk"),
        Change(
            "environmentDetails.appAccessRiskVerdict.appsDetected", "[\"\u{212A}NOWN_INSTALLED\"]",
            CheckID.playIntegrityAppAccessRisk, "app-access-risk"),
        Change(
            "environmentDetails.locationSpoofingRiskVerdict", nil, CheckID.playIntegrityLocationSpoofing,
            "location-spoofing-missing"),
        Change(
            "environmentDetails.locationSpoofingRiskVerdict", "[]", CheckID.playIntegrityLocationSpoofing,
            "location-spoofing-missing"),
        Change(
            "environmentDetails.locationSpoofingRiskVerdict", #"["LOW_RISK_DEVICE","HIGH_RISK_NETWORK"]"#,
            CheckID.playIntegrityLocationSpoofing, "location-spoofing-risk"),
        Change(
            "environmentDetails.locationSpoofingRiskVerdict", #""HIGH_RISK_DEVICE""#,
            CheckID.playIntegrityLocationSpoofing,
            "location-spoofing-risk"),
    ]

    @Test("Genuine payloads of each kind are accepted with their facts, and every applicable check passes")
    func genuine() async throws {
        let classic = try await Fixtures.verifier().verify(Fixtures.classic(), at: Fixtures.now)
        #expect(classic.outcome == .accept)
        #expect(classic.checks.map(\.check) == PlayIntegrityCheck.classicChecks + [CheckID.playIntegrityChallenge])
        let skipped = classic.checks.filter { $0.status == .skipped }.map(\.check)
        #expect(skipped == [.playIntegrityPCIntegrity, CheckID.playIntegrityAccount, CheckID.playIntegrityChallenge])
        #expect(classic.playIntegrity?.key == "play")
        #expect(classic.result(CheckID.playIntegrityDecryption)?.finding?.detail == "opened with key play")

        let standard = try await Fixtures.verifier().verify(
            Fixtures.answer(Fixtures.standard), at: Fixtures.now)
        #expect(standard.outcome == .accept)
        #expect(standard.checks.map(\.check) == PlayIntegrityCheck.standardChecks + [CheckID.playIntegrityChallenge])
        #expect(
            standard.checks.filter { $0.status == .skipped }.map(\.check) == [
                CheckID.playIntegrityPCIntegrity, CheckID.playIntegrityAccount,
            ])
        #expect(standard.code(CheckID.playIntegrityDecode) == "answer-supplied")

        let pc = try await Fixtures.verifier(Fixtures.configuration(android: nil)).verify(
            Fixtures.answer(Fixtures.pc), at: Fixtures.now)
        #expect(pc.outcome == .accept)
        let passed = pc.checks.filter { $0.status == .passed }.map(\.check.name)
        #expect(
            passed
                == [
                    "decode", "payload", "request-package", "request-hash", "freshness", "testing-response",
                    "licensing",
                    "pc-integrity", "challenge",
                ].map { "play-integrity.\($0)" })
    }

    @Test("A change of a genuine classic payload fails only the check for it", arguments: changes)
    func classic(change: Change) async throws {
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.classic(change.applied(to: Fixtures.android)), at: Fixtures.now)
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed == [change.check])
        #expect(verdict.code(change.check) == change.code)
        #expect(verdict.result(change.check)?.finding?.detail.isEmpty == false)
    }

    @Test("A change of a genuine standard payload fails only the check for it", arguments: changes)
    func standard(change: Change) async throws {
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.answer(change.applied(to: Fixtures.standard)), at: Fixtures.now)
        #expect(verdict.failed == [change.check])
        #expect(verdict.code(change.check) == change.code)
    }

    @Test(
        "A change of the binding to the request fails only its check",
        arguments: [
            Change("requestDetails.nonce", #""AAAAAAAAAAAAAAAAAAAAAAAA""#, CheckID.playIntegrityNonce, "nonce-differs"),
            Change("requestDetails.nonce", #""no base64!!!!!!!""#, CheckID.playIntegrityNonce, "nonce-malformed"),
            Change("requestDetails.nonce", #""""#, CheckID.playIntegrityNonce, "nonce-differs"),
            Change("requestDetails.nonce", nil, CheckID.playIntegrityNonce, "nonce-missing"),
            Change(
                "requestDetails.requestHash", #""2cp24z""#, CheckID.playIntegrityRequestHash, "request-hash-differs"),
            Change("requestDetails.requestHash", #""""#, CheckID.playIntegrityRequestHash, "request-hash-differs"),
            Change("requestDetails.requestHash", nil, CheckID.playIntegrityRequestHash, "request-hash-missing"),
        ])
    func binding(change: Change) async throws {
        let verifier = try Fixtures.verifier()
        let verdict =
            change.check == CheckID.playIntegrityNonce
            ? try await verifier.verify(
                Fixtures.classic(change.applied(to: Fixtures.android)), at: Fixtures.now)
            : try await verifier.verify(
                Fixtures.answer(change.applied(to: Fixtures.standard)), at: Fixtures.now)
        #expect(verdict.failed == [change.check])
        #expect(verdict.code(change.check) == change.code)
    }

    @Test(
        "A change of a genuine PC payload fails only the check for it",
        arguments: [
            Change("deviceIntegrity", "{}", CheckID.playIntegrityPCIntegrity, "pc-label-missing"),
            Change(
                "deviceIntegrity.deviceRecognitionVerdict", #"["MEETS_STRONG_INTEGRITY"]"#,
                CheckID.playIntegrityPCIntegrity,
                "pc-label-missing"),
            Change(
                "requestDetails.requestTime", #""2026-09-21T14:08:19.999Z""#, CheckID.playIntegrityFreshness, "too-old"),
            Change(
                "requestDetails.requestTime", #""2026-09-21T14:14:20.001Z""#, CheckID.playIntegrityFreshness,
                "too-far-ahead"),
            Change("requestDetails.requestTime", nil, CheckID.playIntegrityFreshness, "time-missing"),
            Change("requestDetails.requestTime", #""yesterday""#, CheckID.playIntegrityPayload, "unexpected-value"),
            Change(
                "accountDetails.appLicensingVerdict", #""UNLICENSED""#, CheckID.playIntegrityLicensing,
                "licensing-not-allowed"),
            Change(
                "testingDetails.isTestingResponse", "true", CheckID.playIntegrityTestingResponse, "testing-response"),
            Change("requestDetails.requestHash", #""x""#, CheckID.playIntegrityRequestHash, "request-hash-differs"),
        ])
    func pc(change: Change) async throws {
        let verdict = try await Fixtures.verifier(Fixtures.configuration(android: nil)).verify(
            Fixtures.answer(change.applied(to: Fixtures.pc)), at: Fixtures.now)
        #expect(verdict.failed == [change.check])
        #expect(verdict.code(change.check) == change.code)
    }

    @Test("A payload of the other platform fails the payload check")
    func otherForm() async throws {
        let pc = try await Fixtures.verifier().verify(
            Fixtures.answer(Fixtures.pc), at: Fixtures.now)
        #expect(pc.failed == [CheckID.playIntegrityPayload])
        let android = try await Fixtures.verifier(Fixtures.configuration(android: nil)).verify(
            Fixtures.answer(Fixtures.standard), at: Fixtures.now)
        #expect(android.failed == [CheckID.playIntegrityPayload])
        #expect(android.subject == nil)
    }

    @Test("A request with another package name than the policy's fails its package check")
    func otherPackage() async throws {
        let input = try ClassicIntegrityInput(
            token: Fixtures.classicToken(), packageName: "com.example.bank", nonce: Fixtures.nonce)
        let verdict = try await Fixtures.verifier().verify(input, at: Fixtures.now)
        #expect(verdict.failed == [CheckID.playIntegrityRequestPackage])
        #expect(verdict.code(CheckID.playIntegrityRequestPackage) == "package-not-expected")
    }

    @Test("Missing signals cause no annotation where the policy only annotates; risks are annotated")
    func annotated() async throws {
        var payload = Fixtures.android
        payload["environmentDetails"] = [:]
        payload["accountDetails"] = nil
        let verifier = try Fixtures.verifier(modes: [:])
        let quiet = try await verifier.verify(Fixtures.classic(payload), at: Fixtures.now)
        #expect(quiet.outcome == .accept)
        #expect(quiet.annotated == [])
        let signals = [
            CheckID.playIntegrityLicensing, CheckID.playIntegrityPlayProtect, CheckID.playIntegrityAppAccessRisk,
            CheckID.playIntegrityLocationSpoofing,
        ]
        for check in signals {
            #expect(quiet.result(check)?.because == .notApplicable)
            #expect(quiet.code(check)?.hasSuffix("missing") == true)
        }
        payload["environmentDetails"] = [
            "appAccessRiskVerdict": ["appsDetected": ["UNKNOWN_CONTROLLING"]], "playProtectVerdict": "HIGH_RISK",
            "locationSpoofingRiskVerdict": ["HIGH_RISK_DEVICE"],
        ]
        payload["accountDetails.appLicensingVerdict"] = "UNLICENSED"
        let noted = try await verifier.verify(Fixtures.classic(payload), at: Fixtures.now)
        #expect(noted.outcome == .accept)
        #expect(noted.annotated == signals)
    }

    @Test("Checks without a policy field are skipped")
    func notAsked() async throws {
        let rules = PlayIntegrityConfiguration.AndroidRules(certificateDigests: [Fixtures.digest])
        let verdict = try await Fixtures.verifier(Fixtures.configuration(android: rules)).verify(
            Fixtures.classic(), at: Fixtures.now)
        #expect(verdict.outcome == .accept)
        for check in [
            CheckID.playIntegrityVersionCode, CheckID.playIntegritySDKVersion, CheckID.playIntegrityDeviceActivity,
            CheckID.playIntegrityDeviceRecall,
        ] {
            #expect(verdict.result(check)?.because == .policy)
        }
    }

    @Test(
        "Details name the dialog that may help",
        arguments: [
            (
                CheckID.playIntegrityAppRecognition, "appIntegrity.appRecognitionVerdict", #""UNRECOGNIZED_VERSION""#,
                "GET_LICENSED (1)"
            ),
            (
                CheckID.playIntegrityLicensing, "accountDetails.appLicensingVerdict", #""UNLICENSED""#,
                "GET_LICENSED (1)"
            ),
            (
                CheckID.playIntegrityAppAccessRisk, "environmentDetails.appAccessRiskVerdict.appsDetected",
                #"["UNKNOWN_OVERLAYS"]"#, "CLOSE_UNKNOWN_ACCESS_RISK (2)"
            ),
            (
                CheckID.playIntegrityAppAccessRisk, "environmentDetails.appAccessRiskVerdict.appsDetected",
                #"["KNOWN_SOMETHING"]"#, "CLOSE_ALL_ACCESS_RISK (3)"
            ),
            (
                CheckID.playIntegrityDeviceRecognition, "deviceIntegrity.deviceRecognitionVerdict", "[]",
                "GET_STRONG_INTEGRITY (5)"
            ),
        ])
    func dialogs(check: CheckID, path: String, json: String, dialog: String) async throws {
        let payload = Change(path, json, check, "").applied(to: Fixtures.android)
        let verdict = try await Fixtures.verifier().verify(
            Fixtures.classic(payload), at: Fixtures.now)
        #expect(verdict.result(check)?.finding?.detail.contains(dialog) == true)
    }
}
