import AppAttest
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
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// Routes that demand App Attest assertions, Approov tokens, or both.
@Suite("Routes of the policy")
struct RouteTests {
    private static let appID = "1234567890.com.example.shop"
    private static let origin = "https://api.example.com"
    private static let key = AttestedKey(seed: "routes", label: "phone")

    /// The apps `phone` with App Attest and `api` with Approov, on the routes `one` of them and `both`.
    private static func live(
        _ ledger: some Ledger, logger: Logger = Logger(label: "test"), phone: Enforcement = .reject,
        api: Enforcement = .reject
    ) throws -> ReloadableVerifier {
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["now"]
        settings.enforcement = api
        let evidence = [
            PolicyRoute.Evidence(app: "phone", kind: .appAttestRequest),
            PolicyRoute.Evidence(app: "api", kind: .approovToken),
        ]
        let policy = try VerificationPolicy(
            apps: [
                PolicyApp(
                    name: "phone",
                    try AppAttestConfiguration(
                        appIDs: [appID], environments: [.production], challenge: .caller, clientData: .raw
                    ) { $0.requests = RequestRules(enforcement: phone) }),
                PolicyApp(name: "api", try ApproovConfiguration(settings)),
            ], keys: [TestAPI.key()], catalogue: Verifier.catalogue,
            routes: [
                PolicyRoute(name: "one", requirement: .any, evidence: evidence),
                PolicyRoute(name: "both", requirement: .all, evidence: evidence),
            ])
        return try ReloadableVerifier(Verifier(policy: policy, ledger: ledger), logger: logger)
    }

    /// A ledger with the phone's key.
    private static func ledger() async throws -> MemoryLedger {
        let ledger = MemoryLedger()
        let key = EnrolledKey(
            identifier: .appAttest(Self.key.keyID), app: "phone", publicKey: Self.key.publicPoint, counter: 0,
            enrolledAt: TestAPI.now, properties: ["environment": "production"], account: "alice")
        _ = try await ledger.commit([LedgerEffect(.appAttestAttestationEnrolment, .enrol(key))], at: TestAPI.now)
        return ledger
    }

    private static func application(
        _ live: ReloadableVerifier, _ route: String, body: RequestBodyMode = .collected()
    ) throws -> some ApplicationProtocol {
        var options = TestAPI.options(origins: try ServerOrigins(origin))
        options.body = body
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, route: route, options: options))
        router.on("orders", method: .post) { request, context in
            let body = try await request.body.collect(upTo: 1 << 20)
            let judged = context.judged
            let kinds = judged?.verdicts.map { "\($0.app ?? "-"):\($0.kind)" } ?? []
            return
                "\(judged?.enforcement.rawValue ?? "-") \(judged?.outcome.word ?? "-") \(kinds) \(body.readableBytes)"
        }
        return Application(router: router)
    }

    /// The fields of a request that an assertion signs; nil for none.
    private static func fields(
        counter: UInt32?, token: Bool, body: String = "", signed: String? = nil
    ) throws -> HTTPFields {
        var fields = HTTPFields()
        if let counter {
            var blueprint = SignedRequestBlueprint(
                method: "POST", targetURI: origin + "/orders",
                evidence: .assertion(key, appID: appID, counter: counter), createdAt: TestAPI.now)
            blueprint.body = Array((signed ?? body).utf8)
            for (name, value) in try blueprint.mint().headers {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
        }
        if token { fields[.approovToken] = try TestAPI.token() }
        return fields
    }

    private static func send(
        _ client: some TestClientProtocol, _ fields: HTTPFields, body: String = ""
    ) async throws -> String {
        try await client.execute(uri: "/orders", method: .post, headers: fields, body: ByteBuffer(string: body)) {
            "\($0.status.code) \(String(buffer: $0.body))"
        }
    }

    @Test("One of several kinds suffices under any, and the evidence that the request carries decides a rejection")
    func any() async throws {
        let live = try await Self.live(Self.ledger())
        try await Self.application(live, "one").test(.router) { client in
            let phone = try Self.fields(counter: 1, token: false, body: "{}")
            #expect(
                try await Self.send(client, phone, body: "{}")
                    == #"200 reject accept ["phone:app-attest.request"] 2"#)
            #expect(try await Self.send(client, phone, body: "{}").hasPrefix(#"401 {"error":"app-attest-rejected""#))
            let token = try Self.fields(counter: nil, token: true)
            #expect(
                try await Self.send(client, token, body: "x") == #"200 reject accept ["api:approov.token"] 1"#)
            #expect(try await Self.send(client, [:]).hasPrefix(#"401 {"error":"app-attest-rejected""#))
            let forged: HTTPFields = [.approovToken: try TestAPI.token(secret: [UInt8](repeating: 1, count: 64))]
            #expect(try await Self.send(client, forged).hasPrefix(#"401 {"error":"approov-rejected""#))
        }
    }

    @Test("Another body than the signed one falls back to other evidence of the request, and uses up nothing")
    func anyWithBody() async throws {
        let live = try await Self.live(Self.ledger())
        try await Self.application(live, "one").test(.router) { client in
            let both = try Self.fields(counter: 1, token: true, body: "{}")
            #expect(try await Self.send(client, both, body: "!!") == #"200 reject accept ["api:approov.token"] 2"#)
            #expect(
                try await Self.send(client, both, body: "{}") == #"200 reject accept ["phone:app-attest.request"] 2"#)
        }
    }

    @Test(
        "All kinds must be accepted under all, and are committed together",
        arguments: [RequestBodyMode.collected(), .streamed()])
    func all(mode: RequestBodyMode) async throws {
        let live = try await Self.live(Self.ledger())
        try await Self.application(live, "both", body: mode).test(.live) { client in
            let phone = try Self.fields(counter: 1, token: false, body: "{}")
            #expect(try await Self.send(client, phone, body: "{}").hasPrefix(#"401 {"error":"approov-rejected""#))
            let token = try Self.fields(counter: nil, token: true)
            #expect(try await Self.send(client, token, body: "{}").hasPrefix(#"401 {"error":"app-attest-rejected""#))
            let both = try Self.fields(counter: 1, token: true, body: "{}")
            #expect(try await Self.send(client, both, body: "{]").hasPrefix("401"))
            // Nothing of the above has advanced the counter.
            #expect(
                try await Self.send(client, both, body: "{}")
                    == #"200 reject accept ["phone:app-attest.request", "api:approov.token"] 2"#)
            #expect(try await Self.send(client, both, body: "{}").hasPrefix(#"401 {"error":"app-attest-rejected""#))
        }
    }

    @Test("An app that is annotated lets pass what it rejects; the others of all decide, and are used up")
    func annotated() async throws {
        let live = try await Self.live(Self.ledger(), api: .annotate)
        try await Self.application(live, "both").test(.router) { client in
            let phone = try Self.fields(counter: 1, token: false)
            #expect(try await Self.send(client, phone) == #"200 annotate reject ["api:approov.token"] 0"#)
            #expect(try await Self.send(client, phone).hasPrefix(#"401 {"error":"app-attest-rejected""#))
        }
        try await Self.application(live, "one").test(.router) { client in
            // The app that is annotated decides about no evidence, and about its own.
            #expect(try await Self.send(client, [:]) == #"200 annotate reject ["api:approov.token"] 0"#)
            let expired = try Self.fields(counter: 1, token: false)
            #expect(try await Self.send(client, expired).hasPrefix(#"401 {"error":"app-attest-rejected""#))
            let forged: HTTPFields = [.approovToken: try TestAPI.token(secret: [UInt8](repeating: 1, count: 64))]
            #expect(try await Self.send(client, forged) == #"200 annotate reject ["api:approov.token"] 0"#)
            // A token that may fail does not excuse the evidence beside it.
            var both = expired
            both[.approovToken] = forged[.approovToken]
            #expect(try await Self.send(client, both).hasPrefix(#"401 {"error":"app-attest-rejected""#))
        }
    }

    @Test("A ledger's refusal of an annotated app does not keep the others from being used up")
    func annotatedRefusal() async throws {
        let live = try await Self.live(Self.ledger(), phone: .annotate)
        try await Self.application(live, "both").test(.router) { client in
            let both = try Self.fields(counter: 1, token: true)
            #expect(try await Self.send(client, both).hasPrefix("200 reject accept"))
            #expect(try await Self.send(client, both) == #"200 annotate reject ["phone:app-attest.request"] 0"#)
        }
    }

    @Test("An app that is off is left out of all, and lets everything pass under any")
    func off() async throws {
        let live = try await Self.live(Self.ledger())
        try live.enforcement.turn(to: .off, for: "phone", because: "test")
        try await Self.application(live, "both").test(.router) { client in
            let token = try Self.fields(counter: nil, token: true)
            #expect(try await Self.send(client, token) == #"200 reject accept ["api:approov.token"] 0"#)
            #expect(try await Self.send(client, [:]).hasPrefix("401"))
        }
        try await Self.application(live, "one").test(.router) { client in
            let answer = try await Self.send(client, [:])
            #expect(answer == "200 off off [] 0")
        }
        #expect(live.enforcement.enforcement(of: "phone") == .off)
        #expect(live.enforcement.enforcement(of: "phone", kind: .approovToken) == nil)
    }

    @Test("The log of a rejection has route, app, kind, failed checks and the key")
    func log() async throws {
        let log = TestLog()
        let live = try await Self.live(Self.ledger())
        var options = TestAPI.options(origins: try ServerOrigins(Self.origin))
        options.disclosure = .failedChecks
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, route: "one", options: options))
        router.post("orders") { _, _ in "done" }
        try await Application(router: router, logger: log.logger).test(.router) { client in
            let fields = try Self.fields(counter: 1, token: false)
            _ = try await Self.send(client, fields)
            let again = try await Self.send(client, fields)
            let keyID = Base64.encode(Self.key.keyID, .standard)
            #expect(again.contains(#""keyId":"\#(keyID)""#), "\(again)")
            let text = try #require(log.entries.last { $0.level == .info && $0.text.hasPrefix("request check") }).text
            for part in [
                "assay.app=phone", "assay.kind=app-attest.request", "assay.route=one", "assay.outcome=reject",
                #"assay.failed=["app-attest.assertion.counter"]"#, #"assay.codes=["counter-not-increasing"]"#,
                "assay.keyId=\(keyID)", "hb.request.id=", "assay.account=hmac-sha256:",
            ] { #expect(text.contains(part), "\(part) in \(text)") }
            let accepted = log.entries.first { $0.level == .debug && $0.text.contains("assay.outcome=accept") }
            #expect(accepted?.text.contains("assay.keyId=\(keyID)") == true)
            // The ledger's account of the key.
            #expect(!log.entries.contains { $0.text.contains("alice") })
        }
    }

    @Test("A route or a kind that the policy lacks, and missing origins, are refused when the middleware is made")
    func refused() async throws {
        let live = try await Self.live(Self.ledger())
        typealias Guard = EvidenceMiddleware<BasicEvidenceRequestContext>
        let options = TestAPI.options(origins: try ServerOrigins(Self.origin))
        #expect(throws: PolicyError.self) { try Guard(live, route: "other", options: options) }
        #expect(throws: PolicyError.self) { try Guard(live, route: "one") }
        #expect(throws: PolicyError.self) { try Guard(live, options: options) }
        #expect(throws: PolicyError.self) { try Guard(live, app: "api", kind: .appAttestRequest, options: options) }
        #expect(throws: PolicyError.self) { try Guard(live, app: "phone") }
        _ = try Guard(live, kind: .approovToken)
    }
}
