import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTesting
import Foundation
import Hummingbird
import Logging

/// Serves one short answer on a free port, with the check of Approov tokens (`--check`) or without. Prints the port and
/// a token that is valid for an hour. `POST /echo` answers with the body.
///
/// `--messages LIMIT NOW SECRET` serves signed messages instead: bodies of up to LIMIT bytes, judged at NOW (seconds
/// since 1970), with tokens under SECRET (base64).
@main struct HTTPBenchmarkServer {
    private static let secret = [UInt8](repeating: 0x42, count: 64)

    static func main() async throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        let router = Router(context: BasicEvidenceRequestContext.self)
        if let index = CommandLine.arguments.firstIndex(of: "--messages") {
            router.add(middleware: try messages(CommandLine.arguments[(index + 1)...], logger))
            router.post("orders") { request, _ in "\(try await request.body.collect(upTo: .max).readableBytes) bytes" }
        }
        if CommandLine.arguments.contains("--check") {
            let live = try ReloadableVerifier(verifier(), logger: logger)
            router.add(middleware: try EvidenceMiddleware(live))
        }
        router.get("/") { _, _ in "Hello" }
        router.post("echo") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            return Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        let token = try token()
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0, token)
                fflush(nil)
            }, logger: logger)
        try await application.runService()
    }

    private static func messages(
        _ arguments: ArraySlice<String>, _ logger: Logger
    ) throws -> EvidenceMiddleware<BasicEvidenceRequestContext> {
        let values = Array(arguments)
        guard values.count >= 3, let limit = Int(values[0]), let now = Double(values[1]) else {
            throw CocoaError(.formatting)
        }
        var options = EvidenceMiddlewareOptions(origins: try ServerOrigins("https://api.example.com"))
        options.body = .collected(upTo: limit)
        options.now = { Date(timeIntervalSince1970: now) }
        let verifier = try verifier(Array(values[2].utf8)) { $0.messageSigning = MessageSigning(signer: .installation) }
        return try EvidenceMiddleware(try ReloadableVerifier(verifier, logger: logger), options: options)
    }

    private static func verifier(
        _ secret: [UInt8] = Array(Base64.encode(secret, .standard).utf8),
        _ change: (inout ApproovConfiguration.Settings) -> Void = { _ in }
    ) throws -> Verifier {
        let text = SecretBytes(secret)
        let key = NamedKey(name: "benchmark", material: try ApproovKey(parts: ["secret": text]))
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["benchmark"]
        change(&settings)
        let app = PolicyApp(name: "api", try ApproovConfiguration(settings))
        let policy = try VerificationPolicy(apps: [app], keys: [key], catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: MemoryLedger())
    }

    /// A token with the same claims as an app's token.
    private static func token() throws -> String {
        let claims: JSONItem = .object([
            "exp": .integer(Int(Date().timeIntervalSince1970) + 3600), "ip": "127.0.0.1",
            "did": "h4gubfCFzJu81j/U2BJsdg==", "arc": "ABCDEFGHIJ",
        ])
        return try JWSBlueprint(payload: claims.encoded, signer: .hs256(secret)).mint()
    }
}
