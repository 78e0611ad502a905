import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The life of a key: enrolled once, used with an advancing counter, blocked, and bound to its app and authority.
struct KeyTests {
    private func attest(_ verifier: Verifier, _ key: AttestedKey) async throws -> Verdict {
        try await verifier.verify(
            Fixtures.input(try Fixtures.attestation(key: key).mint()), at: Fixtures.now)
    }

    private func assert(_ verifier: Verifier, _ key: AttestedKey, counter: UInt32) async throws -> Verdict {
        let minted = try AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: counter, clientData: .bytes(Fixtures.challenge)
        ).mint()
        return try await verifier.verify(Fixtures.input(minted).input, at: Fixtures.now)
    }

    @Test("a key is enrolled once, and its counter advances")
    func life() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration())
        let key = AttestedKey()
        #expect(try await assert(verifier, key, counter: 1).failed == [CheckID.appAttestAssertionKey])
        #expect(try await attest(verifier, key).failed == [])
        #expect(try await attest(verifier, key).failed == [CheckID.appAttestAttestationEnrolment])
        for (counter, failed) in [
            (UInt32(1), []), (1, [CheckID.appAttestAssertionCounter]), (0, [CheckID.appAttestAssertionCounter]),
            (0x8000_0000, []),
            (0x7FFF_FFFF, [CheckID.appAttestAssertionCounter]), (UInt32.max, []),
            (UInt32.max, [CheckID.appAttestAssertionCounter]),
        ] {
            #expect(try await assert(verifier, key, counter: counter).failed == failed, "counter \(counter)")
        }
    }

    @Test(
        "a key that is attested again with a new challenge has its facts updated, and keeps its counter",
        .produces("app-attest.attestation.enrolment", "key-refreshed"))
    func refreshed() async throws {
        let ledger = MemoryLedger()
        let configuration = try Fixtures.configuration(challenge: .ledger)
        let verifier = try Fixtures.verifier(configuration, ledger: ledger)
        let key = AttestedKey()
        func attest(_ device: AppAttestDevice) async throws -> (Verdict, AttestationInput) {
            let challenge = try await verifier.issueChallenge(
                app: "shop", for: .appAttestAttestation, at: Fixtures.now)
            let minted = try AttestationBlueprint(
                authority: try Fixtures.authority.get(), key: key, appID: Fixtures.appID, device: device,
                clientData: .bytes(challenge.value), issuedAt: Fixtures.now
            ).mint()
            let input = Fixtures.input(minted)
            return (try await verifier.verify(input, at: Fixtures.now), input)
        }
        let (first, captured) = try await attest(.iOS26)
        #expect(first.failed == [] && first.enrolment?.finding == nil)
        let asserting = try Fixtures.verifier(try Fixtures.configuration(), ledger: ledger)
        #expect(try await assert(asserting, key, counter: 7).failed == [])
        let (second, _) = try await attest(.iOS27)
        #expect(second.failed == [] && second.enrolment?.finding?.code == "key-refreshed")
        let stored = try #require(try await ledger.enrolledKey(.appAttest(key.keyID)))
        #expect(stored.counter == 7 && stored.properties["osVersion"]?.hasPrefix("27") == true)
        #expect(try await assert(asserting, key, counter: 7).failed == [CheckID.appAttestAssertionCounter])
        // The challenge of the captured attestation is consumed.
        #expect(
            try await verifier.verify(captured, at: Fixtures.now).failed == [CheckID.appAttestAttestationChallenge])
        let subject = KeyIdentifier.appAttest(key.keyID).subject
        try await ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: Fixtures.now, until: nil))
        #expect(try await attest(.iOS27).0.enrolment?.finding?.code == "blocked")
    }

    @Test(
        "a further attestation fails only enrolment if it is for another app or App ID, or if the policy says refuse",
        .produces("app-attest.attestation.enrolment", "key-of-another-app", "key-property-differs"))
    func notRefreshed() async throws {
        let ledger = MemoryLedger()
        let other = "1234567890.com.example.other"
        let key = AttestedKey()
        func attest(_ app: String, _ appID: String, _ rule: AppAttestConfiguration.Reattestation) async throws
            -> Verdict
        {
            let configuration = try Fixtures.configuration(reattestation: rule, appIDs: [Fixtures.appID, other])
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: app, configuration)], catalogue: Verifier.catalogue)
            let minted = try AttestationBlueprint(
                authority: try Fixtures.authority.get(), key: key, appID: appID, device: .iOS26,
                clientData: .bytes(Fixtures.challenge), issuedAt: Fixtures.now
            ).mint()
            return try await Verifier(policy: policy, ledger: ledger).verify(
                Fixtures.input(minted), at: Fixtures.now)
        }
        #expect(try await attest("shop", Fixtures.appID, .refresh).failed == [])
        #expect(try await attest("shop", Fixtures.appID, .refresh).failed == [])
        for (app, appID, rule, code) in [
            ("shop", Fixtures.appID, .refuse, "key-enrolled"), ("bank", Fixtures.appID, .refresh, "key-of-another-app"),
            ("shop", other, .refresh, "key-property-differs"),
        ] as [(String, String, AppAttestConfiguration.Reattestation, String)] {
            let verdict = try await attest(app, appID, rule)
            #expect(verdict.failed == [CheckID.appAttestAttestationEnrolment])
            #expect(verdict.enrolment?.finding?.code == code)
        }
    }

    @Test(
        "a key serves no app whose name has another spelling",
        .produces("app-attest.assertion.key", "key-of-another-app"))
    func spelling() async throws {
        let (ledger, key) = (MemoryLedger(), AttestedKey())
        for (app, failed) in [("caf\u{E9}", []), ("cafe\u{301}", [CheckID.appAttestAssertionKey])] {
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: app, try Fixtures.configuration())], catalogue: Verifier.catalogue)
            let verifier = Verifier(policy: policy, ledger: ledger)
            if failed.isEmpty { #expect(try await attest(verifier, key).failed == []) }
            #expect(try await assert(verifier, key, counter: failed.isEmpty ? 1 : 2).failed == failed)
        }
    }

    @Test("with a window, each of several reordered assertions passes once")
    func window() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration(counter: .window(4)))
        let key = AttestedKey()
        #expect(try await attest(verifier, key).failed == [])
        for (counter, code) in [
            (2, nil), (1, nil), (1, "counter-used"), (9, nil), (5, nil), (4, "counter-behind-window"),
            (9, "counter-used"),
        ] as [(UInt32, String?)] {
            let verdict = try await assert(verifier, key, counter: counter)
            #expect(verdict.failed == (code == nil ? [] : [CheckID.appAttestAssertionCounter]), "counter \(counter)")
            #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == code, "counter \(counter)")
        }
    }

    @Test(
        "a blocked key fails only key-state, and passes again after it is allowed",
        .produces("app-attest.assertion.key-state", "blocked"))
    func blocked() async throws {
        let ledger = MemoryLedger()
        let verifier = try Fixtures.verifier(try Fixtures.configuration(), ledger: ledger)
        let key = AttestedKey()
        #expect(try await attest(verifier, key).failed == [])
        let subject = KeyIdentifier.appAttest(key.keyID).subject
        try await ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: Fixtures.now, until: nil))
        let verdict = try await assert(verifier, key, counter: 1)
        #expect(verdict.failed == [CheckID.appAttestAssertionKeyState])
        #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == "blocked")
        try await ledger.removeStanding(of: subject, by: "ops", at: Date(timeIntervalSince1970: 1_776_795_192))
        #expect(try await assert(verifier, key, counter: 1).failed == [])
    }

    @Test(
        "with key-state off, a block still fails the counter check",
        .produces("app-attest.assertion.counter", "blocked"))
    func blockedWithoutCheck() async throws {
        let ledger = MemoryLedger()
        let verifier = try Fixtures.verifier(
            try Fixtures.configuration(), modes: [.appAttestAssertionKeyState: .off], ledger: ledger)
        let key = AttestedKey()
        #expect(try await attest(verifier, key).failed == [])
        let subject = KeyIdentifier.appAttest(key.keyID).subject
        try await ledger.block(LedgerBlock(subject: subject, reason: "abuse", since: Fixtures.now, until: nil))
        let verdict = try await assert(verifier, key, counter: 1)
        #expect(verdict.failed == [CheckID.appAttestAssertionCounter])
        #expect(verdict.checks.first { $0.status == .failed }?.finding?.code == "blocked")
    }

    @Test(
        "a key that a test authority certified is rejected where that authority is not trusted",
        .produces("app-attest.assertion.key", "key-of-another-authority"))
    func testAuthority() async throws {
        let ledger = MemoryLedger()
        let key = AttestedKey()
        let trusting = try Fixtures.verifier(try Fixtures.configuration(), ledger: ledger)
        let accepted = try await attest(trusting, key)
        #expect(accepted.outcome == .accept && accepted.testAuthority != nil)
        let asserted = try await assert(trusting, key, counter: 1)
        #expect(asserted.outcome == .accept && asserted.testAuthority != nil)

        let other = try Fixtures.verifier(try Fixtures.configuration(isTest: false), ledger: ledger)
        let foreign = try await assert(other, key, counter: 2)
        #expect(foreign.failed == [CheckID.appAttestAssertionKey])
        #expect(foreign.checks.first { $0.status == .failed }?.finding?.code == "key-of-another-authority")
        #expect(try await attest(other, AttestedKey()).failed == [CheckID.appAttestAttestationChain])
    }

    @Test("two test authorities with the same name are different authorities")
    func authoritiesOfOneName() async throws {
        let ledger = MemoryLedger()
        let key = AttestedKey()
        let verifier = try Fixtures.verifier(try Fixtures.configuration(), ledger: ledger)
        #expect(try await attest(verifier, key).failed == [])
        let namesake = try TestAuthority(seed: "namesake", notBefore: Fixtures.now.addingTimeInterval(-86400))
        let roots = try PEM.certificates(in: Array(namesake.rootPEM.utf8))
        let other = try AppAttestConfiguration(
            appIDs: [Fixtures.appID], environments: [.production], challenge: .caller, clientData: .none
        ) { $0.testRoots = roots }
        let trustingTheOther = try Fixtures.verifier(other, ledger: ledger)
        #expect(try await assert(trustingTheOther, key, counter: 1).failed == [CheckID.appAttestAssertionKey])
    }

    @Test(
        "repeated lookups of an enrolled key give the same verdict; each key uses its own bytes",
        .produces("app-attest.assertion.key", "key-malformed"))
    func enrolledAgain() async throws {
        let ledger = MemoryLedger()
        let verifier = try Fixtures.verifier(try Fixtures.configuration(isTest: false), ledger: ledger)
        let (good, broken, confused) = (AttestedKey(), AttestedKey(), AttestedKey())
        for (key, publicKey) in [
            (good, good.publicPoint), (broken, [UInt8](repeating: 4, count: 65)), (confused, good.publicPoint),
        ] {
            let enrolled = EnrolledKey(
                identifier: .appAttest(key.keyID), app: "shop", publicKey: publicKey, counter: 0,
                enrolledAt: Fixtures.now, properties: [:])
            let effect = LedgerEffect(.appAttestAttestationEnrolment, .enrol(enrolled))
            #expect(try await ledger.commit([effect], at: Fixtures.now).isApplied)
        }
        for counter in [UInt32(1), 2, 3] {
            #expect(try await assert(verifier, good, counter: counter).failed == [])
            let verdict = try await assert(verifier, broken, counter: counter)
            #expect(verdict.failed == [CheckID.appAttestAssertionKey])
            #expect(
                verdict.checks.first { $0.check == CheckID.appAttestAssertionKey }?.finding?.code == "key-malformed")
            #expect(
                try await assert(verifier, confused, counter: counter).failed == [CheckID.appAttestAssertionSignature])
        }
    }

    @Test("a supplied key works repeatedly, and the verdict reports that no ledger vouches for it")
    func suppliedAgain() async throws {
        for isTest in [false, true] {
            let verifier = try Fixtures.verifier(try Fixtures.configuration(isTest: isTest))
            let key = AttestedKey()
            for (counter, failed) in [(UInt32(1), []), (2, []), (2, [CheckID.appAttestAssertionCounter])] {
                let minted = try AssertionBlueprint(
                    key: key, appID: Fixtures.appID, counter: counter, clientData: .bytes(Fixtures.challenge)
                ).mint()
                let (input, supplied) = Fixtures.input(minted)
                let verdict = try await verifier.verify(input, suppliedKey: supplied, at: Fixtures.now)
                #expect(verdict.failed == failed)
                if counter == 1 {
                    #expect(
                        verdict.checks.first { $0.check == CheckID.appAttestAssertionKey }?.finding?.code
                            == "key-supplied")
                }
            }
        }
    }

    @Test("the environment that a key was enrolled in must still be allowed")
    func environment() async throws {
        let ledger = MemoryLedger()
        let key = AttestedKey()
        let both = try Fixtures.verifier(
            try Fixtures.configuration(environments: [.production, .development]), ledger: ledger)
        #expect(try await attest(both, key).failed == [])
        let narrowed = try Fixtures.verifier(try Fixtures.configuration(environments: [.development]), ledger: ledger)
        #expect(try await assert(narrowed, key, counter: 1).failed == [CheckID.appAttestAssertionKeyState])
    }

    @Test(
        "a supplied key is used only with an ephemeral ledger, and never in place of an enrolled key",
        .produces("app-attest.assertion.key", "key-differs", "key-not-enrolled", "key-of-another-app"))
    func supplied() throws {
        let key = AttestedKey()
        let minted = try AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: 1, clientData: .bytes(Fixtures.challenge)
        ).mint()
        let (input, supplied) = Fixtures.input(minted)
        let other = AssertionKeys.Supplied(publicKey: AttestedKey().publicPoint, counter: 0)
        let expectations = Fixtures.expectations(try Fixtures.configuration(isTest: false))
        let enrolled = EnrolledKey(
            identifier: KeyIdentifier.appAttest(key.keyID), app: "shop",
            publicKey: key.publicPoint, counter: 0, enrolledAt: Fixtures.now, properties: [:])
        let elsewhere = EnrolledKey(
            identifier: enrolled.identifier, app: "another", publicKey: key.publicPoint, counter: 0,
            enrolledAt: Fixtures.now, properties: [:])
        let cases: [(EnrolledKey?, AssertionKeys.Supplied?, LedgerDurability, code: String?)] = [
            (nil, supplied, .ephemeral, nil),
            (nil, supplied, .durable, "key-not-enrolled"),
            (nil, other, .ephemeral, "key-id-differs"),
            (nil, nil, .ephemeral, "key-unknown"),
            (enrolled, nil, .durable, nil),
            (enrolled, supplied, .durable, nil),
            (enrolled, other, .durable, "key-differs"),
            (enrolled, other, .ephemeral, "key-differs"),
            (elsewhere, nil, .durable, "key-of-another-app"),
        ]
        for (index, (enrolled, supplied, durability, code)) in cases.enumerated() {
            let keys = AssertionKeys(enrolled: enrolled, supplied: supplied, durability: durability, blocks: [])
            let assessment = AssertionAssessor.assess(input, keys: keys, expectations: expectations, now: Fixtures.now)
            #expect(assessment.failed == (code == nil ? [] : [CheckID.appAttestAssertionKey]), "case \(index)")
            #expect(assessment.checks.first { $0.status == .failed }?.finding?.code == code, "case \(index)")
        }
    }

    @Test("one of many simultaneous presentations of an assertion is accepted")
    func simultaneous() async throws {
        let verifier = try Fixtures.verifier(try Fixtures.configuration())
        let key = AttestedKey()
        #expect(try await attest(verifier, key).failed == [])
        let minted = try AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: 1, clientData: .bytes(Fixtures.challenge)
        ).mint()
        let input = Fixtures.input(minted).input
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { try await verifier.verify(input, at: Fixtures.now).outcome == .accept }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
    }
}

extension Verdict {
    fileprivate var enrolment: CheckResult? { checks.first { $0.check == CheckID.appAttestAttestationEnrolment } }
}
