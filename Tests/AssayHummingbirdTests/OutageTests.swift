import Approov
import Assay
import AssayCore
import AssayHummingbird
import AssayTesting
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Requests that there is no verdict on")
struct OutageTests {
    struct Case: Sendable {
        let rule: EvidenceMiddlewareOptions.OutageRule
        let enforcement: Enforcement
        /// Whether the token has another secret: rejected also during an outage.
        var isForged = false
        let answer: String
    }

    @Test(
        "An outage is answered with 503, unless options.outages or annotate lets the request through",
        arguments: [
            Case(rule: .refuse, enforcement: .reject, answer: #"503 7 {"error":"approov-unavailable"}"#),
            Case(rule: .letThrough, enforcement: .reject, answer: "200 - reject outage - -"),
            Case(
                rule: .letThrough, enforcement: .reject, isForged: true,
                answer: #"401 - {"error":"approov-rejected","arc":"ABCDEF","deviceId":"\#(TestAPI.deviceID)","#
                    + #""remedy":"contact-support"}"#),
            Case(rule: .refuse, enforcement: .annotate, answer: "200 - annotate outage - -"),
            Case(rule: .refuse, enforcement: .off, answer: "200 - off off - -"),
        ])
    func outages(_ one: Case) async throws {
        let live = try TestAPI.live(ledger: FaultyLedger.unreachable()) { $0.enforcement = one.enforcement }
        let options = TestAPI.options { options in
            options.outages = one.rule
            options.retryAfter = 7
        }
        let secret = one.isForged ? [UInt8](repeating: 1, count: 64) : TestAPI.secret
        let token = try TestAPI.token(secret: secret)
        let answer = try await Self.answer(TestAPI.application(live, options: options), token)
        #expect(answer == one.answer)
    }

    /// Status, `Retry-After` and body.
    private static func answer(_ application: some ApplicationProtocol, _ token: String) async throws -> String {
        try await application.test(.router) { client in
            try await client.execute(uri: "/stock", method: .get, headers: [.approovToken: token]) { response in
                "\(response.status.code) \(response.headers[.retryAfter] ?? "-") \(String(buffer: response.body))"
            }
        }
    }

    @Test(
        "A configuration without a live key is answered with 500, for every setting of outages",
        arguments: [
            Case(rule: .letThrough, enforcement: .reject, answer: #"500 - {"error":"approov-misconfigured"}"#),
            Case(rule: .letThrough, enforcement: .annotate, answer: "200 - annotate misconfigured - -"),
        ])
    func misconfiguration(_ one: Case) async throws {
        let expired = KeyWindow(notBefore: nil, notAfter: TestAPI.now.addingTimeInterval(-1))
        let live = try TestAPI.live(keys: [TestAPI.key(window: expired)]) { $0.enforcement = one.enforcement }
        let options = TestAPI.options { $0.outages = one.rule }
        let answer = try await Self.answer(TestAPI.application(live, options: options), TestAPI.token())
        #expect(answer == one.answer)
    }
}
