import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import PlayIntegrity
import Testing

/// A backend tests its handlers with verdicts that no verifier made, and with policies that are in no file.
@Suite("Stubs for tests of handlers")
struct StubTests {
    @Test("The stub of an acceptance has what a handler reads: outcome, app, subject and annotated checks")
    func accepting() async throws {
        let subject = try ApproovSubject(claims: #"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":1795133040,"arc":"ABCDEF"}"#)
        let verdict = try await Verdict.stub(
            accepting: .approovToken, app: "shop-api", annotated: [.approovTokenAddress], subject: subject,
            at: Fixtures.time)
        #expect(verdict.outcome == .accept && verdict.app == "shop-api" && verdict.judgedAt == Fixtures.time)
        #expect(verdict.approov?.deviceID == "h4gubfCFzJu81j/U2BJsdg==" && verdict.approov?.responseCode == "ABCDEF")
        #expect(verdict.annotated == [.approovTokenAddress] && verdict.failed == [] && verdict.remedy == nil)
        #expect(verdict.testAuthority == "none: a stub of AssayTesting")
        #expect("\(verdict)" == "accept approov.token of shop-api: approov.token.address stub (annotated)")
        #expect(verdict.json(id: nil).contains(#""outcome":"accept""#))
    }

    @Test("The stub of a rejection has its checks, code and remedy, and is never one without a failed check")
    func rejecting() async throws {
        let verdict = try await Verdict.stub(
            rejecting: .appAttestRequest, failed: [.appAttestAssertionCounter, .appAttestAssertionChallenge],
            code: .counterNotIncreasing, remedy: .retry, subject: AppAttestSubject(keyID: [1, 2, 3]))
        #expect(verdict.outcome == .reject && verdict.remedy == .retry)
        #expect(verdict.failed == [.appAttestAssertionCounter, .appAttestAssertionChallenge])
        #expect(verdict.check(.appAttestAssertionCounter)?.has(.counterNotIncreasing) == true)
        #expect(verdict.appAttest?.keyID == [1, 2, 3])
        await #expect(throws: VerificationError.self) { try await Verdict.stub(rejecting: .approovToken, failed: []) }
    }

    @Test("Each engine's facts can be stated")
    func subjects() async throws {
        func stub(_ kind: EvidenceKind, _ subject: any VerdictSubject) async throws -> Verdict {
            try await Verdict.stub(accepting: kind, subject: subject)
        }
        let payload = #"{"requestDetails":{"requestPackageName":"com.example.shop","timestampMillis":"1795132800000"}}"#
        let play = try await stub(.playIntegrityStandard, try PlayIntegritySubject(payload: payload))
        #expect(play.playIntegrity?.madeAt == Date(timeIntervalSince1970: 1_795_132_800))
        let key = try await stub(
            .androidKeyRequest, AndroidKeySubject(publicKey: [1], algorithm: "ec-p256"))
        #expect(key.androidKey?.publicKeySHA256.count == 32)
        let claims = """
            {"iss":"https://id.example.com","aud":"orders","sub":"s","iat":1795132800,"exp":1795133100,"jti":"t",\
            "app":"shop","att":{"kind":"app-attest.assertion","at":1795132799,"annotated":[]}}
            """
        let token = try await stub(.assayToken, try TokenSubject(claims: claims))
        #expect(token.assayToken?.subject == "s" && token.assayToken?.audience == "orders")
        #expect(token.assayToken?.expiresAt == Date(timeIntervalSince1970: 1_795_133_100))
        #expect(throws: DecodeError.self) { try ApproovSubject(claims: #"{"did":1}"#) }
    }

    @Test("A policy in code gets the texts that it names as values; another name is an error with file and field")
    func policies() async throws {
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Fixtures.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  testRoots: ["file:root.pem"]
            """
        let policy = try PolicyFile.parse(text, files: ["root.pem": Fixtures.authority().rootPEM])
        let verdict = try await Verifier(policy: policy, ledger: MemoryLedger())
            .verify(Fixtures.input(Fixtures.attestation()), at: Fixtures.time)
        #expect(verdict.outcome == .accept)
        for (files, found) in [([:], "there are none"), (["other.pem": ""], "file:other.pem")] {
            let error = #expect(throws: PolicyError.self) { try PolicyFile.parse(text, files: files) }
            #expect(error?.field == "apps[0].appAttest.testRoots[0]" && error?.line == 9)
            #expect(error?.message.contains(found) == true, "\(String(describing: error))")
        }
    }
}
