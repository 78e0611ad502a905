import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The actor against a backend that misbehaves as a test says.
struct DriverTests {
    private let backend = FakeBackend()
    private let phone = TestPhone()
    private let orders = "/v1/orders"

    private func attestor(
        _ storage: any StateStorage = MemoryStorage(), _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> AppAttestor { try EndToEndTests.attestor(phone, backend, storage, change) }

    private func failure(_ attestor: AppAttestor) async -> AssayClientError? {
        do { _ = try await attestor.data(for: EndToEndTests.order()) } catch { return error as? AssayClientError }
        return nil
    }

    // MARK: Answers of the kit's endpoints

    private static func challengeAnswer(of challenge: String) -> String {
        #"{"challenge": "\#(challenge)", "expiresAt": "2099-01-01T00:00:00Z"}"#
    }

    private static let challengeAnswers: [(Int, String, [String: String], AssayClientError.Code, String)] = [
        (200, "<html>Log in</html>", ["Content-Type": "text/html"], AssayClientError.Code.answer, "no-json:200"),
        (201, #"{"challenge": "abc"#, [:], .answer, "json:201"),
        (201, #"{"challenge": "a\"b"}"#, [:], .answer, "json:201"),
        // What may be SHA-256: evidence over it would be evidence for a token of another key.
        (201, challengeAnswer(of: String(repeating: "a", count: 43)), [:], .answer, "json:201"),
        (201, challengeAnswer(of: String(repeating: "a", count: 43) + "="), [:], .answer, "json:201"),
        (201, challengeAnswer(of: String(repeating: "a", count: 32)), [:], .answer, "json:201"),
        (
            200, #"{"code": "unknown-app", "title": "x"}"#, ["Content-Type": "application/problem+json"], .answer,
            "json:200"
        ),
        (422, #"{"code": "unknown-app"}"#, ["Content-Type": "application/problem+json"], .answer, "unknown-app"),
        (404, "Not found", ["Content-Type": "text/plain"], .answer, "no-json:404"),
        (302, "", ["Location": "https://portal.example/"], .redirected, "http:302"),
        (502, "<html>Bad gateway</html>", ["Content-Type": "text/html"], .answer, "no-json:502"),
        (503, "{}", ["Retry-After": "7"], .later, "http:503"),
        (429, #"{"code": "challenge-limit"}"#, [:], .later, "challenge-limit"),
        (401, "<html>Log in</html>", ["Content-Type": "text/html"], .session, "http:401"),
        (401, #"{"code": "session-expired"}"#, [:], .session, "session-expired"),
        (401, #"{"remedy": "contact-support"}"#, [:], .contactSupport, "operators"),
        (401, #"{"remedy": "a-new-word"}"#, [:], .contactSupport, "operators"),
    ]

    /// Answers that are not the contract's: captive portals, proxies, problems, redirects. No key is made for them.
    @Test(arguments: challengeAnswers)
    func challenge(
        _ status: Int, _ body: String, _ fields: [String: String], _ code: AssayClientError.Code, _ word: String
    ) async throws {
        try backend.next("/challenges", status, body, fields)
        let error = await failure(try attestor())
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        if status == 503 { #expect(error?.retryAfter ?? 0 >= 7) }
        #expect(phone.count(.generateKey) == 0)
        // Callers that come before the time get the same error, and the backend is left alone.
        #expect(await failure(try attestor()) == nil)
    }

    /// An attestation that was perhaps judged is not sent again; one that was certainly not is.
    @Test func submitted() async throws {
        let attestor = try attestor()
        try backend.next("/enrolments", 200, "<html></html>", ["Content-Type": "text/html"])
        #expect(await failure(attestor)?.code == .answer)
        #expect(phone.count(.attestKey) == 1)
        #expect(backend.requests("/enrolments").count == 1)
        let record = await attestor.stored?.model.record
        #expect(record?.phase == .attested)
    }

    /// A verdict that rejects, as 200 and as 403: the error is that of the remedy.
    @Test(arguments: [
        (200, #"{"outcome": "reject", "remedy": "update-system"}"#), (403, #"{"remedy": "update-system"}"#),
    ])
    func rejectedEnrolment(_ status: Int, _ body: String) async throws {
        try backend.next("/enrolments", status, body)
        #expect(await failure(try attestor())?.code == .updateSystem)
    }

    // MARK: Requests

    /// Without App Attest the request says so, and the answer is the app's.
    @Test func withoutEvidence() async throws {
        phone.isSupported = false
        let attestor = try attestor {
            $0.appVersion = "5.1.0"
            $0.systemVersion = #"16 "2" \"#
        }
        let answer = try await attestor.data(for: EndToEndTests.order())
        #expect(answer.1.statusCode == 200)
        let sent = try #require(backend.requests(orders).first)
        #expect(
            sent.value(forHTTPHeaderField: "Assay-Evidence")
                == #"none;reason=unsupported;app-version="5.1.0";system-version="16 \"2\" \\""#)
        #expect(sent.value(forHTTPHeaderField: "Signature") == nil)
        let signed = try await attestor.signed(EndToEndTests.order())
        #expect(signed.value(forHTTPHeaderField: "Assay-Evidence") != nil)
        let source = TokenSource(attestor, audience: "https://api.example.com")
        #expect(try await source.data(for: EndToEndTests.order()).1.statusCode == 200)
        #expect(backend.requests(orders).count == 2)
        #expect(backend.requests("/tokens").isEmpty)
        try backend.next(orders, 403, #"{"remedy": "retry"}"#)
        #expect(await failure(attestor)?.code == .contactSupport)
    }

    private static let platformTable: [(TestPhone.Call, [Int], AssayClientError.Code?, Int)] = [
        // call, codes, the error or nil, keys made
        (.generateKey, [0], .platform, 1), (.generateKey, [4], .platform, 1),
        (.attestKey, [0], nil, 2), (.attestKey, [2], nil, 2), (.attestKey, [3], nil, 2),
        (.attestKey, [4], .platform, 1),
        (.attestKey, [3, 3], .platform, 2), (.generateAssertion, [0], nil, 1), (.generateAssertion, [0, 0], nil, 2),
        (.generateAssertion, [2], nil, 2), (.generateAssertion, [3], nil, 2), (.generateAssertion, [4], .platform, 1),
        (.generateAssertion, [3, 3], .platform, 2),
    ]

    /// Each error of App Attest while enrolling, with what follows.
    @Test(arguments: platformTable)
    func platformErrors(_ call: TestPhone.Call, _ codes: [Int], _ code: AssayClientError.Code?, _ keys: Int)
        async throws
    {
        codes.forEach { phone.fail(call, $0) }
        let error = await failure(try attestor())
        #expect(error?.code == code)
        if code != nil { #expect(error?.message.contains("dc:\(codes[0])") == true) }
        #expect(phone.count(.generateKey) == keys)
        #expect(phone.attestations.allSatisfy { $0 == 1 })
    }

    /// A feature that is missing shows at the first call: the request goes without evidence.
    @Test(arguments: [TestPhone.Call.generateKey, .attestKey, .generateAssertion])
    func unsupportedLate(_ call: TestPhone.Call) async throws {
        phone.fail(call, 1)
        #expect(await failure(try attestor()) == nil)
        let field = backend.requests(orders).last?.value(forHTTPHeaderField: "Assay-Evidence")
        #expect(field?.hasPrefix(#"none;reason=unsupported;code="dc:1";"#) == true)
    }

    private static let remedyTable: [(String, AssayClientError.Code?, Int, Int, Int)] = [
        ("update-app", .updateApp, 1, 1, 1), ("none", .refused, 1, 1, 1),
        ("retry", nil, 2, 1, 1), ("new-challenge", nil, 2, 1, 2), ("new-attestation", nil, 2, 2, 2),
    ]

    /// Every remedy of a judge, once: what was made anew, and that the request was sent again.
    @Test(arguments: remedyTable)
    func remedies(_ remedy: String, _ code: AssayClientError.Code?, _ sent: Int, _ keys: Int, _ challenges: Int)
        async throws
    {
        try backend.next(orders, 401, #"{"remedy": "\#(remedy)", "code": "some-code"}"#)
        #expect(await failure(try attestor())?.code == code)
        let requests = backend.requests(orders)
        #expect(requests.count == sent)
        #expect(Set(requests.map { $0.value(forHTTPHeaderField: "Signature") }).count == sent)
        #expect(phone.count(.generateKey) == keys)
        #expect(backend.requests("/challenges").count == challenges)
        let nonces = requests.filter { $0.value(forHTTPHeaderField: "Signature-Input")?.contains(";nonce=") == true }
        #expect(nonces.count == (remedy == "new-challenge" ? 1 : 0))
    }

    /// The second refusal of the same kind is the app's error.
    @Test func refusedTwice() async throws {
        for _ in 0..<2 { try backend.next(orders, 401, #"{"remedy": "retry"}"#) }
        #expect(await failure(try attestor())?.code == .refused)
        #expect(backend.requests(orders).count == 2)
    }

    /// Answers of the app's backend are the app's, also errors without a remedy. What may come from something before the judge
    /// does not confirm a key whose enrolment was not answered.
    @Test(arguments: [204, 400, 404, 409], [true]) func ownAnswers(_ status: Int, _ isJudged: Bool) async throws {
        let fields = ["Content-Type": "text/html", "Retry-After": "3", "Location": "https://elsewhere.example/"]
        let attestor = try attestor()
        backend.fail("/enrolments", sent: true)
        try backend.next(orders, status, "<html></html>", fields)
        #expect(try await attestor.data(for: EndToEndTests.order()).1.statusCode == status)
        #expect(await attestor.stored?.model.record.phase == (isJudged ? .enrolled : .submitted))
        try backend.next(orders, status, "<html></html>", fields)
        let source = TokenSource(attestor, audience: "a")
        #expect(try await source.data(for: EndToEndTests.order()).1.statusCode == status)
    }

    @Test(arguments: [302, 304, 307, 401, 403, 429, 500, 502, 503]) func foreignAnswers(_ status: Int) async throws {
        try await ownAnswers(status, false)
    }

    /// What was sent once and perhaps executed is not sent again.
    @Test func outcomeUnknown() async throws {
        let attestor = try attestor()
        backend.fail(orders, sent: true)
        #expect(await failure(attestor)?.code == .outcomeUnknown)
        backend.fail(orders, "url:-1009", sent: false)
        #expect(await failure(attestor)?.code == .later)
        // URLSession has sent it twice, and the answer is that to the second.
        try backend.next(orders, 401, #"{"remedy": "retry"}"#, resent: true)
        #expect(await failure(attestor)?.code == .outcomeUnknown)
        #expect(backend.requests(orders).count == 3)
    }

    /// After a refused counter the requests go one after the other.
    @Test func turns() async throws {
        let attestor = try attestor()
        try backend.next(orders, 401, #"{"remedy": "retry", "code": "counter-not-increasing"}"#)
        #expect(await failure(attestor) == nil)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await attestor.data(for: EndToEndTests.order()).1.statusCode } }
            for try await status in group { #expect(status == 200) }
        }
        let counters = backend.requests(orders).dropFirst().compactMap { request in
            request.value(forHTTPHeaderField: "Signature").flatMap {
                Data(base64Encoded: String($0.dropFirst(7).dropLast()))
            }?.last
        }
        #expect(counters == counters.sorted())
    }

    // MARK: State

    /// A storage that cannot be read, and one before the first unlock: no key is made.
    @Test(arguments: [(false, AssayClientError.Code.storage), (true, .locked)])
    func unreadableStorage(_ isLocked: Bool, _ code: AssayClientError.Code) async throws {
        let error = await failure(try attestor(BrokenStorage(readFails: true, isLocked: isLocked)))
        #expect(error?.code == code)
        #expect(phone.count(.generateKey) == 0)
    }

    /// A storage that cannot be written: without a record there is no key, or each start would make one.
    @Test func unwritableStorage() async throws {
        #expect(await failure(try attestor(BrokenStorage(readFails: false, isLocked: false)))?.code == .storage)
        #expect(phone.count(.generateKey) == 0)
    }

    /// The app and its extension at the same time make one key.
    @Test func twoProcesses() async throws {
        let storage = MemoryStorage()
        let attestors = try ["app", "extension"].map { name in try attestor(storage) { $0.process = name } }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask { try await attestors[index % 2].data(for: EndToEndTests.order()).1.statusCode }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(phone.count(.generateKey) == 1)
        #expect(phone.attestations == [1])
    }

    /// A reinstallation leaves the Keychain and takes the keys: another mark, another key, without a failed signature.
    @Test func reinstallation() async throws {
        let storage = MemoryStorage()
        #expect(await failure(try attestor(storage)) == nil)
        phone.loseKeys()
        #expect(await failure(try attestor(storage) { $0.installation = { "another" } }) == nil)
        #expect(phone.count(.generateKey) == 2)
        #expect(phone.count(.generateAssertion) == 2)
    }

    /// A caller that waits no more gets its error at once; the enrolment goes on.
    @Test func cancellation() async throws {
        let attestor = try attestor()
        let task = Task { () -> AssayClientError? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(attestor)
        }
        #expect(await task.value?.code == .cancelled)
        #expect(await failure(attestor) == nil)
        try await attestor.forget()
        #expect(await failure(attestor) == nil)
        #expect(phone.count(.generateKey) == 2)
    }

    /// Enrolment in the background, and the end of a wait when the network is back.
    @Test func preparation() async throws {
        let attestor = try attestor { $0.sendsDeviceToken = true }
        backend.fail("/challenges", "url:-1009", sent: false)
        try await attestor.prefetch()
        await backend.wait(for: 1, of: "/challenges")
        await wait("the failure") { await attestor.stored?.model.record.cause == "network" }
        await attestor.networkIsBack()
        await wait("the enrolment") { await attestor.stored?.model.record.phase == .enrolled }
        #expect(phone.count(.generateToken) == 1)
        let body = try #require(backend.requests("/enrolments").first?.httpBody)
        let record = try #require(JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(record["deviceToken"] as? String == Data("device token".utf8).base64EncodedString())
        #expect(record["kind"] as? String == "app-attest.attestation")
    }

    /// No event has a challenge, a token, the key or the account in it.
    @Test func events() async throws {
        let events = Events()
        let attestor = try attestor {
            $0.observe = { events.add($0) }
            $0.signsChallenges = true
        }
        phone.fail(.attestKey, 3)
        #expect(await failure(attestor) == nil)
        let source = TokenSource(attestor, audience: "https://api.example.com")
        #expect(try await source.data(for: EndToEndTests.order()).1.statusCode == 200)
        let key = try #require(await attestor.stored?.model.record.key)
        let text = "\(events.all)"
        for secret in backend.secrets + [key, "user-42", "orders"] { #expect(!text.contains(secret)) }
        for name in [
            "challenge", "generateKey", "attestKey", "enrol", "generateAssertion", "request-challenge", "token",
        ] {
            #expect(text.contains("\"\(name)\""), "\(name)")
        }
        #expect(text.contains("dc:3"))
        #expect(events.all.contains(.phase("enrolled", halt: nil)))
    }

    /// Settings that cannot work.
    @Test func settings() throws {
        let changes: [(inout Configuration) -> Void] = [
            { $0.challenges = URL(fileURLWithPath: "/x") }, { $0.keysADay = 0 }, { $0.appVersion = "é" },
            { $0.coveredFields = ["Authorization"] }, { $0.systemVersion = "" },
        ]
        for change in changes {
            let error = #expect(throws: AssayClientError.self) { try attestor(MemoryStorage(), change) }
            #expect(error?.code == .configuration)
        }
    }

    /// Covered fields must be there when the request is signed.
    @Test func coveredFields() async throws {
        let attestor = try attestor { $0.coveredFields = ["idempotency-key"] }
        #expect(await failure(attestor)?.code == .request)
        var request = try EndToEndTests.order()
        request.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        #expect(try await attestor.data(for: request).1.statusCode == 200)
        #expect(
            backend.requests(orders).last?.value(forHTTPHeaderField: "Signature-Input")?
                .hasPrefix(#"assay=("@method" "@target-uri" "idempotency-key" "content-digest");"#) == true)
    }

    // MARK: Tokens

    private static let tokenTable: [([String], Int, Int, Int)] = [
        (["invalid_token"], 2, 2, 200), (["use_dpop_nonce"], 1, 2, 200), (["invalid_dpop_proof"], 1, 2, 200),
        (["invalid_dpop_proof", "invalid_dpop_proof"], 1, 2, 401), (["use_dpop_nonce", "invalid_token"], 2, 3, 200),
    ]

    /// What a service says about a token or its proof (RFC 9449), and what the kit sends then.
    @Test(arguments: tokenTable)
    func tokenErrors(_ errors: [String], _ tokens: Int, _ sent: Int, _ status: Int) async throws {
        let source = TokenSource(try attestor(), audience: "https://api.example.com")
        for error in errors {
            try backend.next(
                orders, 401, "{}", ["WWW-Authenticate": "DPoP error=\"\(error)\"", "DPoP-Nonce": "server-nonce"])
        }
        #expect(try await source.data(for: EndToEndTests.order()).1.statusCode == status)
        #expect(backend.requests("/tokens").count == tokens)
        #expect(backend.requests(orders).count == sent)
        #expect(Set(backend.requests(orders).map { $0.value(forHTTPHeaderField: "DPoP") }).count == sent)
    }

    /// A second token that is refused too, a bearer token, and a rejected exchange are errors.
    @Test func badTokens() async throws {
        let source = TokenSource(try attestor(), audience: "https://api.example.com")
        for _ in 0..<2 { try backend.next(orders, 401, "{}", ["WWW-Authenticate": "DPoP error=\"invalid_token\""]) }
        let refused = await #expect(throws: AssayClientError.self) { try await source.data(for: EndToEndTests.order()) }
        #expect(refused?.code == .refused)
        let answers: [(Int, String, AssayClientError.Code)] = [
            (201, #"{"token": "t", "tokenType": "Bearer", "expiresIn": 300}"#, AssayClientError.Code.answer),
            (403, #"{"remedy": "contact-support"}"#, .contactSupport),
            (422, #"{"code": "evidence-not-bound"}"#, .answer),
        ]
        for (status, body, code) in answers {
            let other = TokenSource(try attestor(), audience: "https://api.example.com")
            try backend.next("/tokens", status, body)
            let error = await #expect(throws: AssayClientError.self) {
                try await other.data(for: EndToEndTests.order())
            }
            #expect(error?.code == code)
        }
    }
}

/// The events of a test.
private final class Events: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [ClientEvent] = []

    var all: [ClientEvent] { lock.withLock { events } }
    func add(_ event: ClientEvent) { lock.withLock { events.append(event) } }
}

/// A storage that fails.
private struct BrokenStorage: StateStorage {
    let readFails: Bool
    let isLocked: Bool

    func read(_ name: StateName) throws -> StoredState? {
        if readFails { throw StorageFailure("keychain -25308", isLocked: isLocked) }
        return nil
    }

    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        throw StorageFailure("keychain -34018")
    }
}
