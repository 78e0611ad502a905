import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Testing

/// Names are API, and anchors are Google's.
@Suite("The catalogue of Android Key Attestation")
struct AndroidKeyCatalogueTests {
    @Test("the checks are those of the published table, in its order, each explained once")
    func names() {
        let names = [
            "decode", "chain", "target", "extension", "public-key", "challenge-binding", "security-level", "version",
            "root-of-trust", "os-version", "patch-level", "application", "origin", "purpose", "key-scope",
            "user-authentication", "rollback-resistance", "creation-time", "device-identity", "provisioning",
            "consistency", "revocation", "account", "challenge", "enrolment",
        ]
        let catalogue = KeyAttestationCheck.catalogue
        #expect(catalogue.map(\.id.name) == names.map { "android-key.attestation.\($0)" })
        for (index, check) in catalogue.enumerated() {
            for text in [check.proves, check.stops, check.lookAt, check.source] { #expect(text.count > 10) }
            #expect(!check.codes.isEmpty)
            let mode: CheckMode = check.id == KeyAttestationCheck.consistency ? .annotate : .enforce
            #expect(check.kind == (index < 7 ? .gate : index < 23 ? .policy(default: mode) : .ledger))
        }
    }

    @Test("every result of an accepted attestation stands in the order of the catalogue")
    func order() async throws {
        let verdict = try await judge()
        #expect(verdict.checks.map(\.check) == KeyAttestationCheck.catalogue.map(\.id))
        let rejected = try await judge { $0.changeCertificates = { _ in [] } }
        #expect(rejected.checks.map(\.check) == KeyAttestationCheck.catalogue.map(\.id))
        let forged = try await judge { $0.description.attestationChallenge = [] }
        #expect(forged.checks.map(\.check) == KeyAttestationCheck.catalogue.map(\.id))
    }

    @Test("the compiled-in roots are Google's, by the SHA-256 of their keys")
    func roots() {
        #expect(
            AndroidKeyEngine.rootKeyDigests == [
                "feb2ea7551ee316ed4bb443c8293b884dbfdea40b603ee3e4f4a897e4580fbae",
                "3ee44512a1af2beb39c889490c60ea3f82e43f5d5a5532f5ab9419f676cd07ec",
            ])
    }
}
