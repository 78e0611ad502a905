import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Versions of apps")
struct VersionTests {
    @Test(
        "A build that is too low, too high or withdrawn fails only bundle-version, in attestations and assertions",
        .produces("app-attest.attestation.bundle-version", "bundle-version-too-high", "bundle-version-withdrawn"),
        .produces("app-attest.assertion.bundle-version", "bundle-version-too-high", "bundle-version-withdrawn"),
        arguments: [
            ("1.2", "1.2.0", ["1.3"], nil), ("1.2.1", nil, [], "bundle-version-too-low"),
            (nil, "1.1.9", [], "bundle-version-too-high"), ("1", "2", ["1.1", "1.2.0"], "bundle-version-withdrawn"),
        ] as [(String?, String?, [String], String?)])
    func bundleVersions(_ minimum: String?, _ maximum: String?, _ withdrawn: [String], _ code: String?) async throws {
        let rules = VersionRules(
            minimum: minimum.flatMap { DottedVersion($0) }, maximum: maximum.flatMap { DottedVersion($0) },
            withdrawn: withdrawn.compactMap { DottedVersion($0) })
        let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        let lenient = try Fixtures.verifier(try Fixtures.configuration())
        let strict = try Fixtures.configuration(versions: rules)
        let key = AttestedKey()
        let attestation = AttestationBlueprint(
            authority: try Fixtures.authority.get(), key: key, appID: Fixtures.appID, device: .iOS27,
            extensions: extensions, clientData: .bytes(Fixtures.challenge), issuedAt: Fixtures.now)
        let input = Fixtures.input(try attestation.mint())
        let attested = try await Fixtures.verifier(strict).verify(input, at: Fixtures.now)
        #expect(attested.failed == (code == nil ? [] : [CheckID.appAttestAttestationBundleVersion]))
        #expect(attested.checks.first { $0.status == .failed }?.finding?.code == code)
        #expect(attested.remedy == (code == nil ? nil : .updateApp))

        let ledger = MemoryLedger()
        #expect(
            try await Verifier(policy: lenient.policy, ledger: ledger).verify(input, at: Fixtures.now).failed
                == [])
        let assertion = AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: 1, clientData: .bytes(Fixtures.challenge), extensions: extensions)
        let asserted = try await Fixtures.verifier(strict, ledger: ledger).verify(
            Fixtures.input(try assertion.mint()).input, at: Fixtures.now)
        #expect(asserted.failed == (code == nil ? [] : [CheckID.appAttestAssertionBundleVersion]))
        #expect(asserted.checks.first { $0.status == .failed }?.finding?.code == code)
    }
}
