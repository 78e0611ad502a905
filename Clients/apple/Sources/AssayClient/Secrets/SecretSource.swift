import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gets runtime secrets from the service through the backend, sealed for this process, and writes them into requests.
///
/// All names come with one signature of the enrolled key. Values are in memory only, are used until they end, and end with
/// ``AppAttestor/forget()``. No event, error or file has them.
public actor SecretSource {
    private let attestor: AppAttestor
    private let names: [String]
    private let substitutions: [Substitution]
    private var values: [String: String] = [:]
    /// In milliseconds by the device's clock.
    private var ends = 0
    /// The cache of tokens serves: its token stands for all values of one answer.
    private var model = TokenModel()
    private var waiting: [String: CheckedContinuation<Result<[String: String], ClientModel.Failure>, Never>] = [:]
    private var count = 0
    private var marks = (forgotten: 0, network: 0)

    /// - Parameters:
    ///   - attestor: enrols and signs.
    ///   - names: of the policy's `secrets.names`, besides those of the substitutions.
    ///   - substitutions: where the secrets stand in requests.
    public init(_ attestor: AppAttestor, names: [String] = [], substitutions: [Substitution] = []) {
        (self.attestor, self.substitutions) = (attestor, substitutions)
        self.names = Set(names + substitutions.map(\.secret)).sorted()
    }

    /// The value of a secret. Use it at once: it may have ended when you use it later.
    public func value(_ name: String) async throws(AssayClientError) -> String {
        guard let value = try await current()[name] else {
            throw AssayClientError(.invalidSecretName, "the source does not have `\(name)`: name it in `names`")
        }
        return value
    }

    /// The request with the secrets that its host may have; unchanged for other hosts.
    ///
    /// Give the result to ``AppAttestor/data(for:)`` or ``TokenSource/data(for:audience:)``, which sign it as it is. A library of
    /// the app's own that sends it must not follow redirects.
    public nonisolated func substituted(_ request: URLRequest) async throws(AssayClientError) -> URLRequest {
        let url = try RequestTarget.normalised(request.url)
        let wanted = substitutions.filter { $0.concerns(url) }
        guard !wanted.isEmpty else { return request }
        guard RequestTarget.isProtected(url) else {
            throw AssayClientError(.request, "the URL is http and not of this machine: use https")
        }
        var request = request
        request.url = url
        let values = try await current()
        for substitution in wanted { try substitution.write(values[substitution.secret] ?? "", into: &request) }
        return request
    }

    /// Sends a request to a third party: with its secrets, without a signature. It follows no redirect.
    public nonisolated func data(for request: URLRequest) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
        let request = try await PreparedRequest(substituted(request)).request
        do {
            let answer = try await attestor.backend.transport.send(request, file: nil, limit: nil)
            return (answer.body, answer.response)
        } catch { throw AssayClientError(ClientModel.Failure(transport: error)) }
    }

    private func current() async throws(AssayClientError) -> [String: String] {
        count += 1
        let id = "\(count)"
        defer { handle(.done(op: id)) }
        await follow()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[id] = continuation
                handle(.need(op: id))
            }
        } onCancel: {
            Task { await self.resume(id, .failure(.init(cause: "cancelled"))) }
        }
        switch result {
        case .success(let values): return values
        case .failure(let failure): throw AssayClientError(failure)
        }
    }

    /// Takes over what has happened to the account and to the network since the last use.
    private func follow() async {
        let new = await attestor.marks
        if new.network > marks.network { handle(.network) }
        if new.forgotten > marks.forgotten {
            values = [:]
            handle(.forget)
        }
        marks = (max(marks.forgotten, new.forgotten), max(marks.network, new.network))
    }

    private func resume(_ id: String, _ result: Result<[String: String], ClientModel.Failure>) {
        waiting.removeValue(forKey: id)?.resume(returning: result)
    }

    private func handle(_ event: TokenModel.Event) {
        for action in model.step(event, now: attestor.clock.now, jitter: .random(in: 0...1000)) {
            switch action {
            case .fetch(let turn): Task { await fetch(turn) }
            case .use(let id, _): resume(id, .success(values))
            case .fail(let id, let failure): resume(id, .failure(failure))
            case .wait: break
            }
        }
    }

    private func fetch(_ turn: Int) async {
        let event: TokenModel.Event
        var new: SecretsKey.Content?
        let forgotten = marks.forgotten
        do throws(ClientModel.Failure) {
            var request = URLRequest(url: attestor.configuration.secrets)
            request.httpMethod = "POST"
            guard let prepared = try? PreparedRequest(request) else { throw .init(cause: "request") }
            let purpose = Operation.Purpose.secrets(names: names, SecretsKey())
            switch try await attestor.perform(purpose, prepared, fresh: attestor.configuration.signsChallenges) {
            case .secrets(let content):
                new = content
                event = .fetched(turn: turn, token: "\(turn)", life: content.life)
            case .withoutEvidence(let reason): throw .init(cause: "unsupported", code: reason.code)
            case .answer, .judged, .signed, .token: throw .init(cause: "answer")
            }
        } catch { event = .fetchFailed(turn: turn, error) }
        // After `forget` the turn is another one.
        await follow()
        if let new, forgotten == marks.forgotten { hold(new) }
        handle(event)
    }

    private func hold(_ content: SecretsKey.Content) {
        let life = content.life * Milliseconds.second
        (values, ends) = (content.values, attestor.clock.now + life)
        Task { [weak self, clock = attestor.clock] in
            try? await clock.sleep(milliseconds: life)
            await self?.forgetEnded()
        }
    }

    /// Values that were renewed meanwhile stay.
    private func forgetEnded() {
        if attestor.clock.now >= ends { values = [:] }
    }
}
