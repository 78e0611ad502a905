import Approov
import Assay
import AssayCore
import AssayHummingbird
import AssayTestSupport
import AssayTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("The emergency switch")
struct SwitchTests {
    private static func answer(_ client: some TestClientProtocol, token: String? = nil) async throws -> String {
        var fields = HTTPFields()
        if let token { fields[.approovToken] = token }
        return try await client.execute(uri: "/stock", method: .get, headers: fields) { response in
            "\(response.status.code) \(String(buffer: response.body))"
        }
    }

    @Test("It is turned while the server runs, and each turn is a warning with from and to")
    func turning() async throws {
        let log = TestLog()
        let live = try TestAPI.live(logger: log.logger)
        try await TestAPI.application(live).test(.router) { client in
            #expect(try await Self.answer(client).hasPrefix("401"))
            try live.enforcement.turn(to: .annotate, for: "api", because: "on call")
            #expect(try await Self.answer(client) == "200 annotate reject approov.token.decode -")
            live.enforcement.turnAll(to: .off, because: "on call")
            #expect(try await Self.answer(client) == "200 off off - -")
            live.enforcement.turnAll(to: .off, because: "on call")
            live.enforcement.turnAll(to: .reject, because: "on call")
            #expect(try await Self.answer(client).hasPrefix("401"))
        }
        let turns = [("reject", "annotate"), ("annotate", "off"), ("off", "reject")]
        let expected = turns.map {
            "enforcement switched assay.app=api assay.cause=on call assay.from=\($0.0) assay.kind=approov.token "
                + "assay.to=\($0.1)"
        }
        #expect(log.entries.filter { $0.level == .warning }.map(\.text) == expected)
    }

    @Test("An app that the policy does not have cannot be switched")
    func unknownApp() throws {
        let live = try TestAPI.live()
        #expect(throws: RequestError.self) { try live.enforcement.turn(to: .off, for: "other", because: "test") }
        #expect(live.enforcement.enforcement(of: "api") == .reject)
        #expect(live.enforcement.enforcement(of: "other") == nil)
    }

    @Test("A new policy changes the switch only if its value changed; a manual setting stays")
    func following() throws {
        let live = try TestAPI.live()
        func exchange(_ enforcement: Enforcement) throws {
            let policy = try TestAPI.policy { $0.enforcement = enforcement }
            try live.exchange(for: Verifier(policy: policy, ledger: MemoryLedger()))
        }
        live.enforcement.turnAll(to: .off, because: "on call")
        try exchange(.reject)
        #expect(live.enforcement.enforcement(of: "api") == .off)
        try exchange(.annotate)
        #expect(live.enforcement.enforcement(of: "api") == .annotate)
    }

    @Test("Turns by hand are in the audit trail in their order, in the ledger of the verifier in force")
    func auditTrail() async throws {
        let (former, present) = (MemoryLedger(), MemoryLedger())
        let live = try TestAPI.live(ledger: former)
        func details(_ ledger: MemoryLedger, _ count: Int) async throws -> [String] {
            var details: [String] = []
            try await waitUntil("\(count) entries: \(details)") {
                details = []
                try await ledger.audit { details.append($0.change.detail) }
                return details.count >= count
            }
            return details
        }
        func turn(_ rounds: ClosedRange<Int>) -> [String] {
            var expected: [String] = []
            for round in rounds {
                live.enforcement.turnAll(to: round % 2 == 0 ? .off : .reject, because: "round \(round)")
                expected.append("approov.token: \(round % 2 == 0 ? "reject -> off" : "off -> reject"); round \(round)")
            }
            return expected
        }
        let before = turn(0...199)
        try live.exchange(for: Verifier(policy: TestAPI.policy(), ledger: present))
        let after = turn(200...399)
        #expect(try await details(former, 200) == before)
        #expect(try await details(present, 200) == after)
    }

    @Test("A handler of one's own that takes the verifier for each request follows an exchange")
    func ownHandlers() async throws {
        let live = try TestAPI.live { $0.enforcement = .reject }
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.get("apps") { _, _ in live.verifier.policy.apps.map(\.name).joined(separator: ",") }
        try await Application(router: router).test(.router) { client in
            #expect(try await client.execute(uri: "/apps", method: .get) { String(buffer: $0.body) } == "api")
            let other = try VerificationPolicy(
                apps: [PolicyApp(name: "other", try ApproovConfiguration())], catalogue: Verifier.catalogue)
            try live.exchange(for: Verifier(policy: other, ledger: MemoryLedger()))
            #expect(try await client.execute(uri: "/apps", method: .get) { String(buffer: $0.body) } == "other")
        }
    }

    @Test("A policy without an app that is checked, or with demands that the server cannot meet, is refused")
    func refusedPolicies() throws {
        let live = try TestAPI.live()
        _ = try EvidenceMiddleware<BasicEvidenceRequestContext>(live, app: "api")
        let before = live.verifier.policy.apps.map(\.name)
        let other = try VerificationPolicy(
            apps: [PolicyApp(name: "other", try ApproovConfiguration())], catalogue: Verifier.catalogue)
        #expect(throws: PolicyError.self) { try live.exchange(for: Verifier(policy: other, ledger: MemoryLedger())) }
        let signed = try TestAPI.policy { $0.messageSigning = MessageSigning(signer: .installation) }
        #expect(throws: PolicyError.self) { try live.exchange(for: Verifier(policy: signed, ledger: MemoryLedger())) }
        #expect(live.verifier.policy.apps.map(\.name) == before)
        #expect(throws: PolicyError.self) { try EvidenceMiddleware<BasicEvidenceRequestContext>(live, app: "other") }
    }

    @Test("Requests are answered without a gap while the keys are exchanged")
    func rotation() async throws {
        let former = TestAPI.secret
        let next = [UInt8](repeating: 0x33, count: 64)
        let live = try TestAPI.live()
        let tokens = try [former, next].map { try TestAPI.token(secret: $0) }
        try await TestAPI.application(live).test(.router) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<200 {
                        let key = try TestAPI.key(round % 2 == 0 ? next : former)
                        let policy = try TestAPI.policy(keys: [key])
                        try live.exchange(for: Verifier(policy: policy, ledger: MemoryLedger()))
                    }
                }
                for token in tokens {
                    group.addTask {
                        for _ in 0..<200 {
                            let answer = try await Self.answer(client, token: token)
                            // Judged by one of the two, and always answered.
                            #expect(answer.hasPrefix("200") || answer.hasPrefix("401"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            // The last one is `former`'s.
            #expect(try await Self.answer(client, token: tokens[0]).hasPrefix("200"))
            #expect(try await Self.answer(client, token: tokens[1]).hasPrefix("401"))
        }
    }
}
