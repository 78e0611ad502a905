import AppAttest
import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// A statement of no evidence passes where a route names it, and never in place of evidence that the request carries.
@Suite("Requests of devices without evidence")
struct NoEvidenceTests {
    private static let appID = "1234567890.com.example.shop"
    private static let origin = "https://api.example.com"
    private static let key = AttestedKey(seed: "no evidence", label: "phone")
    private static let statement = #"none;reason=unsupported;code="dc:1";app-version="5.1.0";system-version="13.7""#

    /// The app `phone` with App Attest and statements, `api` with Approov in a field of its own name, and `old` with statements alone.
    private static func live(phone: Enforcement = .reject) async throws -> ReloadableVerifier {
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["now"]
        settings.tokenHeader = "X-Token"
        let none = NoEvidenceConfiguration(reasons: [.unsupported]) { $0.maximumSystemVersion = DottedVersion("15.99") }
        let all = [
            PolicyRoute.Evidence(app: "phone", kind: .noEvidence),
            PolicyRoute.Evidence(app: "api", kind: .approovToken),
            PolicyRoute.Evidence(app: "phone", kind: .appAttestRequest),
        ]
        let policy = try VerificationPolicy(
            apps: [
                PolicyApp(
                    name: "phone",
                    try AppAttestConfiguration(
                        appIDs: [appID], environments: [.production], challenge: .caller, clientData: .raw
                    ) { $0.requests = RequestRules(enforcement: phone) }, none),
                PolicyApp(name: "api", try ApproovConfiguration(settings)),
                PolicyApp(name: "old", NoEvidenceConfiguration(reasons: [.failed])),
            ], keys: [TestAPI.key()], catalogue: Verifier.catalogue,
            routes: [
                PolicyRoute(name: "route-any", requirement: .any, evidence: all),
                PolicyRoute(name: "route-alone", requirement: .all, evidence: [all[0]]),
                PolicyRoute(name: "route-api", requirement: .any, evidence: [all[0], all[1]]),
            ])
        let ledger = MemoryLedger()
        let enrolled = EnrolledKey(
            identifier: .appAttest(key.keyID), app: "phone", publicKey: key.publicPoint, counter: 0,
            enrolledAt: TestAPI.now, properties: ["environment": "production"], account: nil)
        _ = try await ledger.commit([LedgerEffect(.appAttestAttestationEnrolment, .enrol(enrolled))], at: TestAPI.now)
        return try ReloadableVerifier(Verifier(policy: policy, ledger: ledger), logger: Logger(label: "test"))
    }

    private static func application(_ live: ReloadableVerifier, _ route: String) throws -> some ApplicationProtocol {
        var options = TestAPI.options(origins: try ServerOrigins(origin))
        options.disclosure = .failedChecks
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, route: "route-\(route)", options: options))
        router.on("orders", method: .post) { request, context in
            let verdict = context.judged?.verdicts.first
            let annotated = verdict?.annotated.map(\.name).joined(separator: " ") ?? ""
            return "\(context.judged?.outcome.word ?? "-") \(verdict?.kind.name ?? "-") [\(annotated)]"
        }
        return Application(router: router)
    }

    private static func send(_ client: some TestClientProtocol, _ fields: HTTPFields) async throws -> String {
        try await client.execute(uri: "/orders", method: .post, headers: fields) {
            "\($0.status.code) \(String(buffer: $0.body))"
        }
    }

    /// A field of the request, also one that occurs several times.
    private static func fields(_ pairs: (String, String)...) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return fields
    }

    private static func signed(counter: UInt32) throws -> [(String, String)] {
        try SignedRequestBlueprint(
            method: "POST", targetURI: origin + "/orders",
            evidence: .assertion(key, appID: appID, counter: counter), createdAt: TestAPI.now
        ).mint().headers
    }

    @Test("A statement passes a route that names it, annotated, and is refused by the rules of the policy")
    func accepted() async throws {
        let live = try await Self.live()
        for route in ["any", "alone", "api"] {
            try await Self.application(live, route).test(.router) { client in
                let accepted = try await Self.send(client, Self.fields(("Assay-Evidence", Self.statement)))
                #expect(accepted == "200 accept none [none.evidence]", "\(route)")
                let reason = try await Self.send(
                    client, Self.fields(("Assay-Evidence", #"none;reason=failed;system-version="13""#)))
                #expect(reason == #"403 {"error":"none-rejected","remedy":"contact-support","failed":["none.reason"]}"#)
                let system = try await Self.send(
                    client, Self.fields(("Assay-Evidence", #"none;reason=unsupported;system-version="26""#)))
                #expect(
                    system
                        == #"401 {"error":"none-rejected","remedy":"new-attestation","failed":["none.system-version"]}"#
                )
                #expect(try await Self.send(client, [:]).hasPrefix("401 "))
            }
        }
    }

    @Test(
        "A field that is not as it should be is refused, whatever a lenient reader would take from it",
        arguments: [
            "", "none", "none;reason", "none;reason=\"unsupported\"", "None;reason=unsupported",
            "some;reason=unsupported",
            "none;reason=unsupported;reason=unsupported", "none;reason=unsupported, none;reason=unsupported",
            "none;reason=unsupported;other=1", "none;reason=unsupported;code=dc", "none;reason=unsupported;code=\"\"",
            "none;reason=unsupported;code=\"a b\"", "none;reason=unsupported;app-version=5", "none;reason=old",
            "none;reason=unsupported;system-version=\"13\\u000d\"", "(none);reason=unsupported", "reason=unsupported",
            "none;reason=unsupported;code=\"\(String(repeating: "a", count: 65))\"",
            "none;reason=unsupported;app-version=\"\(String(repeating: "1", count: 600))\"",
        ])
    func malformed(_ value: String) async throws {
        let live = try await Self.live()
        try await Self.application(live, "alone").test(.router) { client in
            let answer = try await Self.send(client, Self.fields(("Assay-Evidence", value)))
            #expect(answer.hasPrefix("401 ") && answer.contains(#""failed":["none.decode"]"#), "\(answer)")
            let twice = try await Self.send(
                client, Self.fields(("Assay-Evidence", Self.statement), ("Assay-Evidence", Self.statement)))
            #expect(twice.contains(#""failed":["none.decode"]"#), "\(twice)")
        }
    }

    @Test(
        "Evidence beside the statement decides: accepted evidence passes without the note, rejected evidence is refused",
        .produces("none.alone", "evidence-beside"))
    func beside() async throws {
        let live = try await Self.live()
        try await Self.application(live, "any").test(.router) { client in
            func send(_ headers: [(String, String)]) async throws -> String {
                var fields = try Self.fields(("Assay-Evidence", Self.statement))
                for (name, value) in headers {
                    fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
                }
                return try await Self.send(client, fields)
            }
            #expect(try await send(Self.signed(counter: 1)) == "200 accept app-attest.request []")
            // The counter is used up, and the statement does not rescue the request.
            let replayed = try await send(Self.signed(counter: 1))
            #expect(replayed.hasPrefix("401 ") && replayed.contains("app-attest.assertion.counter"), "\(replayed)")
            // A signature that cannot be read, or belongs to a protocol that no route knows.
            for headers in [
                [("Signature", "x")], [("Signature-Input", "sig=()")], [("Signature", ""), ("Signature", "")],
                [("DPoP", "x")], [("Authorization", "DPoP x")], [("authorization", "dpop x")],
                [("Authorization", "Bearer a"), ("Authorization", "Bearer b")], [("X-Token", "x")],
                [("X-Token", try TestAPI.token(secret: [UInt8](repeating: 1, count: 64)))],
            ] {
                let answer = try await send(headers)
                #expect(!answer.hasPrefix("200"), "\(headers): \(answer)")
            }
            // The session of the app itself is no evidence.
            #expect(try await send([("Authorization", "Bearer session")]) == "200 accept none [none.evidence]")
            #expect(try await send([("Cookie", "session=1")]) == "200 accept none [none.evidence]")
            #expect(try await send([("X-Token", try TestAPI.token())]) == "200 accept approov.token []")
        }
        try await Self.application(live, "alone").test(.router) { client in
            var fields = try Self.fields(("Assay-Evidence", Self.statement))
            for (name, value) in try Self.signed(counter: 2) {
                fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            let answer = try await Self.send(client, fields)
            #expect(answer == #"403 {"error":"none-rejected","remedy":"none","failed":["none.alone"]}"#)
        }
    }

    @Test("An outage of other evidence is no reason to count the statement")
    func outage() async throws {
        // No key of Approov can be used, so that its tokens cannot be judged.
        let none = NoEvidenceConfiguration(reasons: [.unsupported])
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "api", try ApproovConfiguration(ApproovConfiguration.Settings()), none)],
            catalogue: Verifier.catalogue,
            routes: [
                PolicyRoute(
                    name: "route-any", requirement: .any,
                    evidence: [
                        PolicyRoute.Evidence(app: "api", kind: .approovToken),
                        PolicyRoute.Evidence(app: "api", kind: .noEvidence),
                    ])
            ])
        let live = try ReloadableVerifier(
            Verifier(policy: policy, ledger: MemoryLedger()), logger: Logger(label: "test"))
        try await Self.application(live, "any").test(.router) { client in
            let answer = try await Self.send(client, Self.fields(("Assay-Evidence", Self.statement)))
            #expect(answer.hasPrefix("500 "), "\(answer)")
        }
    }

    @Test("The name of an app never stands for its statement")
    func named() async throws {
        let live = try await Self.live()
        typealias Guard = EvidenceMiddleware<BasicEvidenceRequestContext>
        let options = TestAPI.options(origins: try ServerOrigins(Self.origin))
        #expect(throws: PolicyError.self) { try Guard(live, app: "old", options: options) }
        _ = try Guard(live, app: "old", kind: .noEvidence)
        _ = try Guard(live, app: "phone", options: options)
        #expect(throws: RequestError.self) { try live.state.route(named: "old") }
        let phone = try live.state.route(named: "phone")
        #expect(phone.name == "phone")
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try Guard(live, app: "phone", options: options))
        router.on("orders", method: .post) { _, _ in "passed" }
        try await Application(router: router).test(.router) { client in
            let answer = try await Self.send(client, Self.fields(("Assay-Evidence", Self.statement)))
            #expect(answer.hasPrefix(#"401 {"error":"app-attest-rejected""#), "\(answer)")
        }
    }

    @Test("Evidence that is only annotated does not let a rejected statement pass, nor a statement rejected evidence")
    func annotated() async throws {
        let live = try await Self.live(phone: .annotate)
        try await Self.application(live, "any").test(.router) { client in
            let statement = try await Self.send(
                client, Self.fields(("Assay-Evidence", "none;reason=failed;system-version=\"13\"")))
            #expect(statement.hasPrefix("403 "), "\(statement)")
        }
    }
}
