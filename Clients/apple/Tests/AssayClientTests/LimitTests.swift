import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A clock that stands still, and whose long sleeps end when the test says so.
final class HurriedClock: ClientClock, @unchecked Sendable {
    private let lock = NSLock()
    private var time = SystemClock().now
    private var ends = 0
    private var slept: [Int] = []

    var now: Int { lock.withLock { time } }
    /// What the kit wanted to sleep.
    var sleeps: [Int] { lock.withLock { slept } }

    /// Ends the calls under way, once so many have begun.
    func end(calls: Int) async {
        await wait("\(calls) calls") { sleeps.filter { $0 == ClientModel.callLimit }.count >= calls }
        lock.withLock { ends += 1 }
    }

    func goOn(by milliseconds: Int) { lock.withLock { time += milliseconds } }

    func sleep(milliseconds: Int) async throws {
        let begun = lock.withLock {
            slept.append(milliseconds)
            return ends
        }
        while milliseconds != ClientModel.callLimit || lock.withLock({ ends }) == begun {
            try await Task.sleep(nanoseconds: 1_000_000)
        }
    }
}

/// A platform whose calls do not end, whoever cancels them, until the test says so.
final class HeldPlatform: AttestationPlatform, @unchecked Sendable {
    private let lock = NSLock()
    private var held: TestPhone.Call?
    private(set) var failure: PlatformFailure?
    private let phone: SoftwarePlatform

    init(_ phone: TestPhone, holds call: TestPhone.Call? = nil) {
        self.phone = SoftwarePlatform(phone: phone)
        held = call
    }

    func release() { lock.withLock { held = nil } }
    /// The next calls fail.
    func fail(_ failure: PlatformFailure?) { lock.withLock { self.failure = failure } }

    private func pass(_ call: TestPhone.Call) async throws(PlatformFailure) {
        if let failure = lock.withLock({ failure }) { throw failure }
        await Task.detached { await wait("the release") { self.lock.withLock { self.held != call } } }.value
    }

    var unsupported: UnsupportedReason? { nil }

    func generateKey() async throws(PlatformFailure) -> String {
        try await pass(.generateKey)
        return try await phone.generateKey()
    }

    func attestKey(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
        try await pass(.attestKey)
        return try await phone.attestKey(keyID, clientDataHash: clientDataHash)
    }

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
        try await pass(.generateAssertion)
        return try await phone.generateAssertion(keyID, clientDataHash: clientDataHash)
    }

    func deviceToken() async -> Data? { nil }
}

/// Calls that do not end, callers that give up, and accounts that are forgotten meanwhile.
struct LimitTests {
    private let backend = FakeBackend()
    private let phone = TestPhone()
    private let clock = HurriedClock()
    private let orders = "/v1/orders"

    private func attestor(
        _ platform: (any AttestationPlatform)? = nil, _ storage: any StateStorage = MemoryStorage(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> AppAttestor {
        var settings = Configuration(app: "shop-ios", backend: try #require(URL(string: EndToEndTests.base)))
        settings.installation = { "installation" }
        settings.process = "app"
        change(&settings)
        return try AppAttestor(
            settings, platform: platform ?? SoftwarePlatform(phone: phone), storage: storage, transport: backend,
            clock: clock)
    }

    private func failure(_ attestor: AppAttestor) async -> AssayClientError? {
        await failure { try await attestor.data(for: $0) }
    }

    private func failure(
        _ send: (URLRequest) async throws -> (Data, HTTPURLResponse)
    ) async -> AssayClientError? {
        do {
            _ = try await send(EndToEndTests.order())
            return nil
        } catch { return error as? AssayClientError }
    }

    // MARK: Time

    /// A call of the platform that never ends fails by the kit's clock; its late result changes nothing.
    @Test(arguments: [(TestPhone.Call.generateKey, 2), (.attestKey, 3), (.generateAssertion, 5)])
    func platformWithoutEnd(_ call: TestPhone.Call, _ number: Int) async throws {
        let platform = HeldPlatform(phone, holds: call)
        let attestor = try attestor(platform)
        async let first = failure(attestor)
        await clock.end(calls: number)
        let error = await first
        #expect(error?.code == .platform)
        #expect(error?.detail == "timeout")
        clock.goOn(by: 60_000)
        platform.release()
        #expect(await failure(attestor) == nil)
        #expect(backend.requests(orders).count == 1)
        #expect(phone.attestations.allSatisfy { $0 == 1 })
    }

    /// So do the app's `authorize` and the backend, for an enrolment and for tokens.
    @Test func authorizeWithoutEnd() async throws {
        let attestor = try attestor {
            $0.authorize = { _ in while (try? await Task.sleep(nanoseconds: 1_000_000)) != nil {} }
        }
        async let first = failure(attestor)
        await clock.end(calls: 1)
        let error = await first
        #expect(error?.code == .later)
        #expect(error?.detail == "timeout")
    }

    @Test(arguments: [("/challenges", 1), ("/enrolments", 4), ("/tokens", 6)])
    func backendWithoutEnd(_ path: String, _ number: Int) async throws {
        let source = TokenSource(try attestor(), audience: "https://api.example.com")
        backend.hold(path)
        async let first = failure { try await source.data(for: $0) }
        await clock.end(calls: number)
        // An enrolment without an answer may have been executed: the exchange for a token shows it.
        #expect(await first?.code == (path == "/enrolments" ? nil : .later))
        backend.release(path)
        clock.goOn(by: 600_000)
        #expect(await failure { try await source.data(for: $0) } == nil)
    }

    /// A locked device is not a failure of App Attest: no key is counted, and no long wait begins.
    @Test func lockedPlatform() async throws {
        let platform = HeldPlatform(phone)
        let attestor = try attestor(platform)
        platform.fail(PlatformFailure(.locked, code: "os:-25308"))
        for _ in 0..<5 {
            let error = await failure(attestor)
            #expect(error?.code == .locked)
            #expect(error?.detail == "os:-25308")
            clock.goOn(by: 301_000)
        }
        platform.fail(nil)
        #expect(await failure(attestor) == nil)
        platform.fail(PlatformFailure(.locked, code: "os:-25308"))
        #expect(await failure(attestor)?.code == .locked)
        #expect(phone.count(.generateKey) == 1)
    }

    // MARK: Giving up

    /// A caller that waits for its turn gets its error at once, and the others have theirs.
    @Test func turns() async throws {
        let attestor = try attestor { $0.sendsInTurn = true }
        backend.hold(orders)
        let first = Task { await failure(attestor) }
        await backend.wait(for: 1, of: orders)
        let second = Task { await failure(attestor) }
        let third = Task { await failure(attestor) }
        second.cancel()
        #expect(await second.value?.code == .cancelled)
        #expect(backend.requests(orders).count == 1)
        backend.release(orders)
        #expect(await first.value == nil)
        #expect(await third.value == nil)
    }

    /// A request whose challenge did not come was not sent.
    @Test func challengeWithoutAnswer() async throws {
        let attestor = try attestor { $0.signsChallenges = true }
        #expect(await failure(attestor) == nil)
        backend.fail("/challenges", sent: true)
        #expect(await failure(attestor)?.code == .later)
    }

    /// Requests that wait for their turn fail with the account.
    @Test func forgottenTurns() async throws {
        let attestor = try attestor { $0.sendsInTurn = true }
        backend.hold(orders)
        let first = Task { await failure(attestor) }
        await backend.wait(for: 1, of: orders)
        let second = Task { await failure(attestor) }
        await wait("two operations") { await attestor.operations.count >= 2 }
        try await attestor.forget()
        #expect(await first.value?.code == .outcomeUnknown)
        #expect(await second.value?.code == .cancelled)
        backend.release(orders)
        #expect(await failure(attestor) == nil)
    }

    /// What is on its way may be executed: its caller must ask the server.
    @Test(arguments: [false, true]) func givenUp(isForgotten: Bool) async throws {
        let attestor = try attestor()
        backend.hold(orders)
        let request = Task { await failure(attestor) }
        await backend.wait(for: 1, of: orders)
        if isForgotten { try await attestor.forget() } else { request.cancel() }
        let error = await request.value
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.detail == (isForgotten ? "forgotten" : "cancelled"))
    }

    /// What the app has sent itself: a second copy may be the one that was refused, and a caller may give up.
    @Test func ownSending() async throws {
        let attestor = try attestor()
        let response = try Relay.answer(401, #"{"remedy": "new-challenge"}"#)
        let signed = try await attestor.signed(EndToEndTests.order())
        let error = await #expect(throws: AssayClientError.self) {
            try await attestor.again(signed, response: response.response, body: response.body, wasResent: true)
        }
        #expect(error?.code == .outcomeUnknown)
        let other = try await attestor.signed(EndToEndTests.order())
        backend.hold("/challenges")
        let again = Task { () -> AssayClientError? in
            do throws(AssayClientError) {
                _ = try await attestor.again(other, response: response.response, body: response.body)
            } catch { return error }
            return nil
        }
        await backend.wait(for: 2, of: "/challenges")
        again.cancel()
        #expect(await again.value?.code == .cancelled)
    }

    // MARK: Forgotten accounts, and the network

    /// The tokens of a forgotten account end with it, and their key too.
    @Test func forgottenTokens() async throws {
        let storage = MemoryStorage()
        let attestor = try attestor(nil, storage)
        let source = TokenSource(attestor, audience: "https://api.example.com")
        for _ in 0..<2 { #expect(await failure { try await source.data(for: $0) } == nil) }
        #expect(backend.requests("/tokens").count == 1)
        let name = StateName("token-key", await attestor.configuration)
        let key = try #require(try storage.read(name)?.data)
        try await attestor.forget()
        #expect(try storage.read(name) == nil)
        #expect(await failure { try await source.data(for: $0) } == nil)
        #expect(backend.requests("/tokens").count == 2)
        #expect(try storage.read(name)?.data != key)
        // A token that is fetched meanwhile does not come to life again.
        clock.goOn(by: 3_600_000)
        backend.hold("/tokens")
        let waiting = Task { await failure { try await source.data(for: $0) } }
        await backend.wait(for: 3, of: "/tokens")
        try await attestor.forget()
        backend.release("/tokens")
        #expect(await waiting.value?.code == .cancelled)
        #expect(await failure { try await source.data(for: $0) } == nil)
        #expect(phone.count(.generateKey) == 3)
        // An app that sends nothing renews nothing.
        #expect(clock.sleeps.allSatisfy { $0 == ClientModel.callLimit })
    }

    /// A token that is used near its end is renewed beside the request.
    @Test func renewal() async throws {
        let source = TokenSource(try attestor(), audience: "https://api.example.com")
        await source.prefetch()
        await backend.wait(for: 1, of: "/tokens")
        #expect(await failure { try await source.data(for: $0) } == nil)
        clock.goOn(by: 250_000)
        #expect(await failure { try await source.data(for: $0) } == nil)
        await backend.wait(for: 2, of: "/tokens")
        let tokens = backend.requests(orders).compactMap { $0.value(forHTTPHeaderField: "Authorization") }
        #expect(tokens.count == 2 && tokens[0] == tokens[1])
    }

    /// The end of a wait for the network is that of tokens too.
    @Test func networkIsBack() async throws {
        let attestor = try attestor()
        let source = TokenSource(attestor, audience: "https://api.example.com")
        backend.fail("/tokens", "url:-1009", sent: false)
        for _ in 0..<2 {
            let error = await failure { try await source.data(for: $0) }
            #expect(error?.code == .later)
            #expect(error?.detail == "url:-1009")
        }
        #expect(backend.requests("/tokens").count == 1)
        await attestor.networkIsBack()
        #expect(await failure { try await source.data(for: $0) } == nil)
    }

    /// Another process enrols while this one forgets the account: its key is forgotten too.
    @Test func forgetOvertaken() async throws {
        let storage = RacingStorage()
        let mine = try attestor(nil, storage)
        #expect(await failure(mine) == nil)
        var record = ClientRecord()
        (record.phase, record.key) = (.enrolled, "another")
        storage.race(with: try JSONEncoder().encode(record))
        try await mine.forget()
        let name = StateName("state", await mine.configuration)
        let stored = try ClientRecord(json: try #require(try storage.read(name)?.data))
        #expect(stored.key == nil)
        #expect(stored.phase == .new)
    }

    /// The remedy stands beside the sentence.
    @Test func remedy() async throws {
        let attestor = try attestor()
        try backend.next(orders, 403, #"{"remedy": "update-app", "code": "environment-not-allowed"}"#)
        let error = await failure(attestor)
        #expect(error?.remedy == .updateApp)
        #expect(error?.detail == "environment-not-allowed")
    }
}

/// A storage into which another process writes just before the next write.
private final class RacingStorage: StateStorage, @unchecked Sendable {
    private let memory = MemoryStorage()
    private let lock = NSLock()
    private var other: Data?

    func race(with data: Data) { lock.withLock { other = data } }

    func read(_ name: StateName) throws -> StoredState? { try memory.read(name) }

    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        let other = lock.withLock {
            defer { self.other = nil }
            return self.other
        }
        if let other { _ = try memory.write(other, to: name, replacing: memory.read(name)?.version) }
        return try memory.write(data, to: name, replacing: version)
    }
}
