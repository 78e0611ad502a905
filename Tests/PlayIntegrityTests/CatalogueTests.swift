import AppAttest
import Assay
import AssayCore
import PlayIntegrity
import Testing

/// Names of checks are API.
struct CatalogueTests {
    @Test("the checks are those of the published table, in its order, each explained once")
    func names() {
        let names = [
            "request.decode", "request.components", "request.freshness", "request.content-digest", "decode",
            "decryption", "signature", "payload", "request-package", "nonce", "request-hash", "freshness",
            "testing-response", "app-recognition", "app-package", "certificate", "version-code", "device-recognition",
            "sdk-version", "device-activity", "device-recall", "licensing", "play-protect", "app-access-risk",
            "location-spoofing", "pc-integrity", "account", "challenge",
        ]
        #expect(PlayIntegrityEngine.catalogue.map(\.id.name) == names.map { "play-integrity.\($0)" })
        for check in PlayIntegrityEngine.catalogue {
            for text in [check.proves, check.stops, check.lookAt, check.source] { #expect(text.count > 10) }
        }
    }

    @Test("gates are gates, and only signals that no security requirement demands are annotated by default")
    func kinds() {
        for definition in PlayIntegrityEngine.catalogue {
            let short = definition.id.name.dropFirst("play-integrity.".count)
            let index = PlayIntegrityEngine.catalogue.firstIndex { $0.id == definition.id } ?? 0
            switch short {
            case "challenge": #expect(definition.kind == .ledger)
            case "licensing", "play-protect", "app-access-risk", "location-spoofing":
                #expect(definition.kind == .policy(default: .annotate))
            default: #expect(definition.kind == (index < 13 ? .gate : .policy(default: .enforce)))
            }
        }
    }

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
