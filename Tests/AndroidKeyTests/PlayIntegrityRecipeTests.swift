import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity
import Testing

/// The recipe of the guide: a token of Play Integrity whose request hash is SHA-256(challenge || SubjectPublicKeyInfo).
@Suite("A key attestation and a token of Play Integrity about one key")
struct PlayIntegrityRecipeTests {
    private func requestHash(_ challenge: [UInt8], _ key: [UInt8]) -> String {
        Base64.encode(Digest.sha256(challenge + key), .url)
    }

    @Test("a token for another key or another challenge fails")
    func recipe() async throws {
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop-play
                playIntegrity:
                  packageName: com.example.shop
                  certificateDigests: ["\(Fixtures.digest.hexadecimal)"]
                  answers: caller
            """, path: "policy.yaml")
        let minted = try Fixtures.blueprint().mint()
        let verdict = try await judge(minted.input)
        #expect(outcome(verdict) == "accept")
        let key = try #require(verdict.androidKey?.publicKey)
        let made = requestHash(Fixtures.challenge, key)
        let answer = IntegrityAnswer(
            json: StandardAnswerBlueprint(
                packageName: Fixtures.package, requestHash: made, certificateDigests: [Fixtures.digest],
                issuedAt: Fixtures.time
            ).mint().body)
        let other = try Fixtures.blueprint(label: "another").mint().publicKey
        for (challenge, key, isAccepted) in [
            (Fixtures.challenge, key, true), (Fixtures.challenge, other, false), (Array("Challenge".utf8), key, false),
        ] {
            let input = StandardIntegrityInput(
                packageName: Fixtures.package, requestHash: requestHash(challenge, key), evidence: .decoded(answer))
            let token = try await Verifier(policy: policy, ledger: MemoryLedger())
                .verify(input, at: Fixtures.time)
            #expect((token.outcome == .accept) == isAccepted)
            #expect(token.failed.map(\.name).first == (isAccepted ? nil : "play-integrity.request-hash"))
        }
    }
}
