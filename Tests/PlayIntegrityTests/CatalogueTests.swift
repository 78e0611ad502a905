import AppAttest
import Assay
import AssayCore
import PlayIntegrity
import Testing

/// Each kind of evidence has its checks and its challenge.
struct CatalogueTests {
    @Test("every check of a kind is in the catalogue, in its order")
    func order() {
        let order = PlayIntegrityEngine.catalogue.map(\.id)
        for checks in [PlayIntegrityCheck.classicChecks, PlayIntegrityCheck.standardChecks] {
            let places = checks.compactMap { order.firstIndex(of: $0) }
            #expect(places.count == checks.count)
            #expect(places == places.sorted())
        }
    }

    @Test("the ledger can issue challenges for classic tokens, and not for standard ones")
    func challenges() {
        #expect(Verifier.challengeKinds.contains(EvidenceKind.playIntegrityClassic))
        #expect(!Verifier.challengeKinds.contains(EvidenceKind.playIntegrityStandard))
        #expect(Verifier.challengeKinds.contains(EvidenceKind.appAttestAttestation))
    }
}
