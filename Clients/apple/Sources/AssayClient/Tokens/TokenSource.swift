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
        } catch { throw AssayClientError(.init(cause: "storage")) }
        try await attestor.forget()
    }

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
            var answer = try await transmit(bound(prepared.request, to: token), prepared.file)
            if let challenge = Self.challenge(answer.1), challenge != "invalid_token", !hasNewProof {
                // Another proof may be good: the server's nonce is known now, and its clock.
                hasNewProof = true
                answer = try await transmit(bound(prepared.request, to: token), prepared.file)
            }
            guard Self.challenge(answer.1) == "invalid_token" else { return answer }
            event = .refused(op: id)
        }
    }

    /// The error that a server names for a token or its proof (RFC 9449 section 7.1); nil if the answer is another one.
    static func challenge(_ response: HTTPURLResponse) -> String? {
        guard response.statusCode == 401, let field = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            field.lowercased().contains("dpop")
        else { return nil }
        return ["invalid_token", "invalid_dpop_proof", "use_dpop_nonce"].first { field.contains("\"\($0)\"") }
    }

    private func bound(_ request: URLRequest, to token: String) async throws(AssayClientError) -> URLRequest {
        guard let url = request.url else { throw AssayClientError(.request, "the request has no URL") }
        let offset: Int
        if let known = self.offset { offset = known } else { offset = await attestor.offset }
        var request = request
        do {
            let proof = try proofKey().proof(
                method: request.httpMethod ?? "GET", url: url, token: token,
                issued: (attestor.clock.now + offset) / Milliseconds.second, nonce: nonces[url.host ?? ""])
            request.setValue(proof, forHTTPHeaderField: "DPoP")
        } catch { throw AssayClientError(error as? ClientModel.Failure ?? .init(cause: "platform", code: "proof-key")) }
        request.setValue("DPoP \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private func transmit(_ request: URLRequest, _ file: URL?) async throws(AssayClientError) -> (Data, HTTPURLResponse)
    {
        let answer: HTTPAnswer
        do { answer = try await attestor.backend.transport.send(request, file: file, limit: nil) } catch {
            throw AssayClientError(.init(cause: "network", code: error.code, sent: error.mayHaveBeenSent))
        }
        let read = ServerAnswer(answer)
        if let nonce = read.field("DPoP-Nonce"), let host = request.url?.host { nonces[host] = nonce }
        if let date = read.date { offset = max(-Milliseconds.day, min(Milliseconds.day, date - attestor.clock.now)) }
        if let obstacle = read.obstacle { throw AssayClientError(obstacle) }
        if answer.wasResent, !request.isIdempotent, Self.challenge(answer.response) != nil {
            // The first copy may have been accepted, and this is the answer to the second.
            throw AssayClientError(.init(cause: "network", code: "resent", sent: true))
        }
        return (answer.body, answer.response)
    }

    private func wait(_ id: String, _ event: TokenModel.Event) async -> Result<String, ClientModel.Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[id] = continuation
                handle(event)
            }
        } onCancel: {
            Task { await self.resume(id, .failure(.init(cause: "cancelled"))) }
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
        do throws(ClientModel.Failure) {
            var request = URLRequest(url: attestor.configuration.tokens)
            request.httpMethod = "POST"
            guard let prepared = try? PreparedRequest(request) else { throw .init(cause: "request") }
            let purpose = try Operation.Purpose.token(audience: audience, jkt: proofKey().thumbprint)
            switch try await attestor.perform(purpose, prepared, fresh: attestor.configuration.signsChallenges) {
            case .token(let token): handle(.fetched(turn: turn, token: token.value, life: token.life))
            case .withoutEvidence(let reason):
                withoutEvidence = reason
                throw .init(cause: "unsupported", code: reason.code)
            case .answer, .judged, .signed: throw .init(cause: "answer")
            }
        } catch { handle(.fetchFailed(turn: turn, error)) }
    }

    private var keyName: StateName { StateName("token-key", attestor.configuration) }

    /// The stored key, or a new one. Of two processes that make one, the second takes that of the first.
    private func proofKey() throws(ClientModel.Failure) -> ProofKey {
        if let key { return key }
        do {
            let entry = try attestor.storage.read(keyName)
            var found = entry?.data.flatMap { try? ProofKey(representation: $0) }
            if found == nil {
                let new = try ProofKey()
                let written = try attestor.storage.write(new.representation, to: keyName, replacing: entry?.version)
                found = try written == nil ? attestor.storage.read(keyName)?.data.map(ProofKey.init) : new
            }
            guard let found else { throw StorageFailure("the key of tokens is gone") }
            key = found
            return found
        } catch { throw ClientModel.Failure(storage: error) }
    }
}
