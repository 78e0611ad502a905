import Assay
import AssayHTTP
import AssayHummingbird
import AssayTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

/// A backend of one's own, tested with public access only.
@Suite("A backend with handlers of its own")
struct OwnHandlersTests {
    private static let appID = "1234567890.com.example.shop"
    private static let origin = "https://api.example.com"

    private let authority: TestAuthority
    private let key = AttestedKey()

    init() throws { authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400)) }

    private func policy(appID: String = appID) throws -> VerificationPolicy {
        try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop-ios
                appAttest:
                  appIDs: [\(appID)]
                  environments: [production]
                  challenge: ledger
                  clientData: { challengeAt: /challenge }
                  requests: {}
                  testRoots: ["file:root.pem"]
            """, files: ["root.pem": authority.rootPEM])
    }

    private func live(_ ledger: any Ledger) throws -> ReloadableVerifier {
        try ReloadableVerifier(Verifier(policy: policy(), ledger: ledger), logger: Logger(label: "shop"))
    }

    /// Sends requests to the routes under a verifier. The name of a session is that of its account.
    private func run(
        _ live: ReloadableVerifier, _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let router = try shopRouter(live, origin: Self.origin) { $0 }
        try await Application(router: router).test(.router) { client in try await body(client) }
    }

    private func challenge(_ client: any TestClientProtocol) async throws -> String {
        try await client.execute(uri: "/challenges", method: .post) { String(buffer: $0.body) }
    }

    /// Attests the key over a challenge, and enrols it.
    private func enrol(
        _ client: any TestClientProtocol, _ challenge: String, account: String? = nil
    ) async throws -> (status: Int, body: String, retryAfter: String?) {
        let minted = try AttestationBlueprint(
            authority: authority, key: key, appID: Self.appID, clientData: .bytes(Array(challenge.utf8)),
            issuedAt: Date()
        ).mint()
        let new = NewKey(
            keyID: Data(minted.keyID), attestation: Data(minted.attestation), challenge: challenge)
        let body = ByteBuffer(bytes: try JSONEncoder().encode(new))
        var fields = HTTPFields()
        fields[.authorization] = account
        return try await client.execute(uri: "/keys", method: .post, headers: fields, body: body) {
            ($0.status.code, String(buffer: $0.body), $0.headers[.retryAfter])
        }
    }

    /// An order with the signature of the key.
    private func order(counter: UInt32) throws -> (head: HTTPRequest, body: [UInt8]) {
        var blueprint = SignedRequestBlueprint(
            method: "POST", targetURI: Self.origin + "/orders",
            evidence: .assertion(key, appID: Self.appID, counter: counter), createdAt: Date())
        blueprint.body = Array("{}".utf8)
        var head = HTTPRequest(method: .post, scheme: "https", authority: "api.example.com", path: "/orders")
        for (name, value) in try blueprint.mint().headers {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        return (head, blueprint.body)
    }

    /// Orders with the signature of the key.
    private func order(
        _ client: any TestClientProtocol, counter: UInt32, account: String? = nil
    ) async throws -> (status: Int, body: String) {
        let (head, body) = try order(counter: counter)
        var fields = head.headerFields
        fields[.authorization] = account
        return try await client.execute(
            uri: "/orders", method: .post, headers: fields, body: ByteBuffer(bytes: body)
        ) { ($0.status.code, String(buffer: $0.body)) }
    }

    /// A handler that uses no framework, with a key that is enrolled.
    private func plainServer(_ ledger: any Ledger) async throws -> PlainServer {
        let live = try live(ledger)
        try await run(live) { client in
            let enrolled = try await enrol(client, try await challenge(client))
            #expect(enrolled.status == 200)
        }
        return try PlainServer(live, origin: Self.origin)
    }

    @Test("A key is enrolled and signs orders; a repeated challenge or order, and one without evidence, get 401")
    func whole() async throws {
        let ledger = OwnLedger()
        try await run(live(ledger)) { client in
            let challenge = try await challenge(client)
            #expect(try await enrol(client, challenge).status == 200)
            let again = try await enrol(client, challenge)
            #expect(again.status == 401 && again.body.contains("remedy"), "\(again)")
            #expect(try await order(client, counter: 1).body.hasPrefix("ordered by "))
            #expect(try await order(client, counter: 1).status == 401)
            #expect(try await client.execute(uri: "/orders", method: .post) { $0.status } == .unauthorized)
        }
        let keyID = KeyIdentifier(engine: "app-attest", value: key.keyID)
        #expect(await ledger.enrolledKey(keyID)?.counter == 1)
    }

    @Test("A ledger of one's own keeps the contract", arguments: LedgerContract.cases)
    func ledger(_ contractCase: LedgerContract.Case) async throws {
        try await contractCase.run { OwnLedger() }
    }

    @Test("Handlers of one's own follow a reload of the policy")
    func reload() async throws {
        let ledger = MemoryLedger()
        let live = try live(ledger)
        try await run(live) { client in
            try live.exchange(
                for: Verifier(policy: try policy(appID: "1234567890.com.example.other"), ledger: ledger))
            let refused = try await enrol(client, try await challenge(client))
            #expect(refused.status == 403, "\(refused)")
            try live.exchange(for: Verifier(policy: try policy(), ledger: ledger))
            #expect(try await enrol(client, try await challenge(client)).status == 200)
        }
    }

    @Test("The account of the session reaches the verdict: a blocked one gets 403")
    func accounts() async throws {
        let ledger = MemoryLedger()
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "alice"), reason: "fraud", since: Date(), until: nil))
        try await run(live(ledger)) { client in
            let blocked = try await enrol(client, try await challenge(client), account: "alice")
            #expect(blocked.status == 403 && blocked.body == #"{"remedy":"contact-support"}"#, "\(blocked)")
            #expect(try await enrol(client, try await challenge(client), account: "bob").status == 200)
        }
    }

    @Test("A context of one's own has the account of an order: once blocked, the same key gets 403")
    func context() async throws {
        let ledger = MemoryLedger()
        try await run(live(ledger)) { client in
            let challenge = try await challenge(client)
            #expect(try await enrol(client, challenge, account: "carol").status == 200)
            #expect(try await order(client, counter: 1, account: "carol").body.hasPrefix("ordered by "))
            try await ledger.block(
                LedgerBlock(subject: LedgerSubject(.account, "carol"), reason: "fraud", since: Date(), until: nil))
            let blocked = try await order(client, counter: 2, account: "carol")
            #expect(blocked.status == 403 && blocked.body.contains("contact-support"), "\(blocked)")
        }
    }

    @Test("A handler without a framework lets a signed order pass once, and refuses a forged body and another target")
    func plain() async throws {
        let server = try await plainServer(MemoryLedger())
        let (head, body) = try order(counter: 1)
        let forged = await server.answer(head, body: Array("{ }".utf8), peer: "192.0.2.7", account: nil)
        #expect([401, 403].contains(forged.head.status.code), "\(forged)")
        #expect(forged.head.headerFields[.contentType] == "application/json")
        #expect(String(decoding: forged.body, as: UTF8.self).contains("rejected"))
        var other = head
        other.path = "/orders?amount=9"
        let redirected = await server.answer(other, body: body, peer: nil, account: nil)
        #expect([401, 403].contains(redirected.head.status.code), "\(redirected)")
        other.path = "orders"
        #expect(await server.answer(other, body: body, peer: nil, account: nil).head.status == .badRequest)
        let passed = await server.answer(head, body: body, peer: "192.0.2.7", account: nil)
        #expect(passed.head.status == .ok)
        #expect(String(decoding: passed.body, as: UTF8.self).hasPrefix("ordered by "))
        let again = await server.answer(head, body: body, peer: "192.0.2.7", account: nil)
        #expect(again.head.status == .unauthorized, "\(again)")
    }

    @Test("A body that comes in parts is judged by its digests")
    func digests() async throws {
        let server = try await plainServer(MemoryLedger())
        let (head, body) = try order(counter: 1)
        for (parts, isPassed) in [([body, body], false), ([], false), ([[body[0]], Array(body[1...])], true)] {
            var digests = BodyDigests(for: head.headerFields)
            for part in parts { digests.update(part) }
            let decision = await server.guarding.judge(head, digests: digests, peer: nil, logger: server.logger)
            switch decision {
            case .pass(let judged): #expect(isPassed && judged.isAccepted)
            case .refuse(let refusal): #expect(!isPassed, "\(refusal)")
            }
        }
    }

    @Test("A handler without a framework answers an outage with 503, and a body over the limit with 413")
    func plainOutage() async throws {
        let ledger = MemoryLedger()
        var server = try await plainServer(ledger)
        let (head, body) = try order(counter: 1)
        let faulty = FaultyLedger(ledger) { operation, _ in operation == .commit ? .outage() : nil }
        server = try PlainServer(live(faulty), origin: Self.origin)
        let outage = await server.answer(head, body: body, peer: nil, account: nil)
        #expect(outage.head.status == .serviceUnavailable && outage.head.headerFields[.retryAfter] == "5", "\(outage)")
        var options = EvidenceGuard.Options(origins: try ServerOrigins(Self.origin))
        options.body = .collected(upTo: 1)
        let limited = try EvidenceGuard(live(ledger), options: options)
        guard case .refuse(let refusal) = await limited.judge(head, body: body, peer: nil, logger: server.logger)
        else {
            Issue.record("passed")
            return
        }
        #expect(refusal.status == .contentTooLarge)
    }

    @Test("An outage is 503 with Retry-After, and never an acceptance")
    func outage() async throws {
        let ledger = FaultyLedger(OwnLedger()) { operation, _ in operation == .commit ? .outage() : nil }
        try await run(live(ledger)) { client in
            let answer = try await enrol(client, try await challenge(client))
            #expect(answer.status == 503 && answer.retryAfter == "5", "\(answer)")
        }
    }

    @Test("A wrong call is no fault of the client, and malformed evidence is a verdict")
    func answers() async throws {
        let verifier = try Verifier(policy: policy(), ledger: MemoryLedger())
        let input = AssertionInput(keyID: [], assertion: [], clientData: .data([]))
        let malformed = await answer(to: input, by: verifier)
        #expect(malformed.status == 403 || malformed.status == 401)
        #expect(malformed.remedy != nil && malformed.retryAfter == nil)
        let error = await #expect(throws: VerificationError.self) {
            try await verifier.issueChallenge(app: "other", for: .appAttestAttestation, at: Date())
        }
        #expect(error.map { EvidenceAnswer($0).status } == 500)
    }
}
