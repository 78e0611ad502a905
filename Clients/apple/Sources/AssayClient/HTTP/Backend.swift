import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's backend, as far as the contract of the kit goes.
struct Backend: Sendable {
    let configuration: Configuration
    let transport: any HTTPTransport

    /// Why an endpoint gave no result.
    struct Failed: Error {
        var failure: ClientModel.Failure
        /// The server's clock in milliseconds since 1970.
        var date: Int?
        /// Whether the server has judged the evidence, and rejected it.
        var isRejection = false
    }

    /// A challenge, or tokens.
    struct Ticket {
        /// The challenge, or the token of the first audience.
        var value: String
        /// Seconds.
        var life: Int
        var date: Int?
        /// By audience.
        var tokens: [String: String] = [:]
        /// The signed configuration that came beside the tokens.
        var configuration: String?
    }

    /// - Parameter now: milliseconds since 1970, for an answer without a time.
    func challenge(_ kind: String, now: Int) async throws(Failed) -> Ticket {
        let answer = try await post(["app": configuration.app, "kind": kind], to: configuration.challenges)
        guard answer.status == 200 || answer.status == 201, let value = answer.object["challenge"] as? String,
            (1...512).contains(value.utf8.count),
            value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }),
            !Self.mayBeHash(value), let end = (answer.object["expiresAt"] as? String).flatMap(InternetDate.milliseconds)
        else { throw Failed(failure: answer.failure(), date: answer.date) }
        let life = (end - (answer.date ?? now)) / Milliseconds.second
        return Ticket(value: value, life: max(0, life), date: answer.date)
    }

    /// Whether a challenge may be SHA-256, as bytes or in base64. Evidence over such a value is evidence for a token or for secrets, whose key
    /// the backend, or an attacker in its place, would have chosen. Assay's challenges have 44 characters of base64url.
    static func mayBeHash(_ challenge: String) -> Bool {
        [32, 43].contains(challenge.utf8.count) || challenge.utf8.count == 44 && challenge.hasSuffix("=")
    }

    /// Sends an attestation.
    ///
    /// - Returns: the server's clock, once it has accepted.
    func enrol(
        key: String, attestation: String, challenge: String, deviceToken: Data?
    ) async throws(Failed) -> Int? {
        let challenge = Data(challenge.utf8).base64EncodedString()
        let evidence = ["keyId": key, "attestation": attestation, "challenge": challenge]
        var record: [String: Any] = ["kind": "app-attest.attestation", "app": configuration.app, "evidence": evidence]
        record["deviceToken"] = deviceToken?.base64EncodedString()
        let answer = try await post(record, to: configuration.enrolments)
        switch (answer.status, answer.object["outcome"] as? String) {
        case (200, "accept"?): return answer.date
        // A verdict without a remedy: nothing is known to help.
        case (200, "reject"?): throw rejected(answer.remedy ?? .contactSupport, answer)
        default: throw Failed(failure: answer.failure(), date: answer.date)
        }
    }

    /// Sends a signed request without a body as evidence for a token of each audience.
    ///
    /// - Parameter signed: to ``Configuration/tokens``, with the fields of its signature.
    func token(
        for signed: URLRequest, challenge: String, audiences: [String], jkt: String
    ) async throws(Failed) -> Ticket {
        let isList = audiences.count > 1
        var body: [String: Any] = [
            "record": record(signed), "challenge": challenge,
            isList ? "audiences" : "audience": isList ? audiences : audiences[0],
            "jkt": jkt,
        ]
        if let pinning = configuration.pinning { body.merge(pinning.members) { $1 } }
        let answer = try await post(body, to: configuration.tokens)
        let found = isList ? answer.object["tokens"] as? [[String: Any]] ?? [] : [answer.object]
        guard answer.status == 201 || answer.status == 200, found.count == audiences.count else {
            throw Failed(failure: answer.failure(), date: answer.date)
        }
        var (tokens, life) = ([String: String](), Int.max)
        for (audience, token) in zip(audiences, found) {
            guard let value = token["token"] as? String, !value.isEmpty,
                value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let own = token["expiresIn"] as? Int,
                !isList || token["audience"] as? String == audience
            else { throw Failed(failure: answer.failure(), date: answer.date) }
            guard token["tokenType"] as? String == "DPoP" else {
                throw Failed(failure: .init(cause: "answer", code: "token-type"), date: answer.date)
            }
            (tokens[audience], life) = (value, min(life, own))
        }
        return Ticket(
            value: tokens[audiences[0]] ?? "", life: life, date: answer.date, tokens: tokens,
            configuration: answer.object["configuration"] as? String)
    }

    /// The words of a refusal of secrets that no other evidence changes, and their causes.
    private static let refusals = [
        "UNKNOWN_KEY": "unknown-secret", "DISABLED": "secrets-disabled", "BAD_KEY": "invalid-secret-name",
        "REJECTED": "refused",
    ]

    /// Sends a signed request without a body as evidence for secrets.
    ///
    /// - Parameter signed: to ``Configuration/secrets``, with the fields of its signature.
    func secrets(
        for signed: URLRequest, challenge: String, names: [String], key: SecretsKey
    ) async throws(Failed) -> (content: SecretsKey.Content, date: Int?) {
        let body: [String: Any] = [
            "record": record(signed), "challenge": challenge, "names": names, "jwk": key.point.members,
        ]
        let answer = try await post(body, to: configuration.secrets)
        if answer.status >= 400, let cause = (answer.object["error"] as? String).flatMap({ Self.refusals[$0] }) {
            throw Failed(failure: .init(cause: cause, code: answer.code), date: answer.date)
        }
        guard answer.status == 200, let text = answer.object["secrets"] as? String,
            let content = key.open(text, names: names, challenge: challenge, app: configuration.app)
        else { throw Failed(failure: answer.failure(), date: answer.date) }
        return (content, answer.date)
    }

    private func record(_ signed: URLRequest) -> [String: Any] {
        let fields = ["Signature-Input", "Signature"].map { [$0, signed.value(forHTTPHeaderField: $0) ?? ""] }
        let evidence: [String: Any] = [
            "method": signed.httpMethod ?? "GET", "targetURI": signed.url?.absoluteString ?? "", "headers": fields,
        ]
        return ["kind": "app-attest.request", "app": configuration.app, "evidence": evidence]
    }

    private func rejected(_ remedy: Remedy, _ answer: ServerAnswer) -> Failed {
        let failure = ClientModel.Failure(
            cause: "refused", code: answer.code, remedy: remedy, retryAfter: answer.retryAfter)
        return Failed(failure: failure, date: answer.date, isRejection: true)
    }

    /// - Throws: also a rejection with 401 or 403.
    private func post(_ object: [String: Any], to url: URL) async throws(Failed) -> ServerAnswer {
        guard let url = try? RequestTarget.normalised(url),
            let body = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { throw Failed(failure: .init(cause: "request")) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        await configuration.authorize(&request)
        let answer: ServerAnswer
        do {
            answer = ServerAnswer(try await transport.send(request, file: nil, limit: ServerAnswer.limit))
        } catch {
            var failure = ClientModel.Failure(transport: error)
            if error.code == "too-long" { failure.cause = "answer" }
            throw Failed(failure: failure)
        }
        if answer.isRejection, let remedy = answer.remedy { throw rejected(remedy, answer) }
        return answer
    }
}

/// A failure with a short text for the app's telemetry.
protocol ReportedFailure: Error {
    var reported: String { get }
    /// Of a call that did not end in time.
    static var late: Self { get }
}

extension Backend.Failed: ReportedFailure {
    var reported: String { failure.code ?? failure.remedy?.rawValue ?? failure.cause }
    static var late: Self { .init(failure: .init(cause: "network", code: "timeout", sent: true)) }
}

extension PlatformFailure: ReportedFailure {
    var reported: String { code }
    static var late: Self { .init(.later, code: "timeout") }
}
