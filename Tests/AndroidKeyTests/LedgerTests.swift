import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Keys in the ledger")
struct AndroidKeyLedgerTests {
    private let ledger = MemoryLedger()

    private func verify(
        _ input: KeyAttestationInput, _ configuration: AndroidKeyConfiguration, account: String? = nil,
        at time: Date = Fixtures.time
    ) async throws -> Verdict {
        try await Fixtures.verifier(configuration, ledger: ledger)
            .verify(input, account: account, at: time)
    }

    private func identifier(_ minted: MintedKeyAttestation) -> KeyIdentifier {
        .androidKey(Digest.sha256(minted.publicKey))
    }

    @Test("a key is enrolled once, with its facts and its account")
    func enrolment() async throws {
        let minted = try Fixtures.blueprint().mint()
        let configuration = try Fixtures.configuration()
        let first = try await verify(minted.input, configuration, account: "ada")
        #expect(outcome(first) == "accept")
        let key = try #require(try await ledger.enrolledKey(identifier(minted)))
        #expect(key.account == "ada")
        #expect(key.publicKey == minted.publicKey)
        #expect(key.properties["packageName"] == Fixtures.package)
        #expect(key.properties["securityLevel"] == "trustedEnvironment")
        #expect(key.properties["attestedAt"] == RFC3339.format(Fixtures.time))
        #expect(AndroidKeyEngine.problem(withKey: key) == nil)
        let second = try await verify(minted.input, configuration, account: "ada")
        #expect(outcome(second) == "enrolment key-enrolled")
    }

    @Test(
        "reattestation: refresh brings facts up to date, and changes neither account nor app",
        .produces("android-key.attestation.enrolment", "key-of-another-account"))
    func refresh() async throws {
        let configuration = try Fixtures.configuration(reattestation: .refresh)
        let minted = try Fixtures.blueprint().mint()
        #expect(outcome(try await verify(minted.input, configuration, account: "ada")) == "accept")
        var newer = try Fixtures.blueprint()
        newer.description.hardwareEnforced[.osPatchLevel] = .integer(202_612)
        let later = Fixtures.time.addingTimeInterval(86_400)
        let refreshed = try await verify(newer.mint().input, configuration, account: "ada", at: later)
        #expect(outcome(refreshed) == "accept")
        let key = try #require(try await ledger.enrolledKey(identifier(minted)))
        #expect(key.properties["osPatchLevel"] == "202612")
        #expect(key.properties["attestedAt"] == RFC3339.format(later))
        #expect(key.enrolledAt == Fixtures.time)
        let other = try await verify(minted.input, configuration, account: "eve", at: later)
        #expect(outcome(other) == "enrolment key-of-another-account")
    }

    @Test(
        "a challenge of the ledger is consumed once",
        .produces("android-key.attestation.challenge", "challenge-consumed"))
    func challenge() async throws {
        let configuration = try Fixtures.configuration(challenge: .ledger)
        let minted = try Fixtures.blueprint().mint()
        let unknown = try await verify(minted.input, configuration)
        #expect(outcome(unknown) == "challenge challenge-unknown")
        try await ledger.issue(
            IssuedChallenge(
                value: Fixtures.challenge, app: "shop", purpose: ChallengePurpose(.androidKeyAttestation),
                issuedAt: Fixtures.time, expiresAt: Fixtures.time.addingTimeInterval(60)), at: Fixtures.time)
        #expect(outcome(try await verify(minted.input, configuration)) == "accept")
        let again = try await verify(Fixtures.blueprint(.factory, label: "another").mint().input, configuration)
        #expect(outcome(again) == "challenge challenge-consumed")
        #expect(Verifier.challengeKinds.contains(.androidKeyAttestation))
    }
}
