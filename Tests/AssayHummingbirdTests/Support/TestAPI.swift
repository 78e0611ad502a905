import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTesting
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging

/// An API behind Approov, with apps that know its secret.
///
/// Not inlined: Swift 6.3.1 crashes when only an error is left of an inlined call.
struct TestAPI {
    static let secret = [UInt8](repeating: 0x5A, count: 64)
    static let now = Date(timeIntervalSince1970: 1_795_132_800)
    static let deviceID = "h4gubfCFzJu81j/U2BJsdg=="
    static let installation = TestKey(.p256, seed: "hummingbird", label: "installation")

    /// The key of the policy.
    @inline(never)
    static func key(_ secret: [UInt8] = TestAPI.secret, window: KeyWindow = .always) throws -> NamedKey {
        let text = SecretBytes(Array(Base64.encode(secret, .standard).utf8))
        return NamedKey(name: "now", window: window, material: try ApproovKey(parts: ["secret": text]))
    }

    /// A policy with an app `api`.
    @inline(never)
    static func policy(
        keys: [NamedKey]? = nil, _ change: (inout ApproovConfiguration.Settings) -> Void = { _ in }
    ) throws -> VerificationPolicy {
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["now"]
        change(&settings)
        return try VerificationPolicy(
            apps: [PolicyApp(name: "api", try ApproovConfiguration(settings))], keys: try keys ?? [key()],
            catalogue: Verifier.catalogue)
    }

    /// A verifier with such a policy.
    @inline(never)
    static func live(
        ledger: any Ledger = MemoryLedger(), logger: Logger = Logger(label: "test"), keys: [NamedKey]? = nil,
        _ change: (inout ApproovConfiguration.Settings) -> Void = { _ in }
    ) throws -> ReloadableVerifier {
        try ReloadableVerifier(Verifier(policy: policy(keys: keys, change), ledger: ledger), logger: logger)
    }

    /// Options with the time of the minted tokens.
    static func options(
        origins: ServerOrigins? = nil, _ change: (inout EvidenceMiddlewareOptions) -> Void = { _ in }
    ) -> EvidenceMiddlewareOptions {
        var options = EvidenceMiddlewareOptions(origins: origins)
        options.now = { now }
        change(&options)
        return options
    }

    /// A token that is valid for five minutes.
    @inline(never)
    static func token(
        _ more: [JSONItem.Member] = [], secret: [UInt8] = TestAPI.secret, expiresIn seconds: Int = 300
    ) throws -> String {
        let claims: [JSONItem.Member] = [
            JSONItem.Member("did", .text(deviceID)),
            JSONItem.Member("exp", .integer(Int(now.timeIntervalSince1970) + seconds)),
            JSONItem.Member("arc", "ABCDEF"),
        ]
        return try JWSBlueprint(payload: JSONItem.object(claims + more).encoded, signer: .hs256(secret)).mint()
    }

    /// An application with a route that returns the result of the check, and one that returns the body.
    @inline(never)
    static func application(
        _ live: ReloadableVerifier, options: EvidenceMiddlewareOptions = options(), logger: Logger? = nil,
        isGuarded: Bool = false
    ) throws -> some ApplicationProtocol {
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, app: "api", options: options))
        router.get("stock") { _, context in Self.finding(context) }
        router.get("items/:id") { request, context in
            "\(context.parameters.get("id") ?? "-") \(request.uri.query ?? "-")"
        }
        router.post("orders") { request, context in
            // Read in parts, as streaming handlers do.
            var body = ByteBuffer()
            for try await part in request.body { body.writeImmutableBuffer(part) }
            return "\(Self.finding(context)) \(body.readableBytes) \(String(buffer: body).prefix(64))"
        }
        // Ignores errors of its body.
        router.post("careless") { request, _ in
            _ = try? await request.body.collect(upTo: 1 << 20)
            return "done"
        }
        return Application(
            router: router,
            server: isGuarded
                ? .http1(configuration: .init(additionalChannelHandlers: [RequestTargetGuard.handler()])) : .http1(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)), logger: logger)
    }

    private static func finding(_ context: BasicEvidenceRequestContext) -> String {
        guard let approov = context.judged else { return "nothing" }
        let failed = approov.verdict?.failed.first?.name ?? "-"
        let device = approov.verdict?.approov?.deviceID ?? "-"
        return "\(approov.enforcement.rawValue) \(approov.outcome.word) \(failed) \(device)"
    }
}

extension HTTPField.Name {
    static let approovToken = HTTPField.Name("Approov-Token") ?? .accept
    static let arc = HTTPField.Name("X-Approov-Error-ARC") ?? .accept
    static let errorDevice = HTTPField.Name("X-Approov-Error-Device-ID") ?? .accept
    static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .accept
    static let forwardedHost = HTTPField.Name("X-Forwarded-Host") ?? .accept
    static let secondHost = HTTPField.Name("Host") ?? .accept
}
