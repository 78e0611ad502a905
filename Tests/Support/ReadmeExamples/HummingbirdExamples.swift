// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayHummingbird
import Hummingbird
import Logging

/// The Swift examples of AssayHummingbird.md. They are compiled but not run.
struct HummingbirdExamples {
    let verifier: Verifier
    let logger: Logger
    let live: LiveVerifier

    func block1() async throws {
        let live = try LiveVerifier(verifier, logger: logger)
        let options = EvidenceMiddlewareOptions(origins: try ServerOrigins("https://api.example.com"))

        let router = Router(context: BasicEvidenceRequestContext.self)
        try router.guardAllRoutes(with: EvidenceMiddleware(live, app: "shop-api", options: options))

        let application = Application(
            router: router,
            server: .http1(configuration: .init(additionalChannelHandlers: [RequestTargetGuard.handler()])),
            logger: logger)
        try await application.runService()
    }

    func block2() async throws {
        try live.enforcement.turn(to: .off, for: "shop-api", because: "INC-4711")
    }
}
