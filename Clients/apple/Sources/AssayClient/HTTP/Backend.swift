import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's backend, as far as the contract of the kit goes.
struct Backend: Sendable {
    let configuration: Configuration
    let transport: any HTTPTransport

    /// What an endpoint of the kit answered.
    enum Reply {
        case answer(ServerAnswer)
        case failure(ClientModel.Failure)
    }

    /// A challenge, its life in seconds, and the server's clock.
    enum Challenge {
        case value(String, life: Int, date: Int?)
        case failure(ClientModel.Failure, date: Int?)
    }

    /// The answer to evidence.
    enum Verdict {
        case accepted(date: Int?)
        case rejected(Remedy, code: String?, retryAfter: Int?, date: Int?)
        case failure(ClientModel.Failure, date: Int?)
    }

    /// The answer to a request for a token.
    struct Token {
        var value: String
        var life: Int
    }

    /// - Parameter now: milliseconds since 1970, for an answer without a time.
    func challenge(_ kind: String, now: Int) async -> Challenge {
        let answer: ServerAnswer
        switch await post(["app": configuration.app, "kind": kind], to: configuration.challenges) {
        case .failure(let failure): return .failure(failure, date: nil)
        case .answer(let it): answer = it
        }
        guard answer.status == 200 || answer.status == 201 else { return .failure(answer.failure(), date: answer.date) }
        guard let value = answer.object["challenge"] as? String, (1...512).contains(value.utf8.count),
            value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }),
            let end = (answer.object["expiresAt"] as? String).flatMap(InternetDate.milliseconds)
        else { return .failure(answer.failure(), date: answer.date) }
        return .value(value, life: max(0, (end - (answer.date ?? now)) / Milliseconds.second), date: answer.date)
    }

    /// Sends an attestation.
    func enrol(key: String, attestation: String, challenge: String, deviceToken: Data?) async -> Verdict {
        let evidence = [
            "keyId": key, "attestation": attestation, "challenge": Data(challenge.utf8).base64EncodedString(),
        ]
        var record: [String: Any] = [
            "kind": "app-attest.attestation", "app": configuration.app, "evidence": evidence,
        ]
        record["deviceToken"] = deviceToken?.base64EncodedString()
        let answer: ServerAnswer
        switch await post(record, to: configuration.enrolments) {
        case .failure(let failure): return .failure(failure, date: nil)
        case .answer(let it): answer = it
        }
        if answer.isRejection, let remedy = answer.remedy { return rejected(remedy, answer) }
        switch (answer.status, answer.object["outcome"] as? String) {
        case (200, "accept"?): return .accepted(date: answer.date)
        // A verdict without a remedy: nothing is known to help.
        case (200, "reject"?): return rejected(answer.remedy ?? .contactSupport, answer)
        default: return .failure(answer.failure(), date: answer.date)
        }
    }

    /// Sends a signed request without a body as evidence for a token.
    ///
    /// - Parameter signed: to ``Configuration/tokens``, with the fields of its signature.
    func token(
        for signed: URLRequest, challenge: String, audience: String, jkt: String
    ) async -> (verdict: Verdict, token: Token?) {
        let fields = ["Signature-Input", "Signature"].map { [$0, signed.value(forHTTPHeaderField: $0) ?? ""] }
        let evidence: [String: Any] = [
            "method": signed.httpMethod ?? "GET", "targetURI": signed.url?.absoluteString ?? "", "headers": fields,
        ]
        let record: [String: Any] = ["kind": "app-attest.request", "app": configuration.app, "evidence": evidence]
        let body: [String: Any] = ["record": record, "challenge": challenge, "audience": audience, "jkt": jkt]
        let answer: ServerAnswer
        switch await post(body, to: configuration.tokens) {
        case .failure(let failure): return (.failure(failure, date: nil), nil)
        case .answer(let it): answer = it
        }
        if answer.isRejection, let remedy = answer.remedy { return (rejected(remedy, answer), nil) }
        guard answer.status == 201 || answer.status == 200, let value = answer.object["token"] as? String,
            !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            let life = answer.object["expiresIn"] as? Int
        else { return (.failure(answer.failure(), date: answer.date), nil) }
        guard answer.object["tokenType"] as? String == "DPoP" else {
            return (.failure(.init("answer", code: "token-type"), date: answer.date), nil)
        }
        return (.accepted(date: answer.date), Token(value: value, life: life))
    }

    private func rejected(_ remedy: Remedy, _ answer: ServerAnswer) -> Verdict {
        .rejected(remedy, code: answer.code, retryAfter: answer.retryAfter, date: answer.date)
    }

    private func post(_ object: [String: Any], to url: URL) async -> Reply {
        guard let url = try? RequestTarget.normalised(url),
            let body = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return .failure(.init("answer", code: "request")) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        await configuration.authorize(&request)
        do {
            return .answer(ServerAnswer(try await transport.send(request, file: nil, limit: ServerAnswer.limit)))
        } catch {
            let cause = error.code == "too-long" ? "answer" : "network"
            return .failure(.init(cause, code: error.code, sent: error.mayHaveBeenSent))
        }
    }
}
