import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Minted classic tokens")
struct ClassicTokenTests {
    private let keys = PlayIntegrityTestKeys(seed: "tests", label: "app")
    private let nonce = [UInt8](repeating: 0xFB, count: 24)
    private let digest = [UInt8](repeating: 0xCD, count: 32)

    private func blueprint() -> ClassicTokenBlueprint {
        ClassicTokenBlueprint(
            keys: keys, packageName: "com.example.shop", nonce: nonce, certificateDigests: [digest],
            issuedAt: Fixtures.time)
    }

    @Test("a genuine token is A256KW and A256GCM around ES256, and its payload that of a genuine device")
    func genuine() throws {
        let minted = try blueprint().mint()
        let opened = try #require(OpenedToken(minted.token, keys: keys))
        #expect(opened.encryptionHeader == #"{"alg":"A256KW","enc":"A256GCM"}"#)
        #expect(opened.header == #"{"alg":"ES256"}"#)
        #expect(opened.payload == minted.payload)
        let expected =
            #"{"requestDetails":{"requestPackageName":"com.example.shop","#
            + #""nonce":"-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7","timestampMillis":"1776795192000"},"#
            + #""appIntegrity":{"appRecognitionVerdict":"PLAY_RECOGNIZED","packageName":"com.example.shop","#
            + #""certificateSha256Digest":["zc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc0"],"versionCode":"42"},"#
            + #""deviceIntegrity":{"deviceRecognitionVerdict":["MEETS_BASIC_INTEGRITY","MEETS_DEVICE_INTEGRITY","#
            + #""MEETS_STRONG_INTEGRITY"],"recentDeviceActivity":{"deviceActivityLevel":"LEVEL_1"},"#
            + #""deviceAttributes":{"sdkVersion":36}},"accountDetails":{"appLicensingVerdict":"LICENSED"},"#
            + #""environmentDetails":{"appAccessRiskVerdict":{"appsDetected":["KNOWN_INSTALLED"]},"#
            + #""playProtectVerdict":"NO_ISSUES"}}"#
        #expect(String(decoding: minted.payload, as: UTF8.self) == expected)
    }

    @Test("content key and IV are new each time, and those that are given when they are")
    func randomness() throws {
        let tokens = try (0..<2).map { _ in try #require(OpenedToken(blueprint().mint().token, keys: keys)) }
        #expect(tokens[0].contentKey != tokens[1].contentKey)
        #expect(tokens[0].initializationVector != tokens[1].initializationVector)
        var given = blueprint()
        given.contentKey = [UInt8](repeating: 1, count: 32)
        given.initializationVector = [UInt8](repeating: 2, count: 12)
        let opened = try #require(OpenedToken(given.mint().token, keys: keys))
        #expect(opened.contentKey == given.contentKey)
        #expect(opened.initializationVector == given.initializationVector)
    }

    @Test("the same seed gives the same keys, and the files hold what the Play Console shows")
    func keyFiles() throws {
        let again = PlayIntegrityTestKeys(seed: "tests", label: "app")
        #expect(again.decryptionKey == keys.decryptionKey)
        #expect(again.verificationKey == keys.verificationKey)
        #expect(PlayIntegrityTestKeys(seed: "tests", label: "other").decryptionKey != keys.decryptionKey)
        #expect(PlayIntegrityTestKeys().decryptionKey != PlayIntegrityTestKeys().decryptionKey)
        #expect(Data(base64Encoded: String(keys.decryptionKeyFile.dropLast())) == Data(keys.decryptionKey))
        let der = try #require(Data(base64Encoded: String(keys.verificationKeyFile.dropLast())))
        let key = try P256.Signing.PublicKey(derRepresentation: der)
        #expect(Array(key.x963Representation) == keys.signingKey.publicPoint)
        #expect(
            keys.downloadedText
                == "DECRYPTION_KEY=\(keys.decryptionKeyFile)VERIFICATION_KEY=\(keys.verificationKeyFile)")
    }

    @Test("a field is replaced in its place, made with its blocks, or left out")
    func fields() {
        var payload = blueprint().payload
        payload[.sdkVersion] = 30
        #expect(payload[.sdkVersion] == 30)
        payload[.deviceIntegrity] = [:]
        #expect(payload[.sdkVersion] == nil)
        payload[.bitFirst] = true
        #expect(payload[.deviceIntegrity] == ["deviceRecall": ["values": ["bitFirst": true]]])
        payload[.yyyymmFirst] = nil
        payload[.deviceIntegrity] = nil
        payload[.bitFirst] = nil
        #expect(payload[.deviceIntegrity] == nil)
    }

    @Test("the record has the token, the package name and the nonce as text")
    func record() throws {
        let minted = try blueprint().mint()
        let json = try JSONSerialization.jsonObject(with: Data(minted.record(id: "x").json.utf8)) as? [String: Any]
        let evidence = try #require(json?["evidence"] as? [String: String])
        #expect(json?["kind"] as? String == "play-integrity.classic")
        #expect(
            evidence == [
                "token": minted.token, "packageName": "com.example.shop", "nonce": "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7",
            ])
    }
}
