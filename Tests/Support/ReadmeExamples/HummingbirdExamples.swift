// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayHummingbird
import Foundation
import Hummingbird
import Logging

/// The Swift examples of AssayHummingbird.md. They are compiled but not run.
struct HummingbirdExamples {
    let verifier: Verifier
    let logger: Logger
    let live: ReloadableVerifier

    func block1() async throws {
        let live = try ReloadableVerifier(verifier, logger: logger)
        let options = EvidenceMiddlewareOptions(origins: try ServerOrigins("https://api.example.com"))

        let router = Router(context: BasicEvidenceRequestContext.self)
        try router.guardAllRoutes(with: EvidenceMiddleware(live, app: "shop-api", options: options))

        let application = Application(
            router: router,
            server: .http1(configuration: .init(additionalChannelHandlers: [RequestTargetGuard.handler()])),
            logger: logger)
        try await application.runService()
    }

    func addRoutes(to router: Router<BasicEvidenceRequestContext>, live: ReloadableVerifier) {
        router.post("challenges") { _, _ in
            try await live.verifier.issueChallenge(app: "shop-ios", for: .appAttestAttestation, at: Date()).text
        }
        router.post("keys") { request, context in
            let evidence = try await request.decode(as: NewKey.self, context: context)
            let input = AttestationInput(
                keyID: evidence.keyID, attestation: evidence.attestation,
                clientData: .data(Array(evidence.challenge.utf8)))
            let verdict = try await live.verifier.verify(input, app: "shop-ios", at: Date())
            return verdict.outcome == .accept ? HTTPResponse.Status.created : .forbidden
        }
    }

    struct NewKey: Decodable {
        let keyID: Data
        let attestation: Data
        let challenge: String
    }

    func block2() async throws {
        try live.enforcement.turn(to: .off, for: "shop-api", because: "INC-4711")
    }
}
