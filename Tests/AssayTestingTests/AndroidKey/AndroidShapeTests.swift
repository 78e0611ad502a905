import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite(
    "Minted chains of Android have the shape of genuine ones",
    .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct AndroidShapeTests {
    private struct GenuineChains: Decodable {
        struct Case: Decodable {
            let id: String
            let chain: [Int]
        }
        let certs: [String]
        let cases: [Case]
    }

    @Test("Factory certificates of a Pixel of 2020 have the fields of ours")
    func factory() throws {
        let records = try JSONSerialization.jsonObject(
            with: SharedFiles.data("vectors/android-key/captures/records.json"))
        let record = try #require(
            (records as? [[String: Any]])?.first { $0["id"] as? String == "pixel-4a-strongbox-02da7a" })
        let texts = try #require((record["evidence"] as? [String: Any])?["certificates"] as? [String])
        let genuine = try texts.map { Array(try #require(Data(base64Encoded: $0))) }
        let device = AndroidKeyDevice(
            provisioning: .factory, securityLevel: 2, attestationVersion: 3, osVersion: 110_000)
        let minted = try AndroidFixtures.blueprint(device).mint().certificates
        #expect(minted.count == genuine.count)
        for index in [1, 3] { #expect(BEROutline(minted[index]).lines == BEROutline(genuine[index]).lines) }
    }

    @Test("Remote certificates of a Pixel 9 Pro have the fields of ours")
    func remote() throws {
        let chains = try SharedFiles.json("suites/androidkey/keyattestation.json", as: GenuineChains.self)
        let found = try #require(chains.cases.first { $0.id == "caiman/sdk36/TEE_EC_RKP" })
        let genuine = try found.chain.map { Array(try #require(Data(base64Encoded: chains.certs[$0]))) }
        let minted = try AndroidFixtures.blueprint(.remoteUnderRSA).mint().certificates
        #expect(minted.count == genuine.count)
        for index in [1, 3] {
            #expect(BEROutline(minted[index]).lines.sorted() == BEROutline(genuine[index]).lines.sorted())
        }
    }
}
