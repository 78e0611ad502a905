import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Project Wycheproof's JWS and JWE in the places of a token and of its proof. Many are valid; none has the form of ours.
@Suite("Wycheproof JOSE as tokens", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct WycheproofTests {
    private struct Suite: Decodable {
        let count: Int
        let testGroups: [Group]
        struct Group: Decodable { let tests: [Case] }
        struct Case: Decodable {
            let tcId: Int
            let jws: String?
            let jwe: String?
        }
    }

    private let client = TestKey(.p256, seed: "token tests", label: "client")

    private func texts(_ file: String) throws -> [(id: Int, text: String)] {
        let suite = try SharedFiles.json("suites/wycheproof/\(file).json", as: Suite.self)
        let cases = suite.testGroups.flatMap(\.tests)
        #expect(cases.count == suite.count && !cases.isEmpty)
        return try cases.map { ($0.tcId, try #require($0.jws ?? $0.jwe, "\(file) \($0.tcId)")) }
    }

    @Test(
        "no case is accepted as a token or as a proof, and the check that refuses it is the one of its form",
        arguments: ["json_web_signature", "json_web_key", "json_web_encryption"])
    func cases(_ file: String) async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client)
        for (id, text) in try texts(file) {
            let asToken = outcome(try await world.judge(text, client: client, proofID: "\(file) \(id)"))

            #expect(asToken.hasPrefix("decode ") && asToken != "decode ", "\(id) as a token: \(asToken)")
            let request = SignedRequest(
                method: "GET", targetURI: "https://api.example.com/items",
                fields: [
                    SignedRequest.Field("Authorization", "DPoP \(token)"), SignedRequest.Field("DPoP", text),
                ], body: .bytes([]))
            let asProof = outcome(
                try await world.verifier.verifyTokenRequest(request, account: nil, at: TokenWorld.now))
            #expect(asProof.hasPrefix("proof ") && asProof != "proof ", "\(id) as a proof: \(asProof)")
        }
        // The token itself was right all the time.
        #expect(outcome(try await world.judge(token, client: client)) == "accept")
    }
}
