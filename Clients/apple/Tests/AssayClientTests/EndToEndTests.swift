import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A clock that a test sets wrong.
struct SkewedClock: ClientClock {
    let offset: Int
    var now: Int { SystemClock().now + offset }
    func sleep(milliseconds: Int) async throws { try await SystemClock().sleep(milliseconds: milliseconds) }
}

/// The kit against the real service, through a relay as an app's backend has it.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: AssayService.isWanted, "ASSAY_PROGRAM is not set: the path of the program `assay`"))
struct EndToEndTests {
    static let base = "https://api.example.com"

    static func platform(_ phone: TestPhone) -> any AttestationPlatform {
        #if ASSAY_CLIENT_STUBS
            PhonePlatform(phone: phone)
        #else
            SoftwarePlatform(phone: phone)
        #endif
    }

    static func attestor(
        _ phone: TestPhone, _ transport: any HTTPTransport, _ storage: any StateStorage = MemoryStorage(),
        clock: any ClientClock = SystemClock(), app: String = "shop-ios", account: String = "user-42",
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> AppAttestor {
        var configuration = Configuration(app: app, backend: try #require(URL(string: base)))
        configuration.account = account
        configuration.installation = { "installation" }
        configuration.process = "app"
        change(&configuration)
        return try AppAttestor(
            configuration, platform: platform(phone), storage: storage, transport: transport, clock: clock)
    }

    static func order(_ path: String = "/v1/orders?id=7") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"amount":42}"#.utf8)
        return request
    }

    /// One key and one attestation serve all requests.
    @Test func enrolsAndSigns() async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay)
        for _ in 0..<3 { #expect(try await attestor.data(for: Self.order()).1.statusCode == 200) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var upload = try Self.order()
        upload.httpBody = nil
        #expect(try await attestor.upload(for: upload, fromFile: file).1.statusCode == 200)
        #expect(relay.executed == 4)
        #expect(phone.attestations == [1])
        #expect(relay.count("/challenges") == 1)
    }

    /// The same signature a second time, and signatures in another order than they were made: refused, and signed again.
    @Test func replayAndOrder() async throws {
        let relay = Relay(try await AssayService())
        let attestor = try Self.attestor(TestPhone(), relay)
        let first = try await attestor.signed(Self.order())
        let second = try await attestor.signed(Self.order())
        #expect(try await relay.send(second, file: nil, limit: nil).response.statusCode == 200)
        for late in [second, first] {
            let refused = try await relay.send(late, file: nil, limit: nil)
            #expect(refused.response.statusCode == 401)
            let again = try #require(try await attestor.again(late, response: refused.response, body: refused.body))
            let answer = try await relay.send(again, file: nil, limit: nil)
            #expect(answer.response.statusCode == 200)
            #expect(try await attestor.again(again, response: answer.response, body: answer.body) == nil)
        }
    }

    /// Many callers at once make one key.
    @Test func manyCallers() async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay) { $0.sendsInTurn = true }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await attestor.data(for: Self.order()).1.statusCode } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(phone.count(.generateKey) == 1)
        #expect(phone.count(.attestKey) == 1)
        #expect(relay.executed == 20)
    }

    /// Without an answer to the attestation a request shows that the key is enrolled; the attestation is not sent again.
    @Test func lostAnswer() async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay)
        relay.loseAnswers("/enrolments")
        // The first request ends with the failure or is served once the state is known.
        _ = try? await attestor.data(for: Self.order())
        #expect(try await attestor.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.attestKey) == 1)
        #expect(relay.count("/enrolments") == 1)
    }

    /// A request whose answer is lost is not repeated.
    @Test func outcomeUnknown() async throws {
        let relay = Relay(try await AssayService())
        let attestor = try Self.attestor(TestPhone(), relay)
        relay.loseAnswers("/v1/orders")
        let error = await #expect(throws: AssayClientError.self) { try await attestor.data(for: Self.order()) }
        #expect(error?.code == .outcomeUnknown)
        #expect(relay.executed == 1)
    }

    /// A challenge that another attestation has used: a new challenge and a new key, once.
    @Test func usedChallenge() async throws {
        let service = try await AssayService()
        let (relay, other) = (Relay(service), Relay(service))
        let phone = TestPhone()
        // Two phones with one challenge: the second is refused.
        let challenge = try await service.post(
            ["app": "shop-ios", "kind": "app-attest.attestation"], to: "/v1/challenges")
        for transport in [other, relay] { transport.answer("/challenges", with: challenge) }
        #expect(try await Self.attestor(TestPhone(), other).data(for: Self.order()).1.statusCode == 200)
        #expect(try await Self.attestor(phone, relay).data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.generateKey) == 2)
        #expect(phone.attestations.allSatisfy { $0 == 1 })
    }

    /// The key is gone on the device: another one, and the request is served.
    @Test func lostKey() async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay)
        _ = try await attestor.data(for: Self.order())
        phone.loseKeys()
        #expect(try await attestor.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.generateKey) == 2)
    }

    /// A ledger that does not know the key: another one.
    @Test func emptyLedger() async throws {
        let service = try await AssayService()
        let relay = Relay(service)
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay)
        _ = try await attestor.data(for: Self.order())
        try await service.restart(ledger: "sqlite:empty.sqlite")
        #expect(try await attestor.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.generateKey) == 2)
    }

    /// Each account has a key of its own on one device; the key of another account is replaced.
    @Test func otherAccount() async throws {
        let service = try await AssayService()
        let phone = TestPhone()
        let storage = MemoryStorage()
        let mine = try Self.attestor(phone, Relay(service), storage)
        _ = try await mine.data(for: Self.order())
        let relay = Relay(service, account: "user-43")
        let other = try Self.attestor(phone, relay, storage, account: "user-43")
        #expect(try await other.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.generateKey) == 2)
        #expect(try await mine.data(for: Self.order()).1.statusCode == 200)
        // The session changes under the kit: the server refuses the key, and the kit makes one for the account.
        let changed = try Self.attestor(phone, relay, storage)
        #expect(try await changed.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.generateKey) == 3)
    }

    /// A development key under a policy for production: the error names the cause, and no further key is made.
    @Test func developmentKey() async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone(environment: "development")
        let attestor = try Self.attestor(phone, relay)
        for _ in 0..<2 {
            let error = await #expect(throws: AssayClientError.self) { try await attestor.data(for: Self.order()) }
            #expect(error?.code == .updateApp)
            #expect(error?.message.contains("environment") == true)
        }
        #expect(phone.count(.generateKey) == 1)
    }

    /// 429 and 503 on the way to a key: the error says how long to wait, and the key is kept.
    @Test(arguments: [429, 503]) func outages(_ status: Int) async throws {
        let relay = Relay(try await AssayService())
        let phone = TestPhone()
        let attestor = try Self.attestor(phone, relay)
        relay.answer("/challenges", with: try Relay.answer(status, #"{"code": "outage"}"#, ["Retry-After": "1"]))
        let error = await #expect(throws: AssayClientError.self) { try await attestor.data(for: Self.order()) }
        #expect(error?.code == .later)
        #expect(error?.detail == "outage")
        #expect((error?.retryAfter ?? 0) >= 1)
        // The wait of an enrolment goes by the clock.
        while (try? await attestor.data(for: Self.order())) == nil { try await Task.sleep(nanoseconds: 100_000_000) }
        #expect(phone.count(.generateKey) == 1)
    }

    /// The device's clock is wrong by two minutes, or by a day: learned from the server's answers.
    @Test(arguments: [-120_000, 120_000, -86_000_000, 86_000_000]) func wrongClock(_ offset: Int) async throws {
        let relay = Relay(try await AssayService())
        let attestor = try Self.attestor(TestPhone(), relay, clock: SkewedClock(offset: offset))
        for _ in 0..<2 { #expect(try await attestor.data(for: Self.order()).1.statusCode == 200) }
        #expect(relay.requests.count == 2)
    }

    /// The process is killed after each of its writes: the next one goes on, and no key is attested twice.
    @Test func killed() async throws {
        let service = try await AssayService()
        let recorder = RecordingStorage()
        _ = try await Self.attestor(TestPhone(), Relay(service), recorder).data(for: Self.order())
        let writes = recorder.writes
        #expect(writes > 4)
        for number in 1...writes {
            let phone = TestPhone()
            let relay = Relay(service)
            let storage = RecordingStorage(until: number)
            let doomed = try Self.attestor(phone, relay, storage) { $0.account = "user-\(number)" }
            let request = Task { try? await doomed.data(for: Self.order()) }
            // A request that needs fewer writes ends the wait too.
            let end = Task {
                _ = await request.value
                storage.end()
            }
            await storage.waitForEnd()
            let next = try Self.attestor(phone, relay, storage.survivor) { $0.account = "user-\(number)" }
            #expect(try await next.data(for: Self.order()).1.statusCode == 200, "killed after write \(number)")
            #expect(phone.count(.generateKey) <= 2)
            #expect(phone.attestations.allSatisfy { $0 == 1 })
            request.cancel()
            await end.value
        }
    }

    /// A token by a signed request, used for many requests and renewed without an attestation.
    ///
    /// - Parameter isStrict: whether the policy says `requests: { nonce: ledger }`.
    @Test(arguments: [false, true]) func tokens(isStrict: Bool) async throws {
        let app = isStrict ? "shop-strict" : "shop-tokens"
        let relay = Relay(try await AssayService(), app: app)
        let phone = TestPhone()
        let storage = MemoryStorage()
        let attestor = try Self.attestor(phone, relay, storage, app: app) { $0.signsChallenges = isStrict }
        let source = TokenSource(attestor, audience: Self.base)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await source.data(for: Self.order()).1.statusCode } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(relay.count("/tokens") == 1)
        #expect(relay.count("/challenges") == (isStrict ? 2 : 1))
        #expect(phone.count(.attestKey) == 1)
        // One signature gives the tokens of two audiences, and a request has the one that it asks for.
        let both = TokenSource(attestor, audience: Self.base, others: ["pay"])
        let made = relay.count("/tokens")
        for audience in [nil, "pay", Self.base] {
            #expect(try await both.data(for: Self.order(), audience: audience).1.statusCode == 200)
        }
        #expect(relay.count("/tokens") == made + 1)
        await #expect(throws: AssayClientError.self) {
            _ = try await both.data(for: Self.order(), audience: "stranger")
        }
        // Another process has the same key, and a token of its own. Without the setting, the server asks for a challenge where it needs one.
        let other = TokenSource(try Self.attestor(phone, relay, storage, app: app), audience: Self.base)
        #expect(try await other.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.attestKey) == 1)
        #expect(relay.count("/tokens") == (isStrict ? 4 : 3))
        // Signed requests of the strict app take a challenge each.
        let signing = try Self.attestor(phone, relay, storage, app: app) { $0.signsChallenges = isStrict }
        #expect(try await signing.data(for: Self.order()).1.statusCode == 200)
        try await attestor.forget()
        #expect(try await source.data(for: Self.order()).1.statusCode == 200)
        #expect(phone.count(.attestKey) == 2)
    }
}

#if ASSAY_CLIENT_STUBS
    /// The adapter of DeviceCheck on one phone, whatever task calls it.
    struct PhonePlatform: AttestationPlatform {
        let phone: TestPhone
        private let adapter = DeviceCheckPlatform()

        init(phone: TestPhone) { self.phone = phone }

        var unsupported: UnsupportedReason? { TestPhone.$current.withValue(phone) { adapter.unsupported } }

        func generateKey() async throws(PlatformFailure) -> String {
            try await on { () async throws(PlatformFailure) in try await adapter.generateKey() }
        }

        func attestKey(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
            try await on { () async throws(PlatformFailure) in
                try await adapter.attestKey(keyID, clientDataHash: clientDataHash)
            }
        }

        func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
            try await on { () async throws(PlatformFailure) in
                try await adapter.generateAssertion(keyID, clientDataHash: clientDataHash)
            }
        }

        func deviceToken() async -> Data? {
            await TestPhone.$current.withValue(phone) { await adapter.deviceToken() }
        }

        private func on<T: Sendable>(_ call: () async throws(PlatformFailure) -> T) async throws(PlatformFailure) -> T {
            let result = await TestPhone.$current.withValue(phone) { () async -> Result<T, PlatformFailure> in
                do throws(PlatformFailure) { return .success(try await call()) } catch { return .failure(error) }
            }
            return try result.get()
        }
    }
#endif

/// Counts the writes, and after one of them keeps what was stored, as if the process had ended.
final class RecordingStorage: StateStorage, @unchecked Sendable {
    private let lock = NSLock()
    private let live = MemoryStorage()
    /// What the next process finds.
    let survivor = MemoryStorage()
    private let last: Int?
    private var count = 0
    private var hasEnded = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(until last: Int? = nil) { self.last = last }

    var writes: Int { lock.withLock { count } }

    func read(_ name: StateName) throws -> StoredState? { try live.read(name) }

    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        try lock.withLock {
            // Nothing happens in a process that has ended: its platform calls are not made.
            if let last, count >= last { throw StorageFailure("ended") }
            let new = try live.write(data, to: name, replacing: version)
            count += 1
            if count == last, let data {
                _ = try survivor.write(data, to: name, replacing: nil)
                release()
            }
            return new
        }
    }

    /// No further write comes.
    func end() { lock.withLock { release() } }

    private func release() {
        hasEnded = true
        waiting.forEach { $0.resume() }
        waiting = []
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            lock.withLock { if hasEnded { continuation.resume() } else { waiting.append(continuation) } }
        }
    }
}
