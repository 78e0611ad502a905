import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Keys belong to accounts, and operators block and allow them.
@Suite("Accounts of App Attest keys")
struct AccountTests {
    private let ledger = MemoryLedger()
    private typealias Rule = AppAttestConfiguration.AccountBinding

    private func verifier(
        _ account: Rule = .match, limit: AccountKeyLimit? = nil,
        reattestation: AppAttestConfiguration.Reattestation = .refresh,
        versions: VersionRules<DottedVersion> = VersionRules()
    ) throws -> Verifier {
        try Fixtures.verifier(
            try Fixtures.configuration(
                reattestation: reattestation, account: account, maximumKeys: limit,
                versions: versions), ledger: ledger)
    }

    private func attest(
        _ verifier: Verifier, _ key: AttestedKey, of account: String?, at now: Date = Fixtures.now
    ) async throws -> Verdict {
        try await verifier.verify(
            Fixtures.input(try Fixtures.attestation(key: key).mint()), account: account, at: now)
    }

    private func assert(
        _ verifier: Verifier, _ key: AttestedKey, counter: UInt32, of account: String?
    ) async throws -> Verdict {
        let minted = try AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: counter, clientData: .bytes(Fixtures.challenge)
        ).mint()
        return try await verifier.verify(Fixtures.input(minted).input, account: account, at: Fixtures.now)
    }

    @Test("A block of an account reaches its keys where the backend names no account, and moves with a key")
    func blockedOwner() async throws {
        let verifier = try verifier()
        let key = AttestedKey()
        #expect(try await attest(verifier, key, of: "carol").failed == [])
        func block(_ account: String) async throws {
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, account), reason: "fraud", since: Fixtures.now, until: nil))
        }
        try await block("carol")
        let asserted = try await assert(verifier, key, counter: 1, of: nil)
        #expect(asserted.failed == [CheckID.appAttestAssertionAccount])
        #expect(asserted.code(CheckID.appAttestAssertionAccount) == "account-blocked")
        #expect(try await attest(verifier, key, of: nil).failed == [CheckID.appAttestAttestationAccount])

        try await ledger.move(.appAttest(key.keyID), to: "bob", by: nil, at: Fixtures.now)
        #expect(try await assert(verifier, key, counter: 1, of: nil).failed == [])
        try await block("bob")
        #expect(try await assert(verifier, key, counter: 2, of: nil).failed == [CheckID.appAttestAssertionAccount])
    }

    @Test(
        "The account of a key that is blocked after the assessment counts at the commit, and so does a key that was moved"
    )
    func meanwhile() async throws {
        let verifier = try verifier()
        let key = AttestedKey()
        #expect(try await attest(verifier, key, of: "carol").failed == [])
        func assess(_ counter: UInt32, _ account: String?) async throws -> Assessment {
            let minted = try AssertionBlueprint(
                key: key, appID: Fixtures.appID, counter: counter, clientData: .bytes(Fixtures.challenge)
            ).mint()
            var record = minted.record(id: "late", receivedAt: Fixtures.now)
            record.account = account
            return try await verifier.assess(record, ledger: ledger, at: Fixtures.now)
        }
        func codes(_ assessment: Assessment) async throws -> [String] {
            let verdict = try #require(try await verifier.verdicts(of: [assessment], at: Fixtures.now).first)
            return verdict.checks.filter { $0.status == .failed }.map { "\($0.check) \($0.finding?.code ?? "")" }
        }
        let account = CheckID.appAttestAssertionAccount
        // The ledger has no block at all when the evidence is assessed.
        let (unnamed, named) = (try await assess(1, nil), try await assess(2, "carol"))
        let again = try await verifier.assess(
            Fixtures.attestation(key: key).mint().record(id: "again"), ledger: ledger, at: Fixtures.now)
        let subject = LedgerSubject(.account, "carol")
        try await ledger.block(LedgerBlock(subject: subject, reason: "fraud", since: Fixtures.now, until: nil))
        #expect(try await codes(unnamed) == ["\(account) account-blocked"])
        #expect(try await codes(named) == ["\(account) account-blocked"])
        #expect(try await codes(again) == ["\(CheckID.appAttestAttestationAccount) account-blocked"])
        try await ledger.removeStanding(of: subject, by: nil, at: Fixtures.now)
        try await ledger.move(.appAttest(key.keyID), to: "bob", by: nil, at: Fixtures.now)
        #expect(try await codes(named) == ["\(account) key-of-another-account"])
        #expect(try await codes(unnamed) == [])
    }

    @Test("The key of one account cannot sign requests of another; a missing account is not a difference")
    func match() async throws {
        let verifier = try verifier()
        let key = AttestedKey()
        #expect(try await attest(verifier, key, of: "alice").failed == [])
        let foreign = try await assert(verifier, key, counter: 1, of: "bob")
        #expect(foreign.failed == [CheckID.appAttestAssertionAccount])
        #expect(foreign.code(CheckID.appAttestAssertionAccount) == "key-of-another-account")
        #expect(foreign.remedy == .newAttestation)
        // U+00E9 and e with U+0301 are different accounts.
        let accented = AttestedKey()
        #expect(try await attest(verifier, accented, of: "caf\u{E9}").failed == [])
        #expect(
            try await assert(verifier, accented, counter: 1, of: "cafe\u{301}").failed == [
                CheckID.appAttestAssertionAccount
            ])
        #expect(try await assert(verifier, key, counter: 1, of: "alice").failed == [])
        #expect(try await assert(verifier, key, counter: 2, of: nil).failed == [])
        let unbound = AttestedKey()
        #expect(try await attest(verifier, unbound, of: nil).failed == [])
        let remark = try await assert(verifier, unbound, counter: 1, of: "alice")
        #expect(remark.failed == [] && remark.code(CheckID.appAttestAssertionAccount) == "key-without-account")
        let ignoring = try self.verifier(Rule.none)
        #expect(try await assert(ignoring, key, counter: 3, of: "bob").failed == [])
    }

    @Test(
        "Under account: required, a request without an account, and a key without one, fail only the account check",
        .produces("app-attest.assertion.account", "key-without-account"))
    func required() async throws {
        let verifier = try verifier(.required)
        let (key, unbound) = (AttestedKey(), AttestedKey())
        let anonymous = try await attest(verifier, key, of: nil)
        #expect(anonymous.failed == [CheckID.appAttestAttestationAccount])
        #expect(anonymous.code(CheckID.appAttestAttestationAccount) == "account-missing")
        #expect(try await attest(verifier, key, of: "alice").failed == [])
        let missing = try await assert(verifier, key, counter: 1, of: nil)
        #expect(missing.failed == [CheckID.appAttestAssertionAccount])
        #expect(missing.code(CheckID.appAttestAssertionAccount) == "account-missing")
        #expect(try await attest(try self.verifier(), unbound, of: nil).failed == [])
        let without = try await assert(verifier, unbound, counter: 1, of: "alice")
        #expect(without.failed == [CheckID.appAttestAssertionAccount])
        #expect(without.code(CheckID.appAttestAssertionAccount) == "key-without-account")
        #expect(try await assert(verifier, key, counter: 1, of: "alice").failed == [])
    }

    @Test(
        "A blocked account fails only the account check, for every key, until the block is removed",
        .produces("app-attest.attestation.account", "account-blocked"),
        .produces("app-attest.assertion.account", "account-blocked"))
    func blocked() async throws {
        let verifier = try verifier()
        let key = AttestedKey()
        #expect(try await attest(verifier, key, of: "alice").failed == [])
        let alice = LedgerSubject(.account, "alice")
        try await ledger.block(LedgerBlock(subject: alice, reason: "fraud", since: Fixtures.now, until: nil))
        for verdict in [
            try await attest(verifier, AttestedKey(), of: "alice"),
            try await assert(verifier, key, counter: 1, of: "alice"),
        ] {
            #expect(verdict.failed.map(\.name).allSatisfy { $0.hasSuffix(".account") } && verdict.failed.count == 1)
            #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == "account-blocked")
            #expect(verdict.checks.first { $0.status == .failed }?.finding?.detail.contains("fraud") == true)
        }
        // Where the backend states no account, that of the key counts.
        #expect(try await assert(verifier, key, counter: 1, of: nil).failed == [CheckID.appAttestAssertionAccount])
        try await ledger.removeStanding(of: alice, by: "ops", at: Fixtures.now)
        #expect(try await assert(verifier, key, counter: 2, of: "alice").failed == [])
    }

    @Test(
        "A further attestation in the session of another account is refused; only an explicit move changes the account",
        .produces("app-attest.attestation.enrolment", "key-of-another-account"))
    func refreshOfAnother() async throws {
        let verifier = try verifier()
        let key = AttestedKey()
        #expect(try await attest(verifier, key, of: "alice").failed == [])
        let other = try await attest(verifier, key, of: "bob")
        #expect(other.failed == [CheckID.appAttestAttestationEnrolment])
        #expect(other.code(CheckID.appAttestAttestationEnrolment) == "key-of-another-account")
        try await ledger.move(.appAttest(key.keyID), to: "bob", by: "ops", at: Fixtures.now)
        #expect(try await attest(verifier, key, of: "bob").failed == [])
        #expect(try await assert(verifier, key, counter: 1, of: "alice").failed == [CheckID.appAttestAssertionAccount])
        #expect(try await assert(verifier, key, counter: 1, of: "bob").failed == [])
    }

    @Test(
        "Keys beyond maximumKeys are noted, refused, or replace the oldest",
        .produces("app-attest.attestation.enrolment", "oldest-keys-retired", "key-retired"),
        .produces("app-attest.assertion.counter", "key-retired"))
    func limits() async throws {
        let keys = (0..<4).map { _ in AttestedKey() }
        func attest(_ index: Int, _ excess: AccountKeyLimit.Excess, after seconds: Double = 0) async throws -> Verdict {
            try await self.attest(
                try verifier(limit: AccountKeyLimit(maximum: 2, excess: excess)), keys[index], of: "alice",
                at: Fixtures.now + seconds)
        }
        #expect(try await attest(0, .refuse).failed == [])
        #expect(try await attest(1, .refuse, after: 1).failed == [])
        let refused = try await attest(2, .refuse, after: 2)
        #expect(refused.failed == [CheckID.appAttestAttestationEnrolment])
        #expect(refused.code(CheckID.appAttestAttestationEnrolment) == "devices-exceeded")
        #expect(refused.remedy == .contactSupport)
        let noted = try await attest(2, .note, after: 2)
        #expect(noted.outcome == .accept && noted.annotated == [CheckID.appAttestAttestationEnrolment])
        #expect(noted.code(CheckID.appAttestAttestationEnrolment) == "devices-exceeded")
        let retiring = try await attest(3, .retireOldest, after: 3)
        #expect(retiring.failed == [] && retiring.code(CheckID.appAttestAttestationEnrolment) == "oldest-keys-retired")
        let judging = try verifier()
        for (index, code) in [(0, "key-retired"), (1, "key-retired"), (2, nil), (3, nil)] as [(Int, String?)] {
            let verdict = try await assert(judging, keys[index], counter: 1, of: "alice")
            #expect(verdict.failed == (code == nil ? [] : [CheckID.appAttestAssertionCounter]), "key \(index)")
            #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == code, "key \(index)")
        }
        let again = try await attest(0, .retireOldest, after: 4)
        #expect(again.code(CheckID.appAttestAttestationEnrolment) == "key-retired")
    }

    @Test(
        "An allowance excuses the policy checks that it names, for its subject, until it ends, and never a gate or a block"
    )
    func allowance() async throws {
        let verifier = try verifier(versions: VersionRules(minimum: DottedVersion("99")))
        let key = AttestedKey()
        func attest(_ device: AppAttestDevice, at now: Date = Fixtures.now, tampered: Bool = false) async throws
            -> Verdict
        {
            let minted = try Fixtures.attestation(key: key, device: device).mint()
            let input = AttestationInput(
                keyID: minted.keyID, attestation: minted.attestation,
                clientData: tampered ? .data([1]) : .data(Fixtures.challenge))
            return try await verifier.verify(input, account: "alice", at: now)
        }
        #expect(try await attest(.iOS27).failed == [CheckID.appAttestAttestationBundleVersion])
        for subject in [KeyIdentifier.appAttest(key.keyID).subject, LedgerSubject(.account, "alice")] {
            func allow(_ check: CheckID) async throws {
                try await ledger.allow(
                    LedgerAllowance(
                        subject: subject, checks: [check], reason: "pen test", since: Fixtures.now,
                        until: Fixtures.now + 60))
            }
            try await allow(CheckID.appAttestAttestationOSVersion)
            #expect(
                try await attest(.iOS27).failed == [CheckID.appAttestAttestationBundleVersion],
                "another check is not excused")
            try await allow(CheckID.appAttestAttestationNonce)
            #expect(
                try await attest(.iOS27, tampered: true).failed == [CheckID.appAttestAttestationNonce],
                "a gate is not excused")
            try await allow(CheckID.appAttestAttestationBundleVersion)
            #expect(
                try await attest(.iOS27, at: Fixtures.now + 60).failed == [CheckID.appAttestAttestationBundleVersion])
            let excused = try await attest(.iOS27)
            #expect(excused.outcome == .accept && excused.annotated.contains(.appAttestAttestationBundleVersion))
            #expect(excused.code(CheckID.appAttestAttestationBundleVersion) == "bundle-version-too-low")
            try await ledger.removeStanding(of: subject, by: nil, at: Fixtures.now)
        }
        try await ledger.allow(
            LedgerAllowance(
                subject: KeyIdentifier.appAttest(key.keyID).subject, checks: [CheckID.appAttestAttestationAccount],
                reason: "test",
                since: Fixtures.now, until: nil))
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "alice"), reason: "fraud", since: Fixtures.now, until: nil))
        #expect(try await attest(.iOS27).failed.contains(.appAttestAttestationAccount), "a block is not excused")
    }

    @Test("An account has 1 to 255 bytes; a receipt must come without one")
    func invalid() async throws {
        let verifier = try verifier()
        for (account, isAllowed) in [
            ("", false), ("a", true), (String(repeating: "\u{E9}", count: 127) + "a", true),
            (String(repeating: "\u{E9}", count: 128), false),
        ] {
            let code: String?
            do throws(VerificationError) {
                _ = try await verifier.verify(
                    AttestationInput(keyID: [1], attestation: [2], clientData: .data([3])), account: account,
                    at: Fixtures.now)
                code = nil
            } catch {
                guard case .request(let request) = error else { throw error }
                code = request.code
            }
            #expect(code == (isAllowed ? nil : "invalid-account"), "\(account.utf8.count) bytes")
        }
    }
}

extension Verdict {
    fileprivate func code(_ check: CheckID) -> String? { checks.first { $0.check == check }?.finding?.code }
}
