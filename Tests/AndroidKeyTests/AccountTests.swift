import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Accounts and keys of Android")
struct AndroidKeyAccountTests {
    private let ledger = MemoryLedger()

    private func configuration(
        account: AndroidKeyConfiguration.AccountBinding = .match, limit: AccountKeyLimit? = nil,
        packages: [String] = [Fixtures.package],
        reattestation: AndroidKeyConfiguration.Reattestation = .refresh
    ) throws -> AndroidKeyConfiguration {
        let roots = try Fixtures.configuration().testRoots
        return try AndroidKeyConfiguration(
            packages: packages, certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none
        ) {
            $0.reattestation = reattestation
            $0.account = account
            $0.maximumKeys = limit
            $0.testRoots = roots
        }
    }

    private func attest(
        _ configuration: AndroidKeyConfiguration? = nil, key: String = "device", app: String = "shop",
        of account: String?,
        after seconds: Double = 0, _ change: (inout AndroidKeyAttestationBlueprint) -> Void = { _ in }
    ) async throws -> Verdict {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: app, configuration ?? self.configuration())], catalogue: Verifier.catalogue)
        return try await Verifier(policy: policy, ledger: ledger).verify(
            Fixtures.blueprint(label: key).with(change).mint().input, account: account,
            at: Fixtures.time.addingTimeInterval(seconds))
    }

    private func code(_ verdict: Verdict, _ check: String) -> String? {
        verdict.checks.first { $0.check.name == "android-key.attestation.\(check)" }?.finding?.code
    }

    @Test(
        "a blocked account attests no key, and a policy may demand one",
        .produces("android-key.attestation.account", "account-blocked"))
    func accounts() async throws {
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "eve"), reason: "fraud", since: Fixtures.time, until: nil))
        #expect(outcome(try await attest(of: "eve")) == "account account-blocked")
        #expect(outcome(try await attest(configuration(account: .required), of: nil)) == "account account-missing")
        #expect(outcome(try await attest(configuration(account: .required), of: "ada")) == "accept")
    }

    @Test("a blocked key is not enrolled", .produces("android-key.attestation.enrolment", "blocked"))
    func blocked() async throws {
        let key = try Fixtures.blueprint().mint().publicKey
        try await ledger.block(
            LedgerBlock(
                subject: KeyIdentifier.androidKey(Digest.sha256(key)).subject, reason: "stolen", since: Fixtures.time,
                until: nil))
        #expect(outcome(try await attest(of: "ada")) == "enrolment blocked")
    }

    @Test(
        "a key stays with its app, its package and its account",
        .produces("android-key.attestation.enrolment", "key-refreshed", "key-of-another-app", "key-property-differs"))
    func identity() async throws {
        #expect(outcome(try await attest(of: "ada")) == "accept")
        let refreshed = try await attest(of: "ada")
        #expect(outcome(refreshed) == "accept")
        #expect(code(refreshed, "enrolment") == "key-refreshed")
        #expect(outcome(try await attest(app: "other", of: "ada")) == "enrolment key-of-another-app")
        #expect(outcome(try await attest(of: "eve")) == "enrolment key-of-another-account")
        let packages = [Fixtures.package, "com.example.second"]
        let renamed = try await attest(configuration(packages: packages), of: "ada") {
            $0.description.softwareEnforced[.attestationApplicationID] = .octets(
                ApplicationIDBlueprint(packages: [.init("com.example.second", version: 42)], digests: [Fixtures.digest])
                    .encoded)
        }
        #expect(outcome(renamed) == "enrolment key-property-differs")
    }

    @Test(
        "an account has as many keys as the policy allows",
        .produces("android-key.attestation.enrolment", "key-retired", "oldest-keys-retired"))
    func limits() async throws {
        func limited(_ excess: AccountKeyLimit.Excess) throws -> AndroidKeyConfiguration {
            try configuration(limit: AccountKeyLimit(maximum: 1, excess: excess))
        }
        #expect(outcome(try await attest(limited(.refuse), key: "a", of: "ada")) == "accept")
        let refused = try await attest(limited(.refuse), key: "b", of: "ada", after: 1)
        #expect(outcome(refused) == "enrolment devices-exceeded")
        let retiring = try await attest(limited(.retireOldest), key: "c", of: "ada", after: 2)
        #expect(code(retiring, "enrolment") == "oldest-keys-retired")
        let again = try await attest(limited(.retireOldest), key: "a", of: "ada", after: 3)
        #expect(outcome(again) == "enrolment key-retired")
    }

    @Test(
        "a challenge is for one app, one kind and a time",
        .produces("android-key.attestation.challenge", "challenge-mismatch", "challenge-expired"))
    func challenges() async throws {
        let configuration = try Fixtures.configuration(challenge: .ledger)
        let verifier = try Fixtures.verifier(configuration, ledger: ledger)
        func issue(_ challenge: String, app: String = "shop", for kind: EvidenceKind = .androidKeyAttestation)
            async throws
        {
            try await ledger.issue(
                IssuedChallenge(
                    value: Array(challenge.utf8), app: app, purpose: ChallengePurpose(kind), issuedAt: Fixtures.time,
                    expiresAt: Fixtures.time.addingTimeInterval(60)), at: Fixtures.time)
        }
        func attest(_ challenge: String, after seconds: Double = 0) async throws -> String {
            let minted = try Fixtures.blueprint(label: challenge).with {
                $0.description.attestationChallenge = Array(challenge.utf8)
            }.mint()
            return outcome(
                try await verifier.verify(
                    KeyAttestationInput(certificates: minted.certificates, challenge: Array(challenge.utf8)),
                    at: Fixtures.time.addingTimeInterval(seconds)))
        }
        try await issue("other app", app: "other")
        #expect(try await attest("other app") == "challenge challenge-mismatch")
        try await issue("other kind", for: .androidKeyRequest)
        #expect(try await attest("other kind") == "challenge challenge-mismatch")
        try await issue("late")
        #expect(try await attest("late", after: 60) == "challenge challenge-expired")
        try await issue("fresh")
        #expect(try await attest("fresh", after: 59) == "accept")
    }
}
