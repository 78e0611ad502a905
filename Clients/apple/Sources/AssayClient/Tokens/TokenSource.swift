import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with a token of Assay in place of a signature for each one: cached, renewed before its end, and bound to
/// a key of this device by DPoP proofs (RFC 9449).
///
/// A token costs one signature of the enrolled key and no attestation. It is kept in memory only.
public actor TokenSource {
    private let attestor: AppAttestor
    private let audience: String
    private var model = TokenModel()
    private var waiting: [String: CheckedContinuation<Result<String, ClientModel.Failure>, Never>] = [:]
    private var key: ProofKey?
    private var timer: Task<Void, Never>?
    private var count = 0
    /// Of the last field `DPoP-Nonce`, for each host.
    private var nonces: [String: String] = [:]
    private var offset: Int?
    private var withoutEvidence: UnsupportedReason?

    /// - Parameters:
    ///   - attestor: enrols and signs.
    ///   - audience: of the policy's `tokens.audiences`.
    public init(_ attestor: AppAttestor, audience: String) {
        self.attestor = attestor
        self.audience = audience
    }

    deinit { timer?.cancel() }

    /// Gets a token in the background, and renews it before its end.
    public func prepare() { handle(.prefetch) }

    /// Sends a request with a token and a proof. One that a service refuses for its token or proof is sent once more with
    /// another one.
    public func data(for request: URLRequest) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request))
    }

    /// The same with a body from a file.
    public func upload(
        for request: URLRequest, fromFile file: URL
    ) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request, file: file))
    }

    /// Deletes the account's key and token. Requests that wait fail.
    public func forget() async throws(AssayClientError) {
        handle(.forget)
        key = nil
        do {
            let name = keyName
            if let entry = try attestor.storage.read(name) {
                _ = try attestor.storage.write(nil, to: name, replacing: entry.version)
            }
        } catch { throw AssayClientError(.init("storage")) }
        try await attestor.forget()
    }

    // MARK: Requests

    private func send(_ prepared: PreparedRequest) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        count += 1
        let id = "\(count)"
        defer { handle(.done(op: id)) }
        var event = TokenModel.Event.need(op: id)
        var hasNewProof = false
        while true {
            let token: String
            switch await wait(id, event) {
            case .success(let it): token = it
            case .failure(let failure):
                guard let reason = withoutEvidence, failure.cause == "unsupported" else {
                    throw AssayClientError(failure)
                }
                var request = prepared.request
                attestor.addReason(reason, to: &request)
                return try await transmit(request, prepared.file)
            }
            var (body, response) = try await transmit(bound(prepared.request, to: token), prepared.file)
            guard response.statusCode == 401, let challenge = Self.challenge(response) else { return (body, response) }
            if challenge != "invalid_token", !hasNewProof {
                // Another proof may be good: the server's nonce is known now, and its clock.
                hasNewProof = true
                (body, response) = try await transmit(bound(prepared.request, to: token), prepared.file)
                guard response.statusCode == 401, Self.challenge(response) == "invalid_token" else {
                    return (body, response)
                }
            } else if challenge != "invalid_token" {
                return (body, response)
            }
            event = .refused(op: id)
        }
    }

    /// The error that a server names for a token or its proof (RFC 9449 section 7.1); nil if the answer is another one.
    static func challenge(_ response: HTTPURLResponse) -> String? {
        guard let field = response.value(forHTTPHeaderField: "WWW-Authenticate"), field.lowercased().contains("dpop")
        else {
            return nil
        }
        return ["invalid_token", "invalid_dpop_proof", "use_dpop_nonce"].first { field.contains("\"\($0)\"") }
    }

    private func bound(_ request: URLRequest, to token: String) async throws(AssayClientError) -> URLRequest {
        let key = try proofKey()
        guard let url = request.url else { throw AssayClientError(.request, "the request has no URL") }
        let offset: Int
        if let known = self.offset { offset = known } else { offset = await attestor.offset }
        var request = request
        do {
            let proof = try key.proof(
                method: request.httpMethod ?? "GET", url: url, token: token,
                issued: (attestor.clock.now + offset) / Milliseconds.second, nonce: nonces[url.host ?? ""])
            request.setValue(proof, forHTTPHeaderField: "DPoP")
        } catch {
            throw AssayClientError(.platform, "the key of the token cannot sign: call `forget`, or repeat later")
        }
        request.setValue("DPoP \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private func transmit(_ request: URLRequest, _ file: URL?) async throws(AssayClientError) -> (Data, HTTPURLResponse)
    {
        let answer: HTTPAnswer
        do { answer = try await attestor.backend.transport.send(request, file: file, limit: nil) } catch {
            throw AssayClientError(.init("network", code: error.code, sent: error.mayHaveBeenSent))
        }
        let read = ServerAnswer(answer)
        if let nonce = read.field("DPoP-Nonce"), let host = request.url?.host { nonces[host] = nonce }
        if let date = read.date { offset = max(-Milliseconds.day, min(Milliseconds.day, date - attestor.clock.now)) }
        if read.isRedirect { throw AssayClientError(.init("redirected", code: "http:\(read.status)", sent: true)) }
        if read.isOutage, let after = read.retryAfter {
            throw AssayClientError(.init("outage", code: read.code ?? "http:\(read.status)", retryAfter: after))
        }
        return (answer.body, answer.response)
    }

    // MARK: Events

    private func wait(_ id: String, _ event: TokenModel.Event) async -> Result<String, ClientModel.Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[id] = continuation
                handle(event)
            }
        } onCancel: {
            Task { await self.resume(id, .failure(.init("cancelled"))) }
        }
    }

    private func resume(_ id: String, _ result: Result<String, ClientModel.Failure>) {
        waiting.removeValue(forKey: id)?.resume(returning: result)
    }

    private func handle(_ event: TokenModel.Event) {
        for action in model.step(event, now: attestor.clock.now, jitter: .random(in: 0...1000)) {
            switch action {
            case .fetch(let turn): Task { await fetch(turn) }
            case .use(let id, let token): resume(id, .success(token))
            case .fail(let id, let failure): resume(id, .failure(failure))
            case .wait(let time):
                timer?.cancel()
                let delay = time - attestor.clock.now
                timer = Task { [weak self, clock = attestor.clock] in
                    guard (try? await clock.sleep(milliseconds: delay)) != nil, !Task.isCancelled else { return }
                    await self?.prepare()
                }
            }
        }
    }

    private func fetch(_ turn: Int) async {
        let result: Result<Operation.Outcome, ClientModel.Failure>
        do throws(AssayClientError) {
            result = try await attestor.token(audience: audience, jkt: proofKey().thumbprint)
        } catch {
            return handle(.fetchFailed(turn: turn, .init(error.code.rawValue)))
        }
        switch result {
        case .success(.token(let token)): handle(.fetched(turn: turn, token: token.value, life: token.life))
        case .success(.withoutEvidence(let reason)):
            withoutEvidence = reason
            handle(.fetchFailed(turn: turn, .init("unsupported", code: reason.code)))
        case .success: handle(.fetchFailed(turn: turn, .init("answer")))
        case .failure(let failure): handle(.fetchFailed(turn: turn, failure))
        }
    }

    // MARK: Key

    private var keyName: StateName {
        let settings = attestor.configuration
        return StateName("token-key", app: settings.app, environment: settings.environment, account: settings.account)
    }

    /// The stored key, or a new one. Of two processes that make one, the second takes that of the first.
    private func proofKey() throws(AssayClientError) -> ProofKey {
        if let key { return key }
        do {
            let entry = try attestor.storage.read(keyName)
            if let data = entry?.data, let stored = try? ProofKey(representation: data) {
                key = stored
                return stored
            }
            let new = try ProofKey()
            let written = try attestor.storage.write(new.representation, to: keyName, replacing: entry?.version)
            if written == nil, let data = try attestor.storage.read(keyName)?.data {
                let other = try ProofKey(representation: data)
                key = other
                return other
            }
            key = new
            return new
        } catch let error as StorageFailure {
            throw AssayClientError(.init(error.isLocked ? "locked" : "storage", code: error.reason))
        } catch { throw AssayClientError(.platform, "no key on P-256 can be made for tokens: repeat later") }
    }
}
