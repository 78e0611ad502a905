import Assay
import AssayInspection
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of Play Integrity's blobs")
struct PlayIntegrityFormatTests {
    private static func inspect(_ text: String) -> InspectionLayer {
        Verifier.inspector.inspect(Array(text.utf8), name: "blob")
    }

    /// Every annotation of the answer, by its path.
    private static func flat(_ layer: InspectionLayer) -> [String: Annotation] {
        var found: [String: Annotation] = [:]
        func add(_ annotation: Annotation, _ path: String) {
            found[path] = annotation
            for child in annotation.children { add(child, path.isEmpty ? child.name : "\(path).\(child.name)") }
        }
        for annotation in layer.annotations { add(annotation, "") }
        return found
    }

    private static let payload = #"""
        {"requestDetails": {"requestPackageName": "com.example.shop", "nonce": "YSBub25jZSBvZiBzb21lIGxlbmd0aA",
          "timestampMillis": "1789991998000"},
         "appIntegrity": {"appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": "com.example.shop",
          "certificateSha256Digest": ["AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"], "versionCode": "42"},
         "deviceIntegrity": {"deviceRecognitionVerdict": ["MEETS_STRONG_INTEGRITY", "MEETS_NEW"],
          "recentDeviceActivity": {"deviceActivityLevel": "LEVEL_4"}, "deviceAttributes": {"sdkVersion": 33},
          "deviceRecall": {"values": {"bitFirst": true}, "writeDates": {"yyyymmFirst": 202609}}},
         "accountDetails": {"appLicensingVerdict": "UNLICENSED"},
         "environmentDetails": {"playProtectVerdict": "POSSIBLE_RISK", "appAccessRiskVerdict": {}},
         "testingDetails": {"isTestingResponse": true}, "news": 1}
        """#

    @Test("Every field and label is explained, and undocumented ones are marked")
    func meanings() {
        let layer = Self.inspect(Self.payload)
        #expect(layer.format == "payload of a Play Integrity token")
        #expect(layer.violation == nil)
        let found = Self.flat(layer)
        let table: [(path: String, meaning: String)] = [
            ("requestDetails.requestPackageName", "the app that asked"),
            ("requestDetails.nonce", "\"a nonce of some length\""),
            ("requestDetails.timestampMillis", "2026-09-21T11:59:58Z, Monday 21 September 2026, 11:59:58 UTC"),
            ("appIntegrity.appRecognitionVerdict", "those that Google Play distributes"),
            ("appIntegrity.certificateSha256Digest.[0]", "in hexadecimal " + String(repeating: "01", count: 32)),
            ("appIntegrity.versionCode", "the version code"),
            ("deviceIntegrity.deviceRecognitionVerdict.[0]", "hardware-backed"),
            ("deviceIntegrity.deviceRecognitionVerdict.[1]", "not a documented word"),
            ("deviceIntegrity.recentDeviceActivity.deviceActivityLevel", "the highest activity"),
            ("deviceIntegrity.deviceAttributes.sdkVersion", "Android 13"),
            ("deviceIntegrity.deviceRecall.values.bitFirst", "set by the app's owner"),
            ("deviceIntegrity.deviceRecall.writeDates.yyyymmFirst", "in 2026-09"),
            ("accountDetails.appLicensingVerdict", "did not get the app from Google Play"),
            ("environmentDetails.playProtectVerdict", "off"),
            ("environmentDetails.appAccessRiskVerdict", "empty when not evaluated"),
            ("testingDetails.isTestingResponse", "never genuine"), ("news", "unknown field"),
        ]
        for entry in table {
            let meaning = found[entry.path]?.meaning
            #expect(meaning?.contains(entry.meaning) == true, "\(entry.path): \(meaning ?? "none")")
        }
        #expect(layer.unknown.contains { $0.contains("whether the nonce is the one of your request") })
    }

    @Test("Strict decoding stops at a known field of another type")
    func violation() {
        let layer = Self.inspect(Self.payload.replacing("\"sdkVersion\": 33", with: "\"sdkVersion\": \"33\""))
        #expect(layer.violation?.reason == .unexpectedType)
        let version = Self.flat(layer)["deviceIntegrity.deviceAttributes.sdkVersion"]
        #expect(version?.violation?.hasPrefix("strict decoding stops at byte ") == true)
    }

    @Test("A token is shown with the keys that it needs, and the lengths of its parts")
    func token() throws {
        let minted = try ClassicTokenBlueprint(
            keys: PlayIntegrityTestKeys(seed: "inspection", label: "shop"), packageName: "com.example.shop",
            nonce: Array(repeating: 7, count: 24), certificateDigests: [Array(repeating: 1, count: 32)],
            issuedAt: Date(timeIntervalSince1970: 1_790_000_000)
        ).mint()
        let layer = Self.inspect(minted.token)
        #expect(layer.format == "Play Integrity classic token")
        #expect(layer.alternatives.isEmpty)
        #expect(layer.violation == nil)
        #expect(Self.inspect("\n\(minted.token)\r\n").violation == nil, "a file of text ends with a line feed")
        #expect(Self.inspect(minted.token + "=").violation != nil)
        let indented = Self.inspect("\n\n\(minted.token)=").violation
        #expect(indented?.offset == minted.token.utf8.count + 2, "errors stand where the blob has what is wrong")
        #expect(
            layer.annotations.map(\.name) == [
                "protected header", "encrypted key", "initialization vector", "ciphertext", "authentication tag",
            ])
        #expect(layer.unknown.first?.contains("decryption key of the app's Play Console") == true)
        #expect(Verifier.inspector.record(of: layer) == nil)
        #expect(Verifier.inspector.kind(of: layer)?.name == "play-integrity.classic")
    }

    @Test("Google's answer becomes a record with its own package name and its own request hash or nonce")
    func record() throws {
        let answer = StandardAnswerBlueprint(
            packageName: "com.example.shop", requestHash: "hash",
            certificateDigests: [[UInt8](repeating: 1, count: 32)],
            issuedAt: Date(timeIntervalSince1970: 1_790_000_000)
        ).mint().answer
        let layer = Verifier.inspector.inspect(Array(answer.encoded), name: "blob")
        let record = try #require(Verifier.inspector.record(of: layer))
        #expect(record.kind.name == "play-integrity.standard")
        #expect(record.evidence.members.map(\.name) == ["packageName", "decoded", "requestHash"])
        let classic = try #require(Verifier.inspector.record(of: Self.inspect(Self.payload)))
        #expect(classic.kind.name == "play-integrity.classic")
        #expect(classic.evidence.members.map(\.name) == ["packageName", "decoded", "nonce"])
        #expect(Verifier.inspector.record(of: Self.inspect(Self.payload.replacing("nonce", with: "noce"))) == nil)
    }

    @Test("Google's errors and the console's response keys are named; the keys are never shown")
    func others() {
        let error = Self.inspect(#"{"error": {"code": 403, "message": "no", "status": "PERMISSION_DENIED"}}"#)
        #expect(error.format == "Google's answer on a Play Integrity token")
        let keys = Self.inspect(
            "DECRYPTION_KEY=c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldA==\nVERIFICATION_KEY=MFkw\n")
        #expect(keys.format == "response keys of the Play Console")
        #expect(keys.secrets == [0..<keys.bytes.count])
        #expect(keys.annotations.allSatisfy { $0.value?.contains("c2Vj") == false && $0.children.isEmpty })
    }
}
