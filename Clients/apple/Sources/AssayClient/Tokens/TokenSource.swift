import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with a token of Assay in place of a signature for each one: cached, renewed in the background when it is used
/// near its end, and bound to a key of this device by DPoP proofs (RFC 9449).
///
/// A token costs one signature of the enrolled key and no attestation. It is kept in memory only, and ends with
/// ``AppAttestor/forget()``.
public actor TokenSource {
    private let attestor: AppAttestor
    private let audiences: [String]
    /// The last tokens, and those of before, which requests on their way have. The model knows that of the first audience.
    private var tickets: [Backend.Ticket] = []
    private var model = TokenModel()
    private var waiting: [String: CheckedContinuation<Result<String, ClientModel.Failure>, Never>] = [:]
    private var key: ProofKey?
    private var count = 0
    /// Of the last field `DPoP-Nonce`, for each host.
    private var nonces: [String: String] = [:]
    private var offset: Int?
    private var withoutEvidence: UnsupportedReason?
    private var marks = (forgotten: 0, network: 0)

    /// - Parameters:
    ///   - attestor: enrols and signs.
    ///   - audience: of the policy's `tokens.audiences`.
    ///   - others: further ones. One signature of the enrolled key gives a token for each.
    public init(_ attestor: AppAttestor, audience: String, others: [String] = []) {
        (self.attestor, audiences) = (attestor, [audience] + others)
    }

    /// Gets a token in the background.
    public func prefetch() async {
        await follow()
        handle(.prefetch)
    }

    /// Sends a request with a token and a proof. One that a service refuses for its token or proof is sent once more with
    /// another one.
    ///
    /// - Parameter audience: whose token the request carries; nil for the audience with which the URL begins, otherwise the first one.
    public nonisolated func data(
        for request: URLRequest, audience: String? = nil
    ) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request), audience)
    }

    /// The same with a body from a file.
    public nonisolated func upload(
        for request: URLRequest, fromFile file: URL, audience: String? = nil
    ) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        try await send(PreparedRequest(request, file: file), audience)
    }

    /// Takes over what has happened to the account and to the network since the last use.
    private func follow() async {
        // Another caller may have taken over later ones meanwhile.
        let new = await attestor.marks
        if new.network > marks.network { handle(.network) }
        marks.network = max(marks.network, new.network)
        guard new.forgotten > marks.forgotten else { return }
        (marks.forgotten, key, withoutEvidence) = (new.forgotten, nil, nil)
        handle(.forget)
    }

    private func send(
        _ prepared: PreparedRequest, _ audience: String?
    ) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        guard audience.map(audiences.contains) ?? true else {
            throw AssayClientError(.request, "the source has no tokens for this audience")
        }
        let audience = audience ?? self.audience(of: prepared.request)
        count += 1
        let id = "\(count)"
        defer { handle(.done(op: id)) }
        var event = TokenModel.Event.need(op: id)
        var hasNewProof = false
        while true {
            let token: String
            await follow()
            switch await wait(id, event) {
            case .success(let it):
                let ticket = tickets.last { $0.value == it }
                guard let own = audience.map({ ticket?.tokens[$0] }) ?? it else {
                    event = .refused(op: id)
                    continue
                }
                token = own
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

    private func audience(of request: URLRequest) -> String? {
        let url = request.url?.absoluteString ?? ""
        return audiences.last { audience in
            let base = audience.hasSuffix("/") ? String(audience.dropLast()) : audience
            return url.hasPrefix(base) && url.dropFirst(base.count).first.map { "/?".contains($0) } ?? true
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
        let offset = if let known = self.offset { known } else { await attestor.offset }
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
            throw AssayClientError(ClientModel.Failure(transport: error))
        }
        let read = ServerAnswer(answer)
        if let nonce = read.field("DPoP-Nonce"), let host = request.url?.host { nonces[host] = nonce }
        if let date = read.date { offset = max(-Milliseconds.day, min(Milliseconds.day, date - attestor.clock.now)) }
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
            // The next use renews it: an app that sends nothing needs no token.
            case .wait: break
            }
        }
    }

    private func fetch(_ turn: Int) async {
        let event: TokenModel.Event
        do throws(ClientModel.Failure) {
            var request = URLRequest(url: attestor.configuration.tokens)
            request.httpMethod = "POST"
            guard let prepared = try? PreparedRequest(request) else { throw .init(cause: "request") }
            let purpose = try Operation.Purpose.token(audiences: audiences, jkt: proofKey().thumbprint)
            switch try await attestor.perform(purpose, prepared, fresh: attestor.configuration.signsChallenges) {
            case .token(let token):
                tickets = tickets.suffix(1) + [token]
                event = .fetched(turn: turn, token: token.value, life: token.life)
            case .withoutEvidence(let reason):
                withoutEvidence = reason
                throw .init(cause: "unsupported", code: reason.code)
            case .answer, .judged, .signed, .secrets: throw .init(cause: "answer")
            }
        } catch { event = .fetchFailed(turn: turn, error) }
        // After `forget` the turn is another one.
        await follow()
        handle(event)
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
