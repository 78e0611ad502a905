import AppAttest
import Assay
import AssayHTTPSignatures
import AssayPrimitives
import Foundation
import Testing

/// Names of checks are API, and the trust anchors are Apple's.
struct CatalogueTests {
    @Test("the checks of each kind are those of the published tables, in their order")
    func names() {
        let attestation = [
            "decode", "chain", "public-key", "nonce", "key-id", "credential-id", "app-id", "environment", "counter",
            "receipt", "validation-category", "bundle-version", "os-version", "platform", "account", "challenge",
            "enrolment",
        ]
        #expect(AttestationCheck.catalogue.map(\.id.name) == attestation.map { "app-attest.attestation.\($0)" })
        let request = ["decode", "components", "freshness", "content-digest"]
        #expect(AppAttestRequest.checks.catalogue.map(\.id.name) == request.map { "app-attest.request.\($0)" })
        let assertion = [
            "decode", "key", "signature", "app-id", "client-data", "validation-category", "bundle-version", "key-state",
            "risk-metric",
            "account", "challenge", "counter",
        ]
        #expect(AssertionCheck.catalogue.map(\.id.name) == assertion.map { "app-attest.assertion.\($0)" })
        let receipt = [
            "decode", "signature", "chain", "app-id", "public-key", "environment", "freshness", "risk-metric",
        ]
        #expect(ReceiptCheck.catalogue.map(\.id.name) == receipt.map { "app-attest.receipt.\($0)" })
        let all = AppAttestEngine.catalogue
        let kinds = [
            AttestationCheck.catalogue, AppAttestRequest.checks.catalogue, AssertionCheck.catalogue,
            ReceiptCheck.catalogue,
        ]
        #expect(all.map(\.id) == kinds.joined().map(\.id))
        for check in all {
            for text in [check.proves, check.stops, check.lookAt, check.source] { #expect(text.count > 10) }
        }
    }

    @Test("the compiled-in roots are Apple's, by their SHA-256")
    func roots() {
        let digests = [
            (AppleRoots.appAttestation, "1CB9823BA28BA6AD2D33A006941DE2AE4F513EF1D4E831B9F7E0FA7B6242C932"),
            (AppleRoots.appleRootG3, "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179"),
        ]
        for (certificates, expected) in digests {
            #expect(certificates.count == 1)
            let digest = certificates.first.map { Digest.sha256(Array($0.der)) } ?? []
            #expect(digest.map { String(format: "%02X", $0) }.joined() == expected)
        }
    }
}
