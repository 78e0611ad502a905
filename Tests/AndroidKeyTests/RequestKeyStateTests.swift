import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Keys of requests after the policy, or an operator, has changed its mind.
@Suite("The state of a request's key")
struct AndroidKeyRequestKeyStateTests {
    @Test(
        "A key that was enrolled under a laxer policy does not pass under a stricter one",
        .produces("android-key.request.key-state", "attestation-tolerated"))
    func toleratedAttestation() async throws {
        struct Case {
            let check: CheckID
            let code: String
            let change: (inout AndroidKeyAttestationBlueprint) -> Void
        }
        func root(locked: UInt8, _ state: UInt8) -> AuthorizationValue {
            let root = RootOfTrustBlueprint(
                verifiedBootKey: [UInt8](repeating: 9, count: 32), deviceLocked: locked, verifiedBootState: state,
                verifiedBootHash: nil)
            return .encoded(root.encoded)
        }
        let cases = [
            Case(check: CheckID.androidKeyAttestationApplication, code: "package-not-allowed") {
                let other = ApplicationIDBlueprint(
                    packages: [.init("com.example.other", version: 42)], digests: [Fixtures.digest])
                $0.description.softwareEnforced[.attestationApplicationID] = .octets(other.encoded)
            },
            Case(check: CheckID.androidKeyAttestationRootOfTrust, code: "boot-state-not-allowed") {
                $0.description.hardwareEnforced[.rootOfTrust] = root(locked: 0, 0)
            },
            Case(check: CheckID.androidKeyAttestationRootOfTrust, code: "boot-state-not-allowed") {
                $0.description.hardwareEnforced[.rootOfTrust] = root(locked: 0xFF, 2)
            },
            Case(check: CheckID.androidKeyAttestationRootOfTrust, code: "boot-state-not-allowed") {
                $0.description.hardwareEnforced[.rootOfTrust] = nil
            },
            Case(check: CheckID.androidKeyAttestationOrigin, code: "attestation-tolerated") {
                $0.description.hardwareEnforced[.origin] = .integer(2)
            },
        ]
        for (index, example) in cases.enumerated() {
            let ledger = MemoryLedger()
            var blueprint = try Fixtures.blueprint(.factory, label: "tolerated \(index)")
            example.change(&blueprint)
            let strict = try Self.verifier([:], ledger)
            let noting = try Self.verifier([example.check: .annotate], ledger)
            let input = try blueprint.mint().input
            #expect(try await strict.verify(input, at: Fixtures.time).outcome == .reject)
            #expect(try await noting.verify(input, at: Fixtures.time).outcome == .accept)
            let request = try AndroidKeyRequestTests.Draft().signed(by: blueprint.key)
            let refused = try await strict.verifyAndroidKeyRequest(request, at: Fixtures.time)
            #expect(outcome(refused) == "key-state \(example.code)", "\(example.check)")
            #expect(refused.remedy == .newAttestation)
            // As long as the policy only notes the failure of attestations, it notes that of requests.
            let noted = try await noting.verifyAndroidKeyRequest(request, at: Fixtures.time)
            #expect(outcome(noted) == "accept", "\(example.check)")
            #expect(noted.checks.first { $0.check == CheckID.androidKeyRequestKeyState }?.status == .annotated)
            // And as long as an operator allows the key, in spite of the check.
            try await ledger.allow(
                LedgerAllowance(
                    subject: KeyIdentifier.androidKey(blueprint.key.keyID).subject, checks: [example.check],
                    reason: "test", since: Fixtures.time, until: nil))
            var second = AndroidKeyRequestTests.Draft()
            second.nonce = "c2Vjb25k"
            let allowed = try await strict.verifyAndroidKeyRequest(second.signed(by: blueprint.key), at: Fixtures.time)
            #expect(outcome(allowed) == "accept", "\(example.check)")
        }
    }

    private static func verifier(_ modes: [CheckID: CheckMode], _ ledger: any Ledger) throws -> Verifier {
        let certificates = try Fixtures.authority.get().rootCertificates.map { try Certificate(der: $0[...]) }
        let configuration = try AndroidKeyConfiguration(
            packages: [Fixtures.package], certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none
        ) {
            $0.requests = RequestRules()
            $0.testRoots = certificates
        }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], modes: modes, catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger)
    }

    @Test("No mode of key-state lifts a block", arguments: [CheckMode.annotate, .off])
    func blockedWithoutKeyState(mode: CheckMode) async throws {
        let ledger = MemoryLedger()
        let blueprint = try Fixtures.blueprint()
        let key = blueprint.key
        let verifier = try Self.verifier([.androidKeyRequestKeyState: mode], ledger)
        let enrolled = try await verifier.verify(blueprint.mint().input, at: Fixtures.time)
        try #require(enrolled.outcome == .accept)
        try await ledger.block(
            LedgerBlock(
                subject: KeyIdentifier.androidKey(key.keyID).subject, reason: "test", since: Fixtures.time, until: nil))
        let verdict = try await verifier.verifyAndroidKeyRequest(
            AndroidKeyRequestTests.Draft().signed(by: key), at: Fixtures.time)
        #expect(outcome(verdict) == "key blocked")
        #expect(verdict.remedy == .contactSupport)
    }

    /// The first failed check with its code, without the kind; `accept` for none.
    private func outcome(_ verdict: Verdict) -> String {
        AndroidKeyTests.outcome(verdict).replacing("android-key.request.", with: "")
    }
}
