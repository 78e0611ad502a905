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

    /// Makes a call, reports how it went to the app, and takes the event of its result. A call that does not end in time has
    /// failed, and what it brings later is ignored.
    private func begin<Value: Sendable, Failed: ReportedFailure>(
        _ name: String, _ call: @escaping () async throws(Failed) -> Value,
        then event: @escaping (Value) -> ClientModel.Event, failed: @escaping (Failed) -> ClientModel.Event
    ) {
        let (results, first) = AsyncStream.makeStream(of: Result<Value, Failed>.self)
        let began = ContinuousClock.now
        let work = Task {
            _ = self  // The closure runs on this actor.
            do throws(Failed) { first.yield(.success(try await call())) } catch { first.yield(.failure(error)) }
        }
        let limit = Task { [clock] in
            if (try? await clock.sleep(milliseconds: ClientModel.callLimit)) != nil { first.yield(.failure(.late)) }
        }
        Task {
            let result = await results.first { _ in true } ?? .failure(.late)
            limit.cancel()
            work.cancel()
            let time = (ContinuousClock.now - began).milliseconds
            let failure: String? = if case .failure(let it) = result { it.reported } else { nil }
            configuration.observe(.call(name, milliseconds: time, failure: failure))
            switch result {
            case .success(let value): handle(event(value))
            case .failure(let it): handle(failed(it))
            }
        }
    }

    private func getChallenge(_ turn: Int) {
        begin("challenge") { () throws(Backend.Failed) in
            try await self.backend.challenge("app-attest.attestation", now: self.clock.now + self.offset)
        } then: {
            .challenge(turn: turn, value: $0.value, life: $0.life, date: $0.date)
        } failed: {
            .callFailed(turn: turn, call: .challenge, $0.failure, date: $0.date)
        }
    }

    private func makeKey(_ turn: Int) {
        begin("generateKey") { () throws(PlatformFailure) in
            let key = try await self.platform.generateKey()
            // It stands in a quoted text of each signature.
            guard Data(base64Encoded: key)?.count == 32 else { throw PlatformFailure(.bug, code: "key-id") }
            return key
        } then: {
            .keyMade(turn: turn, key: $0)
        } failed: {
            self.platformFailed(turn, .makeKey, $0)
        }
    }

    private func attest(_ turn: Int, _ key: String, _ challenge: String) {
        begin("attestKey") { () throws(PlatformFailure) in
            try await self.platform.attestKey(key, clientDataHash: challenge.sha256)
        } then: {
            .attested(turn: turn, evidence: $0.base64EncodedString())
        } failed: {
            self.platformFailed(turn, .attest, $0)
        }
    }

    private func platformFailed(_ turn: Int, _ call: ClientModel.Call, _ failure: PlatformFailure) -> ClientModel.Event
    {
        guard failure.kind == .locked, stored?.model.turn == turn else {
            return .platformFailed(turn: turn, call: call, failure.kind, code: failure.code)
        }
        // Not a failure of App Attest: no key is counted, and the wait is short.
        return .storageFailed(cause: "locked", code: failure.code)
    }

    private func submit(_ turn: Int, _ key: String, _ challenge: String, _ evidence: String) {
        begin("enrol") { () throws(Backend.Failed) in
            // Its failure does not stop the enrolment.
            let deviceToken = self.configuration.sendsDeviceToken ? await self.platform.deviceToken() : nil
            return try await self.backend.enrol(
                key: key, attestation: evidence, challenge: challenge, deviceToken: deviceToken)
        } then: {
            .enrolled(turn: turn, date: $0)
        } failed: {
            let (it, date) = ($0.failure, $0.date)
            guard $0.isRejection, let remedy = it.remedy else {
                return .callFailed(turn: turn, call: .submit, it, date: date)
            }
            return .refused(turn: turn, remedy: remedy, code: it.code, retryAfter: it.retryAfter, date: date)
        }
    }

    private func getRequestChallenge(_ id: String) {
        begin("request-challenge") { () throws(Backend.Failed) in
            try await self.backend.challenge("app-attest.request", now: self.clock.now + self.offset)
        } then: {
            .requestChallenge(op: id, value: $0.value, date: $0.date)
        } failed: {
            .requestChallengeFailed(op: id, $0.failure, date: $0.date)
        }
    }

    private func sign(_ id: String, _ key: String, created: Int, nonce: String?) {
        guard let operation = operations[id] else { return }
        var (request, covered) = (operation.prepared.request, configuration.coveredFields)
        var (value, challenge) = (nonce, nonce ?? "")
        if operation.purpose.statement("") != nil {
            if nonce == nil { challenge = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64URL }
            value = operation.purpose.statement(challenge)?.sha256.base64URL
            covered = []
        }
        let digest = operation.prepared.digest
        let signing = try? SignatureFields(
            request, digest: digest, covering: covered, created: created, nonce: value, keyID: key)
        guard let fields = signing else {
            handle(.cancel(op: id))
            return finish(id, .failure(.init(cause: "request")))
        }
        operations[id]?.challenge = challenge
        begin("generateAssertion") { () throws(PlatformFailure) in
            try await self.platform.generateAssertion(key, clientDataHash: fields.clientDataHash)
        } then: {
            fields.write(into: &request, assertion: $0)
            self.operations[id]?.signed = request
            self.operations[id]?.signatures += 1
            return .signed(op: id)
        } failed: {
            if $0.kind == .locked {
                self.finish(id, .failure(.init(cause: "locked", code: $0.code)))
                return .cancel(op: id)
            }
            // An error that App Attest does not explain is that of a dead key if it comes twice (google/app-check#96).
            let failures = (self.operations[id]?.unexplainedFailures ?? 0) + ($0.kind == .again ? 1 : 0)
            self.operations[id]?.unexplainedFailures = failures
            let isDead = $0.kind == .again && failures > 1
            return .signFailed(op: id, isDead ? .keyGone : $0.kind, code: $0.code)
        }
    }

    private func send(_ id: String) {
        guard let operation = operations[id], let signed = operation.signed else { return }
        switch operation.purpose {
        case .signature: handOver(id)
        case .request: transmit(id, signed, file: operation.prepared.file)
        case .token(let audiences, let jkt):
            begin("token") { () throws(Backend.Failed) in
                try await self.backend.token(
                    for: signed, challenge: operation.challenge, audiences: audiences, jkt: jkt)
            } then: {
                self.receive($0.configuration)
                self.operations[id]?.outcome = .token($0)
                return .judged(op: id, date: $0.date)
            } failed: {
                self.exchangeFailed(id, $0)
            }
        case .secrets(let names, let key):
            begin("secrets") { () throws(Backend.Failed) in
                try await self.backend.secrets(for: signed, challenge: operation.challenge, names: names, key: key)
            } then: {
                self.operations[id]?.outcome = .secrets($0.content)
                return .judged(op: id, date: $0.date)
            } failed: {
                self.exchangeFailed(id, $0)
            }
        }
    }

    private func exchangeFailed(_ id: String, _ failed: Backend.Failed) -> ClientModel.Event {
        var it = failed.failure
        if failed.isRejection, let remedy = it.remedy {
            return .rejected(op: id, remedy: remedy, code: it.code, retryAfter: it.retryAfter, date: failed.date)
        }
        // A token or a secret that nobody got does no harm.
        it.sent = false
        return .sendFailed(op: id, it, date: failed.date)
    }

    /// Takes the configuration that came beside a token.
    private func receive(_ text: String?) {
        guard let text, let pinning = configuration.pinning else { return }
        do throws(SignedConfiguration.Refusal) {
            guard let version = try pinning.receive(text, device: stored?.model.record.key) else { return }
            configuration.observe(.configuration(version: version, refused: nil))
        } catch { configuration.observe(.configuration(version: nil, refused: error.reason)) }
    }

    private func sendWithoutEvidence(_ id: String, _ reason: UnsupportedReason) {
        guard let operation = operations[id] else { return }
        var request = operation.prepared.request
        addReason(reason, to: &request)
        if case .request = operation.purpose { return transmit(id, request, file: operation.prepared.file) }
        handle(.cancel(op: id))
        let isExchange = operation.purpose.statement("") != nil
        finish(id, .success(isExchange ? .withoutEvidence(reason) : .signed(request)))
    }

    /// Says in the request why it brings no evidence.
    nonisolated func addReason(_ reason: UnsupportedReason, to request: inout URLRequest) {
        request.setValue(reason.field(configuration), forHTTPHeaderField: "Assay-Evidence")
    }

    private func transmit(_ id: String, _ request: URLRequest, file: URL?) {
        operations[id]?.sending = Task {
            do throws(TransportFailure) {
                let answer = try await backend.transport.send(request, file: file, limit: nil)
                operations[id]?.sending = nil
                operations[id]?.outcome = .answer(answer)
                judge(id, answer)
            } catch {
                operations[id]?.sending = nil
                handle(.sendFailed(op: id, ClientModel.Failure(transport: error), date: nil))
            }
        }
    }

    /// Finds out whether the request was judged. Its outcome in the operation is what the app gets if it was, or if this
    /// cannot be known.
    func judge(_ id: String, _ received: HTTPAnswer) {
        let answer = ServerAnswer(received)
        let date = answer.date
        if answer.isRejection, let remedy = answer.remedy {
            operations[id]?.outcome = nil
            if remedy == .retry, answer.code?.hasPrefix("counter") ?? false { beginTurns() }
            if received.wasResent, operations[id]?.prepared.request.isIdempotent != true {
                // The first copy may have been accepted, and this is the answer to the second.
                return handle(.sendFailed(op: id, .init(cause: "network", code: "resent", sent: true), date: date))
            }
            handle(.rejected(op: id, remedy: remedy, code: answer.code, retryAfter: answer.retryAfter, date: date))
        } else if answer.isForeign {
            // May come from a gateway before the judge: the app gets the answer, and the enrolment is not confirmed.
            handle(.sendFailed(op: id, .init(cause: "outage", code: "http:\(answer.status)", sent: true), date: date))
        } else {
            handle(.judged(op: id, date: date))
        }
    }
}
