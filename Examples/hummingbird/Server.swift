import Assay
import AssayHummingbird
import AssayLedgerSQLite
import Hummingbird
import Logging

struct Server {
    static func run() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "policy.yaml"
        let logger = Logger(label: "shop")
        let ledger = try SQLiteLedger.open(path: "ledger.sqlite")
        let verifier = Verifier(policy: try PolicyFile.load(path: path), ledger: ledger)
        let live = try ReloadableVerifier(verifier, logger: logger)
        let options = EvidenceMiddlewareOptions(origins: try ServerOrigins("https://api.example.com"))

        let router = Router(context: BasicEvidenceRequestContext.self)
        try router.guardAllRoutes(with: EvidenceMiddleware(live, app: "shop-api", options: options))
        router.get("stock") { _, context in
            "for device \(context.judged?.verdict?.approov?.deviceID ?? "unknown")\n"
        }
        // Reloads the policy file when it changes. `enforcement: off` in it is the emergency switch.
        let watch = PolicyWatch(path: path, verifier: live, logger: logger) { policy in
            Verifier(policy: policy, ledger: ledger)
        }
        let upkeep = VerifierUpkeep(live) { try await ledger.close() }  // after the last request
        // Refuses ambiguous request targets before Hummingbird normalises them.
        let application = Application(
            router: router,
            server: .http1(configuration: .init(additionalChannelHandlers: [RequestTargetGuard.handler()])),
            services: [upkeep, watch], logger: logger)
        try await application.runService()
    }
}
