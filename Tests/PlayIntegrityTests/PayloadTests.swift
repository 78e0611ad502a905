import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// A payload must be strict JSON of the known schema; otherwise it is refused, with the byte. Unknown fields are kept
/// and shown.
@Suite("Play Integrity payload")
struct PayloadTests {
    private func verdict(_ payload: String) async throws -> Verdict {
        try await Fixtures.verifier().verify(
            Fixtures.classic(token: Fixtures.keys.token(Array(payload.utf8))), at: Fixtures.now)
    }

    private static let genuine = Fixtures.android.rendered

    @Test(
        "JSON that two readers could understand differently fails the payload check alone",
        arguments: [
            (
                "duplicate key",
                genuine.replacing(#""versionCode":"42""#, with: #""versionCode":"1","versionCode":"42""#),
                "duplicate-key"
            ),
            ("duplicate block", "{\"appIntegrity\":{}," + genuine.dropFirst(), "duplicate-key"),
            (
                "duplicate key with escapes",
                genuine.replacing(#""versionCode":"42""#, with: #""version\u0043ode":"1","versionCode":"42""#),
                "duplicate-key"
            ),
            ("byte order mark", "\u{FEFF}" + genuine, "malformed"),
            ("top-level array", "[\(genuine)]", "unexpected-type"),
            ("trailing comma", genuine.dropLast() + ",}", "malformed"),
            ("trailing bytes", genuine + "{}", "trailing-bytes"),
            ("single quotes", genuine.replacing("\"", with: "'"), "malformed"),
            ("cut", String(genuine.dropLast(20)), "truncated"),
            ("nothing", "", "truncated"),
            (
                "nested 5000 deep",
                genuine.dropLast() + ",\"deep\":" + String(repeating: "[", count: 5000)
                    + String(repeating: "]", count: 5000) + "}",
                "too-deep"
            ),
        ] as [(String, String, String)])
    func strict(name: String, payload: String, code: String) async throws {
        let verdict = try await verdict(payload)
        #expect(verdict.failed == [CheckID.playIntegrityPayload])
        #expect(verdict.code(CheckID.playIntegrityPayload) == code)
        #expect(verdict.subject == nil)
        #expect(verdict.result(CheckID.playIntegrityFreshness)?.because == .check(.playIntegrityPayload))
    }

    @Test("Text that is not UTF-8 fails the payload check")
    func invalidText() async throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
            var payload = Array(Self.genuine.dropLast().utf8) + Array(",\"x\":\"".utf8)
            payload += bytes + Array("\"}".utf8)
            let verdict = try await Fixtures.verifier().verify(
                Fixtures.classic(token: Fixtures.keys.token(payload)), at: Fixtures.now)
            #expect(verdict.failed == [CheckID.playIntegrityPayload])
            #expect(verdict.code(CheckID.playIntegrityPayload) == "invalid-text")
        }
    }

    @Test(
        "A known field of another type fails the payload check, which names field and byte",
        arguments: [
            "requestDetails": "[]", "appIntegrity": "\"\"", "deviceIntegrity": "[]", "accountDetails": "1",
            "environmentDetails": "true", "testingDetails": "[]", "requestDetails.requestPackageName": "1",
            "requestDetails.nonce": "[]", "requestDetails.timestampMillis": "true",
            "appIntegrity.appRecognitionVerdict": "[\"PLAY_RECOGNIZED\"]", "appIntegrity.packageName": "[]",
            "appIntegrity.versionCode": "{}", "appIntegrity.certificateSha256Digest": "\"abc\"",
            "deviceIntegrity.deviceRecognitionVerdict": "\"MEETS_STRONG_INTEGRITY\"",
            "deviceIntegrity.legacyDeviceRecognitionVerdict": "{}",
            "deviceIntegrity.recentDeviceActivity": "\"LEVEL_1\"",
            "deviceIntegrity.recentDeviceActivity.deviceActivityLevel": "1", "deviceIntegrity.deviceAttributes": "[]",
            "deviceIntegrity.deviceAttributes.sdkVersion": "\"35\"", "deviceIntegrity.deviceRecall": "[]",
            "deviceIntegrity.deviceRecall.values": "[]", "deviceIntegrity.deviceRecall.values.bitFirst": "0",
            "deviceIntegrity.deviceRecall.writeDates": "1",
            "deviceIntegrity.deviceRecall.writeDates.yyyymmThird": "true",
            "accountDetails.appLicensingVerdict": "true", "environmentDetails.appAccessRiskVerdict": "[]",
            "environmentDetails.appAccessRiskVerdict.appsDetected": "{}",
            "environmentDetails.appAccessRiskVerdict.appsDetected ": "[1]",  // an element, and not the list
            "environmentDetails.playProtectVerdict": "[]", "environmentDetails.locationSpoofingRiskVerdict": "1",
            "testingDetails.isTestingResponse": "\"true\"",
        ])
    func types(path: String, value: String) async throws {
        let isUnknown = path.hasSuffix(" ")
        var payload = Fixtures.android
        payload[path.trimmingCharacters(in: .whitespaces)] = .raw(value)
        let verdict = try await verdict(payload.rendered)
        #expect(verdict.failed == [CheckID.playIntegrityPayload])
        #expect(verdict.code(CheckID.playIntegrityPayload) == "unexpected-type")
        let error = try #require(verdict.result(CheckID.playIntegrityPayload)?.finding as? DecodeError)
        #expect(error.field == path.trimmingCharacters(in: .whitespaces))
        let rest = String(decoding: Array(payload.rendered.utf8).dropFirst(error.offset), as: UTF8.self)
        #expect(rest.hasPrefix(isUnknown ? "1" : value))
    }

    @Test("A member that is null counts as absent, as ProtoJSON has it, and satisfies nothing")
    func nulls() async throws {
        // What the checks say of a payload without the field.
        let paths = [
            "requestDetails", "appIntegrity", "deviceIntegrity", "accountDetails", "environmentDetails",
            "testingDetails",
            "requestDetails.requestPackageName", "requestDetails.nonce", "requestDetails.timestampMillis",
            "appIntegrity.appRecognitionVerdict", "appIntegrity.packageName", "appIntegrity.versionCode",
            "appIntegrity.certificateSha256Digest", "deviceIntegrity.deviceRecognitionVerdict",
            "deviceIntegrity.recentDeviceActivity", "deviceIntegrity.deviceAttributes",
            "deviceIntegrity.deviceAttributes.sdkVersion", "deviceIntegrity.deviceRecall.values.bitFirst",
            "accountDetails.appLicensingVerdict", "environmentDetails.playProtectVerdict",
            "environmentDetails.appAccessRiskVerdict.appsDetected", "testingDetails.isTestingResponse", "newBlock",
        ]
        for path in paths {
            var (null, absent) = (Fixtures.android, Fixtures.android)
            null[path] = .raw("null")
            absent[path] = nil
            let (found, expected) = (try await verdict(null.rendered), try await verdict(absent.rendered))
            #expect(found.failed == expected.failed && found.annotated == expected.annotated, "\(path)")
            #expect(found.result(CheckID.playIntegrityPayload)?.status == .passed, "\(path)")
        }
        let answer = "{\"error\":null,\"tokenPayloadExternal\":\(Fixtures.standard.rendered)}"
        let standard = try await Fixtures.verifier().verify(
            Fixtures.answer(json: answer), at: Fixtures.now)
        #expect(standard.outcome == .accept)
        // Null changes nothing of what the ledger remembers.
        let ledger = MemoryLedger()
        var payload = Fixtures.standard
        for isFirst in [true, false] {
            let verdict = try await Fixtures.verifier(ledger: ledger).verify(
                Fixtures.answer(payload), at: Fixtures.now)
            #expect(verdict.failed == (isFirst ? [] : [CheckID.playIntegrityChallenge]))
            payload["testingDetails"] = .raw("null")
            payload["deviceIntegrity.newSignal"] = .raw("null")
        }
    }

    @Test(
        "An integer that is not exact or out of range fails the payload check",
        arguments: [
            "-1", "\"-1\"", "\"+1\"", "1.0", "1.5", "\"1.0\"", "1e3", "\"1e3\"", "\"01\"", "\"0x1\"", "\" 1\"",
            "\"1 \"",
            "\"\"", "\"9223372036854775808\"", "9223372036854775808", "\"99999999999999999999999999\"", "\"１\"", "-0",
        ])
    func integers(value: String) async throws {
        for path in ["requestDetails.timestampMillis", "appIntegrity.versionCode"] {
            var payload = Fixtures.android
            payload[path] = .raw(value)
            let verdict = try await verdict(payload.rendered)
            #expect(verdict.failed == [CheckID.playIntegrityPayload], "\(path)")
            #expect(verdict.code(CheckID.playIntegrityPayload) == "unexpected-value")
        }
    }

    @Test(
        "An SDK version is a 32-bit number from 0 on", arguments: ["-1", "2147483648", "35.0", "3.5e1", "-0"])
    func sdkVersions(value: String) async throws {
        var payload = Fixtures.android
        payload["deviceIntegrity.deviceAttributes.sdkVersion"] = .raw(value)
        #expect(try await verdict(payload.rendered).failed == [CheckID.playIntegrityPayload])
    }

    @Test("64-bit integers are read from strings and from numbers", arguments: ["1790000000000", "\"1790000000000\""])
    func int64Forms(value: String) async throws {
        var payload = Fixtures.android
        payload["requestDetails.timestampMillis"] = .raw(value)
        payload["appIntegrity.versionCode"] = 42
        let verdict = try await verdict(payload.rendered)
        #expect(verdict.failed == [])
        #expect(verdict.playIntegrity?.payload.requestDetails.timestampMillis == Fixtures.milliseconds)
        #expect(verdict.playIntegrity?.payload.appIntegrity.versionCode == 42)
    }

    @Test("Fields that exclude each other fail the payload check, in either order")
    func exclusive() async throws {
        for (field, other) in [
            (#""nonce":"\#(Fixtures.nonce)""#, #""requestHash":"x""#),
            (#""timestampMillis":"\#(Fixtures.milliseconds)""#, #""requestTime":"2026-09-21T14:13:20Z""#),
        ] {
            for pair in ["\(field),\(other)", "\(other),\(field)"] {
                let verdict = try await verdict(Self.genuine.replacing(field, with: pair))
                #expect(verdict.failed == [CheckID.playIntegrityPayload])
                #expect(verdict.code(CheckID.playIntegrityPayload) == "unexpected")
            }
        }
    }

    @Test("Unknown fields and values are kept, shown with their paths, and have no effect")
    func unknown() async throws {
        var payload = Fixtures.android
        payload["newBlock"] = ["a": 1]
        payload["deviceIntegrity.newVerdict"] = "GOOD"
        payload["deviceIntegrity.deviceRecall.values.bitFourth"] = true
        payload["deviceIntegrity.deviceRecognitionVerdict"] = ["MEETS_STRONG_INTEGRITY", "MEETS_QUANTUM_INTEGRITY"]
        payload["deviceIntegrity.legacyDeviceRecognitionVerdict"] = ["MEETS_OLD"]
        let verdict = try await verdict(payload.rendered)
        #expect(verdict.failed == [])
        let fields = verdict.playIntegrity?.fields ?? []
        #expect(
            fields.first { $0.name == "unknownFields" }?.value
                == .texts([
                    "deviceIntegrity.deviceRecall.values.bitFourth: true", "deviceIntegrity.newVerdict: \"GOOD\"",
                    "newBlock: an object",
                ]))
        #expect(
            fields.first { $0.name == "unknownValues" }?.value
                == .texts([
                    "deviceIntegrity.deviceRecognitionVerdict: MEETS_QUANTUM_INTEGRITY",
                    "deviceIntegrity.legacyDeviceRecognitionVerdict: MEETS_OLD",
                ]))
    }

    @Test("Blocks that are empty or missing are read, and fail only the checks that need them")
    func emptyBlocks() async throws {
        for isEmpty in [true, false] {
            var payload = Fixtures.android
            for block in ["appIntegrity", "deviceIntegrity", "accountDetails", "environmentDetails"] {
                payload[block] = isEmpty ? [:] : nil
            }
            let verdict = try await verdict(payload.rendered)
            #expect(
                verdict.failed == [
                    CheckID.playIntegrityAppRecognition, CheckID.playIntegrityAppPackage,
                    CheckID.playIntegrityCertificate,
                    CheckID.playIntegrityVersionCode, CheckID.playIntegrityDeviceRecognition,
                    CheckID.playIntegritySDKVersion,
                    CheckID.playIntegrityDeviceActivity, CheckID.playIntegrityDeviceRecall,
                    CheckID.playIntegrityLicensing,
                    CheckID.playIntegrityPlayProtect, CheckID.playIntegrityAppAccessRisk,
                    CheckID.playIntegrityLocationSpoofing,
                ])
        }
        let nothing = try await verdict("{}")
        #expect(
            nothing.failed.prefix(4) == [
                CheckID.playIntegrityRequestPackage, CheckID.playIntegrityNonce, CheckID.playIntegrityFreshness,
                CheckID.playIntegrityAppRecognition,
            ])
    }

    @Test("The subject has every field of the schema in reading order")
    func fields() async throws {
        var payload = Fixtures.android
        payload["testingDetails.isTestingResponse"] = false
        payload["deviceIntegrity.legacyDeviceRecognitionVerdict"] = ["MEETS_BASIC_INTEGRITY"]
        let verdict = try await verdict(payload.rendered)
        #expect(
            verdict.playIntegrity?.fields == [
                SubjectField("key", .text("play")), SubjectField("requestPackageName", .text(Fixtures.packageName)),
                SubjectField("nonce", .text(Fixtures.nonce)), SubjectField("madeAt", .text("2026-09-21T14:13:20Z")),
                SubjectField("appRecognitionVerdict", .text("PLAY_RECOGNIZED")),
                SubjectField("packageName", .text(Fixtures.packageName)), SubjectField("versionCode", .integer(42)),
                SubjectField("certificateSha256Digest", .texts([Base64.encode(Fixtures.digest, .url)])),
                SubjectField(
                    "deviceRecognitionVerdict",
                    .texts(["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"])),
                SubjectField("legacyDeviceRecognitionVerdict", .texts(["MEETS_BASIC_INTEGRITY"])),
                SubjectField("sdkVersion", .integer(35)), SubjectField("deviceActivityLevel", .text("LEVEL_1")),
                SubjectField("bitFirst", .flag(false)), SubjectField("bitSecond", .flag(true)),
                SubjectField("yyyymmSecond", .integer(202_609)), SubjectField("bitThird", .flag(false)),
                SubjectField("appLicensingVerdict", .text("LICENSED")),
                SubjectField("playProtectVerdict", .text("NO_ISSUES")),
                SubjectField("appsDetected", .texts(["KNOWN_INSTALLED"])),
                SubjectField("locationSpoofingRiskVerdict", .texts(["LOW_RISK_DEVICE"])),
                SubjectField("isTestingResponse", .flag(false)),
            ])
    }
}
