import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Enrols this device's key with the app's backend, and signs requests with it.
///
/// One actor for each app, environment and account. Several processes may share a storage. All calls throw
/// ``AssayClientError``.
public actor AppAttestor {
    let configuration: Configuration
    let backend: Backend
    let platform: any AttestationPlatform
    let storage: any StateStorage
    let clock: any ClientClock
    var stored: StoredModel?
    var operations: [String: Operation] = [:]
    /// Signatures whose sending is the app's, the oldest first.
    private var unanswered: [String] = []
    private var count = 0
    private var timer: Task<Void, Never>?
    private var sendsInTurn: Bool
    /// The request that has its turn, and those that wait for theirs.
    private var inTurn: String?
    private var queue: [(id: String, fresh: Bool)] = []
    /// How often the account was forgotten, and the network came back: sources of tokens compare them.
    private(set) var marks = (forgotten: 0, network: 0)

    /// - Parameters:
    ///   - configuration: the settings.
    ///   - platform: App Attest, or a software attester in tests.
    ///   - storage: the Keychain on Apple's systems.
    ///   - transport: sends the requests; nil for URLSession with the pins of the configuration.
    ///   - clock: the device's.
    /// - Throws: ``AssayClientError/Code/configuration``.
    public init(
        _ configuration: Configuration, platform: any AttestationPlatform, storage: any StateStorage,
        transport: (any HTTPTransport)? = nil, clock: any ClientClock = SystemClock()
    ) throws(AssayClientError) {
        try configuration.check()
        self.configuration = configuration
        self.platform = platform
        self.storage = storage
        self.clock = clock
        let pinning = configuration.pinning
        let sender = transport ?? URLSessionTransport(pinning: pinning)
        backend = Backend(
            configuration: configuration,
            transport: pinning.map { PinnedTransport(transport: sender, pinning: $0) } ?? sender)
        sendsInTurn = configuration.sendsInTurn
    }

    deinit { timer?.cancel() }

    /// Signs a request, sends it, and acts on a rejection: another signature, a new challenge, a new key.
    ///
    /// - Returns: the answer of the app's backend, of any status that is not the judge's refusal.
    /// - Throws: if the request was not judged, or rejected for good. No request is repeated whose outcome is unknown.
    public nonisolated func data(for request: URLRequest) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request))
    }

    /// The same with a body from a file, which may not change meanwhile.
    public nonisolated func upload(
        for request: URLRequest, fromFile file: URL
    ) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request, file: file))
    }

    private func send(_ prepared: PreparedRequest) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        guard case .answer(let answer) = try await run(.request, prepared) else {
            throw AssayClientError(.platform, "the request ended without an answer: a fault of the kit")
        }
        return (answer.body, answer.response)
    }

    /// Signs a request that the app sends itself, at once and unchanged.
    ///
    /// Give each answer to ``again(_:response:body:wasResent:)``: without it the kit does not learn that the server has lost the key.
    ///
    /// - Parameters:
    ///   - request: the final request. Its URL comes back normalised.
    ///   - file: the body of an upload task.
    public nonisolated func signed(_ request: URLRequest, file: URL? = nil) async throws(AssayClientError) -> URLRequest
    {
        guard case .signed(let signed) = try await run(.signature, PreparedRequest(request, file: file)) else {
            throw AssayClientError(.platform, "the request ended without a signature: a fault of the kit")
        }
        return signed
    }

    /// Takes the answer to a request of ``signed(_:file:)``.
    ///
    /// - Parameter wasResent: whether the app's HTTP library may have sent it more than once, see ``HTTPAnswer/wasResent``.
    /// - Returns: the request with another signature, to be sent once more; nil if the answer is the app's to handle.
    /// - Throws: if the judge has rejected the request, and no other evidence helps.
    public func again(
        _ request: URLRequest, response: HTTPURLResponse, body: Data, wasResent: Bool = false
    ) async throws(AssayClientError) -> URLRequest? {
        guard let signature = request.value(forHTTPHeaderField: "Signature"),
            let id = unanswered.first(where: {
                operations[$0]?.signed?.value(forHTTPHeaderField: "Signature") == signature
            })
        else { return nil }
        unanswered.removeAll { $0 == id }
        operations[id]?.outcome = .judged
        let result = await self.result(of: id) {
            judge(id, HTTPAnswer(response: response, body: body, wasResent: wasResent))
        }
        switch result {
        case .success(.signed(let signed)): return signed
        case .success: return nil
        case .failure(let failure): throw AssayClientError(failure)
        }
    }

    /// Enrols in the background, so that the first request need not wait. Failures are repeated when the time has come.
    public func prefetch() throws(AssayClientError) {
        do { try open() } catch { throw AssayClientError(error) }
        handle(.prefetch)
    }

    /// The network is back: a wait for it ends, also that of tokens. Call it from a monitor of paths.
    public func networkIsBack() {
        marks.network += 1
        handle(.wake(network: true))
    }

    /// Deletes what is known of the account's key, its tokens and their key. Requests under way fail.
    public func forget() throws(AssayClientError) {
        do throws(ClientModel.Failure) {
            try open()
            marks.forgotten += 1
            for next in queue { finish(next.id, .failure(.init(cause: "forgotten"))) }
            var left = 8
            // Each further round is for a write of another process that came first.
            repeat {
                handle(.forget)
                left -= 1
            } while stored?.isForgotten != true && left > 0
            guard stored?.isForgotten == true else { throw .init(cause: "storage") }
            do {
                let name = StateName("token-key", configuration)
                if let entry = try storage.read(name) { _ = try storage.write(nil, to: name, replacing: entry.version) }
            } catch { throw .init(storage: error) }
        } catch { throw AssayClientError(error) }
    }

    /// The server's clock less the device's, in milliseconds.
    var offset: Int { stored?.model.record.offset ?? 0 }

    /// Reads the state, or takes over what another process has done with it.
    private func open() throws(ClientModel.Failure) {
        guard stored == nil else { return refresh() }
        do {
            stored = try StoredModel(
                storage: storage, name: StateName("state", configuration), process: configuration.process,
                keysADay: configuration.keysADay)
        } catch { throw ClientModel.Failure(storage: error) }
        handle(
            .start(
                app: configuration.appVersion, system: configuration.systemVersion,
                installation: configuration.installation(), unsupported: platform.unsupported))
    }

    /// A storage that cannot be read now stops no requests.
    private func refresh() {
        guard let actions = try? stored?.refresh(now: clock.now, jitter: .random(in: 0...1000)) else { return }
        actions.forEach(execute)
    }

    private func run(
        _ purpose: Operation.Purpose, _ prepared: PreparedRequest
    ) async throws(AssayClientError) -> Operation.Outcome {
        for field in configuration.coveredFields where prepared.request.value(forHTTPHeaderField: field) == nil {
            throw AssayClientError(
                .request, "the request has no field `\(field)`, which the settings say to cover: set it")
        }
        do { return try await perform(purpose, prepared, fresh: configuration.signsChallenges) } catch {
            throw AssayClientError(error)
        }
    }

    /// Carries out one request.
    func perform(
        _ purpose: Operation.Purpose, _ prepared: PreparedRequest, fresh: Bool
    ) async throws(ClientModel.Failure) -> Operation.Outcome {
        try open()
        count += 1
        let id = "\(count)"
        operations[id] = Operation(purpose: purpose, prepared: prepared)
        return try await result(of: id) {
            guard case .request = purpose, sendsInTurn else { return handle(.need(op: id, fresh: fresh)) }
            queue.append((id, fresh))
            beginTurn()
        }.get()
    }

    private func result(of id: String, _ begin: () -> Void) async -> Result<Operation.Outcome, ClientModel.Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                operations[id]?.continuation = continuation
                begin()
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func cancel(_ id: String) {
        guard operations[id] != nil else { return }
        handle(.cancel(op: id))
        finish(id, .failure(.init(cause: "cancelled")))
    }

    /// Gives the caller the result, and ends the operation.
    func finish(_ id: String, _ result: Result<Operation.Outcome, ClientModel.Failure>) {
        guard let operation = operations.removeValue(forKey: id) else { return }
        unanswered.removeAll { $0 == id }
        queue.removeAll { $0.id == id }
        if inTurn == id {
            inTurn = nil
            // After the other actions of the event that ends this one.
            Task {
                refresh()
                beginTurn()
            }
        }
        var result = result
        if let sending = operation.sending {
            sending.cancel()
            // Given up by the app or by `forget`: the server may have it.
            if case .failure(let it) = result { result = .failure(.init(cause: "network", code: it.cause, sent: true)) }
        }
        var failure: String?
        if case .failure(let it) = result { failure = it.code.map { "\(it.cause) \($0)" } ?? it.cause }
        configuration.observe(
            .request(signatures: operation.signatures, milliseconds: operation.milliseconds, failure: failure))
        operation.continuation?.resume(returning: result)
    }

    /// Gives the caller a signed request, and keeps the operation until ``again(_:response:body:wasResent:)``.
    func handOver(_ id: String) {
        guard let signed = operations[id]?.signed, let continuation = operations[id]?.continuation else { return }
        operations[id]?.continuation = nil
        unanswered.append(id)
        continuation.resume(returning: .success(.signed(signed)))
        if unanswered.count > 64, let oldest = unanswered.first { cancel(oldest) }
    }

    /// From now on a request waits for the answer to the one before.
    func beginTurns() { sendsInTurn = true }

    private func beginTurn() {
        guard inTurn == nil, !queue.isEmpty else { return }
        let next = queue.removeFirst()
        inTurn = next.id
        handle(.need(op: next.id, fresh: next.fresh))
    }

    /// Takes an event, and executes what follows.
    func handle(_ event: ClientModel.Event) {
        let actions = stored?.step(event, now: clock.now, jitter: .random(in: 0...1000)) ?? []
        actions.forEach(execute)
    }

    /// Sends a wake at the time, or sooner to see whether another process has ended its work.
    func wake(at time: Int) {
        timer?.cancel()
        let now = clock.now
        let delay = max(0, (stored?.model.waitsForOther ?? false ? min(time, now + 1000) : time) - now)
        timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(milliseconds: delay)) != nil, !Task.isCancelled else { return }
            await self?.wakeUp()
        }
    }

    private func wakeUp() {
        refresh()
        handle(.wake(network: false))
    }
}
