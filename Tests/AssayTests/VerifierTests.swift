import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// False evidence is a verdict, an outage is an outage, and a wrong call is the caller's error.
@Suite("Verifier")
struct VerifierTests {
    private func verify(
        _ record: EvidenceRecord, apps: [String] = ["shop"], ledger: any Ledger = MemoryLedger()
    ) async throws(VerificationError) -> Verdict {
        let policy: VerificationPolicy
        do { policy = try Fixtures.policy(apps) } catch { throw .request(RequestError(.noTime, "\(error)")) }
        return try await Verifier(policy: policy, ledger: ledger).verify(record, at: Fixtures.time)
    }

    private func requestError(_ record: EvidenceRecord, apps: [String] = ["shop"]) async -> RequestError? {
        do {
            _ = try await verify(record, apps: apps)
        } catch .request(let error) {
            return error
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    @Test("An unknown kind is an error of the caller that lists the kinds")
    func unknownKind() async throws {
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind("x\u{1B}"), app: nil, receivedAt: nil,
            evidence: RecordObject([], offset: 0), expect: nil)
        let error = await requestError(record)
        #expect(error?.reason == .unknownKind)
        #expect(
            error?.message == "unknown kind x\\u{1B}; expected one of "
                + "app-attest.attestation, app-attest.assertion, app-attest.request, app-attest.receipt, "
                + "play-integrity.classic, play-integrity.standard, play-integrity.request, approov.token, approov.message, approov.text, approov.proof, "
                + "android-key.attestation, android-key.request, assay.token, none, mitm.certificate"
        )
    }

    @Test("An unknown app is an error of the caller that lists the apps")
    func unknownApp() async throws {
        let error = await requestError(
            try Fixtures.attestation().record(id: "a", app: "other"), apps: ["shop", "bank"])
        #expect(error?.reason == .unknownApp)
        #expect(error?.message == "the policy has no app other with appAttest; it has shop, bank")
        let escaped = await requestError(try Fixtures.attestation().record(id: "a", app: "o\u{1B}"), apps: ["shop"])
        #expect(escaped?.message == "the policy has no app o\\u{1B} with appAttest; it has shop")
    }

    @Test("The name of an app is compared by bytes")
    func canonicallyEquivalentApp() async throws {
        // KELVIN SIGN, which is canonically equivalent to the letter.
        let record = try Fixtures.attestation().record(id: "a", app: "\u{212A}")
        #expect(await requestError(record, apps: ["K", "shop"])?.reason == .unknownApp)
    }

    @Test("Among several apps the one whose App ID matches judges; none that matches is a wrong call")
    func appByAppID() async throws {
        let record = try Fixtures.attestation().record(id: "a")
        #expect(try await verify(record, apps: ["bank", "shop"]).app == "shop")
        #expect(try await verify(record, apps: ["bank", "shop"]).outcome == .accept)
        #expect(await requestError(record, apps: ["bank", "game"])?.reason == .ambiguousApp)
    }

    @Test("A single app judges all evidence; that of another app fails the App ID")
    func singleApp() async throws {
        let verdict = try await verify(try Fixtures.attestation().record(id: "a"), apps: ["bank"])
        #expect(verdict.app == "bank")
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed.first?.name == "app-attest.attestation.app-id")
    }

    @Test("A named app judges even when another one's App ID matches")
    func namedApp() async throws {
        let verdict = try await verify(
            try Fixtures.attestation().record(id: "a", app: "bank"), apps: ["bank", "shop"])
        #expect(verdict.app == "bank")
        #expect(verdict.failed.first?.name == "app-attest.attestation.app-id")
    }

    @Test("A time that is not finite is a wrong call, everywhere", arguments: [Double.nan, .infinity, -.infinity])
    func times(seconds: Double) async throws {
        let now = Date(timeIntervalSince1970: seconds)
        let minted = try Fixtures.attestation()
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        let calls: [() async throws -> Void] = [
            { _ = try await verifier.verify(minted.record(id: "a"), at: now) },
            { _ = try await verifier.verify(Fixtures.input(minted), at: now) },
            {
                let input = AssertionInput(keyID: [], assertion: [], clientData: .data([]))
                _ = try await verifier.verify(input, at: now)
            },
            { _ = try await verifier.verify(ReceiptInput(keyID: [], receipt: []), at: now) },
            { _ = try await verifier.issueChallenge(app: "shop", for: EvidenceKind.appAttestAttestation, at: now) },
            {
                _ = try await verifier.issueChallenge(
                    app: "shop", for: EvidenceKind.appAttestAttestation, validFor: seconds, at: Fixtures.time)
            },
        ]
        for (index, call) in calls.enumerated() {
            let error = await #expect(throws: VerificationError.self) { try await call() }
            guard case .request(let request)? = error else {
                Issue.record("call \(index): \(String(describing: error))")
                continue
            }
            #expect(request.reason == .invalidTime)
        }
    }

    @Test("A challenge is valid for a second to a day", arguments: [0.0, -1, 0.9, 86_401])
    func challengeLifetimes(seconds: Double) async throws {
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        let error = await #expect(throws: VerificationError.self) {
            try await verifier.issueChallenge(
                app: "shop", for: EvidenceKind.appAttestAttestation, validFor: seconds, at: Fixtures.time)
        }
        guard case .request(let request)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(request.reason == .invalidTime)
        #expect(request.message == "a challenge is valid for 1 to 86400 seconds, found \(seconds)")
    }

    @Test("A challenge is issued only for evidence that carries one, and that the app has a section for")
    func challengeKinds() async throws {
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        let refused: [(EvidenceKind, RequestError.Reason, String)] = [
            (.appAttestReceipt, .unknownKind, "challenges are for app-attest.attestation, app-attest.assertion"),
            (EvidenceKind("app-attest.atestation"), .unknownKind, "found app-attest.atestation"),
            (.playIntegrityClassic, .unknownApp, "of the policy accepts no evidence of kind play-integrity.classic"),
        ]
        for (kind, reason, part) in refused {
            let error = await #expect(throws: VerificationError.self) {
                try await verifier.issueChallenge(app: "shop", for: kind, at: Fixtures.time)
            }
            guard case .request(let request)? = error else {
                Issue.record("\(kind): \(String(describing: error))")
                continue
            }
            #expect(request.reason == reason)
            #expect(request.message.contains(part), "\(request.message)")
        }
        for seconds in [1.0, 86_400] {
            let challenge = try await verifier.issueChallenge(
                app: "shop", for: .appAttestAttestation, validFor: seconds, at: Fixtures.time)
            #expect(challenge.expiresAt == Fixtures.time.addingTimeInterval(seconds))
        }
    }

    @Test("A ledger that cannot be reached is an outage for evidence that would be accepted")
    func outage() async throws {
        do {
            _ = try await verify(try Fixtures.attestation().record(id: "a"), ledger: FaultyLedger.unreachable())
            Issue.record("there is a verdict")
        } catch VerificationError.outage(let outage) {
            #expect(outage as? LedgerOutage == LedgerOutage.planned)
        }
    }

    @Test("Direct calls: an attestation enrols its key once, and its assertions advance the counter")
    func directCalls() async throws {
        let minted = try Fixtures.attestation()
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        let first = try await verifier.verify(Fixtures.input(minted), at: Fixtures.time)
        #expect(first.outcome == .accept)
        #expect(first.appAttest?.keyID == Fixtures.key.keyID)
        let second = try await verifier.verify(Fixtures.input(minted), app: "shop", at: Fixtures.time)
        #expect(second.failed.map(\.name) == ["app-attest.attestation.enrolment"])

        let assertion = try AssertionBlueprint(
            key: Fixtures.key, appID: Fixtures.appID, counter: 1, clientData: .bytes([1, 2])
        ).mint()
        func assert(_ data: [UInt8]) async throws -> Verdict {
            try await verifier.verify(
                AssertionInput(keyID: assertion.keyID, assertion: assertion.assertion, clientData: .data(data)),
                at: Fixtures.time)
        }
        #expect(try await assert([1, 3]).failed.first?.name == "app-attest.assertion.signature")
        #expect(try await assert([1, 2]).outcome == .accept)
        #expect(try await assert([1, 2]).failed.map(\.name) == ["app-attest.assertion.counter"])
    }

    @Test("Direct calls: an assertion is verified with the key that the caller supplies")
    func suppliedKey() async throws {
        let minted = try AssertionBlueprint(
            key: Fixtures.key, appID: Fixtures.appID, counter: 8, clientData: .bytes([1])
        ).mint()
        let input = AssertionInput(keyID: minted.keyID, assertion: minted.assertion, clientData: .data([1]))
        for (counter, failed) in [(7, []), (8, ["app-attest.assertion.counter"])] as [(UInt32, [String])] {
            let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
            let supplied = AssertionKeys.Supplied(publicKey: minted.publicPoint, counter: counter)
            let verdict = try await verifier.verify(input, suppliedKey: supplied, at: Fixtures.time)
            #expect(verdict.failed.map(\.name) == failed)
        }
    }

    @Test("Direct calls: a refreshed receipt is about the key that was enrolled")
    func receipt() async throws {
        let minted = try Fixtures.attestation()
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        #expect(try await verifier.verify(Fixtures.input(minted), at: Fixtures.time).outcome == .accept)
        let certificate = try #require(minted.certificates.first)
        let receipt = try ReceiptBlueprint(
            authority: Fixtures.authority(), appID: Fixtures.appID, certificate: certificate,
            clientDataHash: minted.clientData.hash, environment: .production, createdAt: Fixtures.time, riskMetric: 3
        ).mint()
        let verdict = try await verifier.verify(
            ReceiptInput(keyID: minted.keyID, receipt: receipt), at: Fixtures.time)
        #expect(verdict.failed == [])
        #expect(verdict.outcome == .accept)
        #expect(verdict.appAttest?.receipt?.riskMetric == 3)
    }
}
