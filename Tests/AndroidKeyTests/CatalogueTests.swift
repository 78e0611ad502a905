import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Testing

/// Results have the order of the catalogue, and anchors are Google's.
@Suite("The catalogue of Android Key Attestation")
struct AndroidKeyCatalogueTests {
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
