import Approov
import AssayCore
import Testing

/// Names of checks are API.
struct CatalogueTests {
    @Test("the checks are those of the published table, in its order, each explained")
    func names() {
        let names = [
            "token.decode", "token.key", "token.signature", "token.decryption", "token.claims", "token.expiry",
            "token.binding", "token.tampering", "token.issuer", "token.audience", "token.failover", "token.annotations",
            "token.device", "token.account", "token.address", "message.decode", "message.key", "message.components",
            "message.signature",
            "message.freshness", "message.content-digest", "message.replay", "text.decode", "text.key", "text.token",
            "text.signature", "text.replay", "proof.sealed", "proof.measurement", "proof.challenge",
        ]
        #expect(ApproovEngine.catalogue.map(\.id.name) == names.map { "approov.\($0)" })
        for check in ApproovEngine.catalogue {
            for text in [check.proves, check.stops, check.lookAt] { #expect(text.count > 10) }
            #expect(!check.source.isEmpty)
        }
    }
}
