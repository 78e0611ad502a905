import Assay
import AssayCore
import AssayTestSupport
import Foundation
import Testing

/// Checks have constants, so that a misspelt name does not compile, and entries that say what they prove.
@Suite("The catalogue of checks")
struct CheckCatalogueTests {
    /// The constants as declared: `appAttestAssertionCounter`, and the name in it.
    private static func constants() throws -> [(constant: String, check: String)] {
        let folder = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        return try names.filter { $0.hasSuffix(".swift") }.flatMap { name in
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
                .matches(of: /public static let (\w+) = CheckID\("([^"]+)"\)/).map { (String($0.1), String($0.2)) }
        }
    }

    @Test("Each check of each engine has one constant, named like the check")
    func constants() throws {
        let constants = try Self.constants()
        #expect(constants.map(\.check).sorted() == Verifier.catalogue.map(\.id.name).sorted())
        for (constant, check) in constants {
            #expect(constant.lowercased() == check.filter { $0 != "." && $0 != "-" }, "\(check)")
        }
        #expect(CheckID.appAttestAssertionCounter == "app-attest.assertion.counter")
        #expect(CheckID.playIntegrityPCIntegrity == "play-integrity.pc-integrity")
    }

    @Test("A constant leads to what the check proves, to its default and to the remedy of a code")
    func entries() throws {
        #expect(CheckCatalogue.checks.map(\.id) == Verifier.catalogue.map(\.id))
        let counter = try #require(CheckCatalogue.entry(of: .appAttestAssertionCounter))
        #expect(counter.defaultMode == nil && counter.proves.contains("counter"))
        #expect(counter.remedy(for: CheckCode.counterNotSuccessor.name) == .newAttestation)
        #expect(counter.codes.contains(.counterNotIncreasing))
        #expect(CheckCatalogue.entry(of: .playIntegrityLicensing)?.defaultMode == .annotate)
        #expect(CheckCatalogue.entry(of: .approovTokenAddress)?.defaultMode == .annotate)
        #expect(CheckCatalogue.entry(of: .playIntegrityDecode)?.defaultMode == nil)
        #expect(CheckCatalogue.entry(of: "app-attest.assertion.count") == nil)
    }

    @Test("Codes that a backend acts on are constants of their engines, and codes of the checks that fail with them")
    func codes() {
        let table: [(CheckID, CheckCode, String)] = [
            (.appAttestAssertionKey, .appAttestKeyNotEnrolled, "key-not-enrolled"),
            (.appAttestAssertionRiskMetric, .appAttestKeyRiskTooHigh, "key-risk-too-high"),
            (.appAttestAttestationOSVersion, .appAttestOSVersionTooLow, "os-version-too-low"),
            (.appAttestAttestationCertificateAge, .appAttestCertificateTooOld, "certificate-too-old"),
            (.appAttestAttestationBundleVersion, .appAttestBundleVersionTooLow, "bundle-version-too-low"),
            (.androidKeyRequestKey, .androidKeyNotEnrolled, "key-not-enrolled"),
            (.androidKeyRequestKeyState, .androidKeyAttestationTooOld, "attestation-too-old"),
            (.androidKeyAttestationOSVersion, .androidKeyOSVersionTooLow, "os-version-too-low"),
            (.androidKeyAttestationApplication, .androidKeyVersionCodeTooLow, "version-code-too-low"),
            (.playIntegrityVersionCode, .playIntegrityVersionCodeTooLow, "version-code-too-low"),
            (.playIntegrityLicensing, .playIntegrityLicensingNotAllowed, "licensing-not-allowed"),
            (.playIntegrityDeviceRecognition, .playIntegrityDeviceLabelMissing, "device-label-missing"),
            (.approovTokenExpiry, .approovTokenExpired, "expired"),
            (.approovTokenAnnotations, .approovAnnotationsRejected, "annotations-rejected"),
            (.assayTokenExpiry, .assayTokenExpired, "token-expired"),
        ]
        for (check, code, name) in table {
            #expect(code.name == name)
            #expect(CheckCatalogue.entry(of: check)?.codes.contains(code) == true, "\(check) \(code)")
        }
    }

    @Test("A verdict has the result of a check by its constant, and the result its code")
    func results() async throws {
        let verifier = try Verifier(policy: Fixtures.policy(), ledger: MemoryLedger())
        let input = Fixtures.input(try Fixtures.attestation())
        #expect(try await verifier.verify(input, at: Fixtures.time).outcome == .accept)
        let again = try await verifier.verify(input, at: Fixtures.time)
        #expect(again.failed.contains(.appAttestAttestationEnrolment))
        #expect(again.check(.appAttestAttestationEnrolment)?.has(.keyEnrolled) == true)
        #expect(again.check(.appAttestAttestationEnrolment)?.has(.blocked) == false)
        #expect(again.check(.appAttestAttestationChain)?.has(.keyEnrolled) == false)
        #expect(again.check(.appAttestAssertionCounter) == nil)
    }
}
