import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension AppAttestor {
    /// Begins what the state machine wants. Calls end with an event.
    func execute(_ action: ClientModel.Action) {
        switch action {
        case .getChallenge(let turn): getChallenge(turn)
        case .makeKey(let turn, _): makeKey(turn)
        case .attest(let turn, let key, let challenge): attest(turn, key, challenge)
        case .submit(let turn, let key, let challenge, let evidence): submit(turn, key, challenge, evidence)
        // App Attest deletes no keys: those without a name in the storage are not used any more.
        case .deleteKey: break
        case .getRequestChallenge(let id): getRequestChallenge(id)
        case .sign(let id, let key, let created, let nonce): sign(id, key, created: created, nonce: nonce)
        case .send(let id): send(id)
        case .sendWithoutEvidence(let id, let reason, let code):
            sendWithoutEvidence(id, .init(reason: reason, code: code))
        case .done(let id): finish(id, operations[id]?.outcome.map { .success($0) } ?? .failure(.init(cause: "answer")))
        case .fail(let id, let failure): finish(id, operations[id]?.outcome.map { .success($0) } ?? .failure(failure))
        case .wait(let until): wake(at: until)
        case .report(let phase, let halt): configuration.observe(.phase(phase.rawValue, halt: halt))
        }
    }

    /// Measures a call, and reports it to the app.
    private func measured<Result, Failed: ReportedFailure>(
        _ call: String, _ work: () async throws(Failed) -> Result
    ) async throws(Failed) -> Result {
        let began = ContinuousClock.now
        func report(_ failure: String?) {
            let time = (ContinuousClock.now - began).milliseconds
            configuration.observe(.call(call, milliseconds: time, failure: failure))
        }
        do {
            let result = try await work()
            report(nil)
            return result
        } catch {
            report(error.reported)
            throw error
        }
    }

    private func getChallenge(_ turn: Int) {
        Task {
            do throws(Backend.Failed) {
                let it = try await measured("challenge") { () throws(Backend.Failed) in
                    try await backend.challenge("app-attest.attestation", now: clock.now + offset)
                }
                handle(.challenge(turn: turn, value: it.value, life: it.life, date: it.date))
            } catch {
                handle(.callFailed(turn: turn, call: .challenge, error.failure, date: error.date))
            }
        }
    }

    private func makeKey(_ turn: Int) {
        Task {
            do throws(PlatformFailure) {
                let key = try await measured("generateKey") { () throws(PlatformFailure) in
                    let key = try await platform.generateKey()
                    // It stands in a quoted text of each signature.
                    guard Data(base64Encoded: key)?.count == 32 else { throw PlatformFailure(.bug, code: "key-id") }
                    return key
                }
                handle(.keyMade(turn: turn, key: key))
            } catch {
                handle(.platformFailed(turn: turn, call: .makeKey, error.kind, code: error.code))
            }
        }
    }

    private func attest(_ turn: Int, _ key: String, _ challenge: String) {
        Task {
            do throws(PlatformFailure) {
                let attestation = try await measured("attestKey") { () throws(PlatformFailure) in
                    try await platform.attestKey(key, clientDataHash: challenge.sha256)
                }
                handle(.attested(turn: turn, evidence: attestation.base64EncodedString()))
            } catch {
                handle(.platformFailed(turn: turn, call: .attest, error.kind, code: error.code))
            }
        }
    }

    private func submit(_ turn: Int, _ key: String, _ challenge: String, _ evidence: String) {
        Task {
            // Its failure does not stop the enrolment.
            let deviceToken = configuration.sendsDeviceToken ? await platform.deviceToken() : nil
            do throws(Backend.Failed) {
                let date = try await measured("enrol") { () throws(Backend.Failed) in
                    try await backend.enrol(
                        key: key, attestation: evidence, challenge: challenge, deviceToken: deviceToken)
                }
                handle(.enrolled(turn: turn, date: date))
            } catch {
                let failure = error.failure
                guard error.isRejection, let remedy = failure.remedy else {
                    return handle(.callFailed(turn: turn, call: .submit, failure, date: error.date))
                }
                handle(
                    .refused(
                        turn: turn, remedy: remedy, code: failure.code, retryAfter: failure.retryAfter, date: error.date))
            }
        }
    }

    private func getRequestChallenge(_ id: String) {
        Task {
            do throws(Backend.Failed) {
                let it = try await measured("request-challenge") { () throws(Backend.Failed) in
                    try await backend.challenge("app-attest.request", now: clock.now + offset)
                }
                handle(.requestChallenge(op: id, value: it.value, date: it.date))
            } catch {
                handle(.requestChallengeFailed(op: id, error.failure, date: error.date))
            }
        }
    }

    private func sign(_ id: String, _ key: String, created: Int, nonce: String?) {
        guard let operation = operations[id] else { return }
        var request = operation.prepared.request
        var covered = configuration.coveredFields
        var value = nonce
        if case .token(let audience, let jkt) = operation.purpose, let nonce {
            // Docs/tokens.md, step 3: no relay can have the token bound to a key of its own.
            value = "assay-token\n\(nonce)\n\(audience)\n\(jkt)\n".sha256.base64URL
            covered = []
        }
        let fields: SignatureFields
        do {
            fields = try SignatureFields(
                request, digest: operation.prepared.digest, covering: covered, created: created, nonce: value,
                keyID: key)
        } catch {
            handle(.cancel(op: id))
            return finish(id, .failure(.init(cause: "request")))
        }
        operations[id]?.challenge = nonce
        Task {
            do throws(PlatformFailure) {
                let assertion = try await measured("generateAssertion") { () throws(PlatformFailure) in
                    try await platform.generateAssertion(key, clientDataHash: fields.clientDataHash)
                }
                fields.write(into: &request, assertion: assertion)
                operations[id]?.signed = request
                operations[id]?.signatures += 1
                handle(.signed(op: id))
            } catch {
                signFailed(id, error)
            }
        }
    }

    /// An error that App Attest does not explain is that of a dead key if it comes twice (google/app-check#96).
    private func signFailed(_ id: String, _ failure: PlatformFailure) {
        var kind = failure.kind
        if kind == .again {
            operations[id]?.unexplainedFailures += 1
            if operations[id]?.unexplainedFailures == 2 { kind = .keyGone }
        }
        handle(.signFailed(op: id, kind, code: failure.code))
    }

    private func send(_ id: String) {
        guard let operation = operations[id], let signed = operation.signed else { return }
        switch operation.purpose {
        case .signature: handOver(id)
        case .request: transmit(id, signed, file: operation.prepared.file)
        case .token(let audience, let jkt):
            exchange(id, signed, challenge: operation.challenge ?? "", audience: audience, jkt: jkt)
        }
    }

    private func exchange(_ id: String, _ signed: URLRequest, challenge: String, audience: String, jkt: String) {
        Task {
            do throws(Backend.Failed) {
                let token = try await measured("token") { () throws(Backend.Failed) in
                    try await backend.token(for: signed, challenge: challenge, audience: audience, jkt: jkt)
                }
                operations[id]?.outcome = .token(token)
                handle(.judged(op: id, date: token.date))
            } catch {
                var failure = error.failure
                if error.isRejection, let remedy = failure.remedy {
                    let (code, after) = (failure.code, failure.retryAfter)
                    return handle(.rejected(op: id, remedy: remedy, code: code, retryAfter: after, date: error.date))
                }
                // A token that nobody got does no harm.
                failure.sent = false
                handle(.sendFailed(op: id, failure, date: error.date))
            }
        }
    }

    private func sendWithoutEvidence(_ id: String, _ reason: UnsupportedReason) {
        guard let operation = operations[id] else { return }
        var request = operation.prepared.request
        addReason(reason, to: &request)
        switch operation.purpose {
        case .request: transmit(id, request, file: operation.prepared.file)
        case .signature:
            handle(.cancel(op: id))
            finish(id, .success(.signed(request)))
        case .token:
            handle(.cancel(op: id))
            finish(id, .success(.withoutEvidence(reason)))
        }
    }

    /// Says in the request why it brings no evidence.
    nonisolated func addReason(_ reason: UnsupportedReason, to request: inout URLRequest) {
        let value = EvidenceField.value(
            reason, appVersion: configuration.appVersion, systemVersion: configuration.systemVersion)
        request.setValue(value, forHTTPHeaderField: EvidenceField.name)
    }

    private func transmit(_ id: String, _ request: URLRequest, file: URL?) {
        let sending = Task {
            do throws(TransportFailure) {
                let answer = try await backend.transport.send(request, file: file, limit: nil)
                operations[id]?.outcome = .answer(answer)
                judge(id, answer)
            } catch {
                let failure = ClientModel.Failure(cause: "network", code: error.code, sent: error.mayHaveBeenSent)
                handle(.sendFailed(op: id, failure, date: nil))
            }
        }
        operations[id]?.sending = sending
    }

    /// Finds out whether the request was judged. Its outcome in the operation is what the app gets if it was, or if this
    /// cannot be known.
    func judge(_ id: String, _ received: HTTPAnswer) {
        let answer = ServerAnswer(received)
        let date = answer.date
        if let obstacle = answer.obstacle {
            operations[id]?.outcome = nil
            handle(.sendFailed(op: id, obstacle, date: date))
        } else if answer.isRejection, let remedy = answer.remedy {
            operations[id]?.outcome = nil
            if remedy == .retry, answer.code?.hasPrefix("counter") ?? false { beginTurns() }
            if received.wasResent, operations[id]?.prepared.request.isIdempotent != true {
                // The first copy may have been accepted, and this is the answer to the second.
                return handle(.sendFailed(op: id, .init(cause: "network", code: "resent", sent: true), date: date))
            }
            handle(.rejected(op: id, remedy: remedy, code: answer.code, retryAfter: answer.retryAfter, date: date))
        } else if answer.status >= 500 || answer.status == 401 || answer.status == 403 {
            // May come from a gateway before the judge: the app gets the answer, and the enrolment is not confirmed.
            handle(.sendFailed(op: id, .init(cause: "outage", code: "http:\(answer.status)", sent: true), date: date))
        } else {
            handle(.judged(op: id, date: date))
        }
    }
}
