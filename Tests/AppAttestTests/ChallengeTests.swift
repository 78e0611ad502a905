import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A challenge binds the evidence, is found in both of its forms, and is used once.
struct ChallengeTests {
    private func attest(_ verifier: Verifier, _ challenge: [UInt8]) async throws -> Verdict {
        let blueprint = AttestationBlueprint(
            authority: try Fixtures.authority.get(), appID: Fixtures.appID, clientData: .bytes(challenge),
            issuedAt: Fixtures.now)
        return try await verifier.verify(Fixtures.input(try blueprint.mint()), at: Fixtures.now)
    }

    @Test(
        "the ledger's challenge may be hashed as text or as bytes; either form consumes it",
        .produces("app-attest.attestation.challenge", "challenge-consumed"))
    func forms() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration(challenge: .ledger))
        for form in [0, 1, 2] {
            let issued = try await verifier.issueChallenge(
                app: "shop", for: EvidenceKind.appAttestAttestation, at: Fixtures.now)
            #expect(issued.text.utf8.count == 44)
            let forms = [Array(issued.text.utf8), issued.value, Array(Base64.encode(issued.value, .standard).utf8)]
            #expect(try await attest(verifier, forms[form]).failed == [])
            for other in forms {
                let again = try await attest(verifier, other)
                #expect(again.failed == [CheckID.appAttestAttestationChallenge])
                #expect(again.checks.first { $0.status == .failed }?.finding?.code == "challenge-consumed")
            }
        }
    }

    @Test(
        "a challenge of another purpose, one that expired, and one that was never issued fail only the challenge check",
        .produces("app-attest.attestation.challenge", "challenge-expired", "challenge-mismatch")
    )
    func refused() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration(challenge: .ledger))
        let foreign = try await verifier.issueChallenge(
            app: "shop", for: EvidenceKind.appAttestAssertion, at: Fixtures.now)
        let expired = try await verifier.issueChallenge(
            app: "shop", for: EvidenceKind.appAttestAttestation, validFor: 60, at: Fixtures.now.addingTimeInterval(-60))
        for (value, code) in [
            (foreign.value, "challenge-mismatch"), (expired.value, "challenge-expired"),
            ([UInt8](repeating: 7, count: 32), "challenge-unknown"),
        ] {
            let verdict = try await attest(verifier, value)
            #expect(verdict.failed == [CheckID.appAttestAttestationChallenge])
            #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == code)
        }
    }

    @Test("values of 43 and 44 bytes that encode neither 32 nor 33 bytes are compared unchanged")
    func otherLengths() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration(challenge: .ledger))
        for value in [[UInt8](repeating: UInt8(ascii: "!"), count: 44), [UInt8](repeating: 0xFF, count: 43)] {
            let challenge = IssuedChallenge(
                value: value, app: "shop", purpose: ChallengePurpose(EvidenceKind.appAttestAttestation),
                issuedAt: Fixtures.now,
                expiresAt: Fixtures.now.addingTimeInterval(60))
            try await verifier.ledger.issue(challenge, at: Fixtures.now)
            #expect(try await attest(verifier, value).failed == [])
        }
    }

    @Test("an empty challenge or client data hash binds nothing: an unset variable never passes as one")
    func empty() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration())
        #expect(try await attest(verifier, []).failed == [CheckID.appAttestAttestationNonce])

        let key = AttestedKey()
        for (data, binding, failed) in [
            (
                AppAttestClientData.hash([]), AppAttestConfiguration.ClientDataBinding.none,
                CheckID.appAttestAssertionSignature
            ),
            (.bytes([]), .raw, CheckID.appAttestAssertionClientData),
        ] {
            let minted = try AssertionBlueprint(
                key: key, appID: Fixtures.appID, counter: 1, clientData: data
            ).mint()
            let (input, supplied) = Fixtures.input(minted, challenge: binding.isRaw ? [] : nil)
            let verifier = try Fixtures.verifier(try Fixtures.configuration(clientData: binding))
            let verdict = try await verifier.verify(input, suppliedKey: supplied, at: Fixtures.now)
            #expect(verdict.failed == [failed])
        }
    }

    @Test("clientData: none skips the comparison of the challenge, and the check reports it")
    func unbound() async throws {
        let minted = try AssertionBlueprint(
            key: AttestedKey(), appID: Fixtures.appID, counter: 1, clientData: .bytes(Fixtures.challenge)
        ).mint()
        let (input, supplied) = Fixtures.input(minted, challenge: Fixtures.challenge)
        let verifier = try Fixtures.verifier(try Fixtures.configuration(clientData: .none))
        let verdict = try await verifier.verify(input, suppliedKey: supplied, at: Fixtures.now)
        #expect(verdict.failed == [CheckID.appAttestAssertionClientData])
    }
}

extension AppAttestConfiguration.ClientDataBinding {
    fileprivate var isRaw: Bool {
        if case .raw = self { true } else { false }
    }
}
