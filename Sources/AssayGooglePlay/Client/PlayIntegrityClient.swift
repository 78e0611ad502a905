import AssayCore
public import PlayIntegrity

/// The client of Google's Play Integrity API: has tokens decoded and writes device recall bits.
///
/// Give it to a `Verifier` among its `services`, keep one for the life of the process, and shut it down at its end.
///
///     let account = try ServiceAccount(json: SecretBytes(contentsOfKeyFile))
///     let client = PlayIntegrityClient(account: account)
///     let verifier = Verifier(policy: policy, ledger: ledger, services: [client])
///
/// **What is tried again.** No connection, no answer, HTTP 429 and 5xx are, with exponential backoff and full jitter, within
/// the deadline of the call. An answer that began is never asked for again.
///
/// **Tokens that are decoded twice.** Google decodes a token once: asked again, it answers with cleared verdicts, which look
/// like those of a device that is not genuine. A request of which no answer came may have been decoded. When an attempt
/// after such a one is answered without any verdict, that says nothing about the device, and the call ends in the outage
/// `answer-lost` instead: an outage is not a rejection. It cannot become an acceptance either way. The app then asks for a
/// new token.
///
/// **Secrets.** Access tokens, the account's key and integrity tokens are in no log, error or description. Nothing is
/// logged here at all.
public final class PlayIntegrityClient: IntegrityTokenDecoder {
    /// How the client calls.
    public let settings: PlayIntegrityClientSettings
    private let account: ServiceAccount
    private let time: ClientTime
    private let exchange: HTTPExchange
    private let tokens: AccessTokenSource
    private let rule: RetryRule
    private let breaker: CircuitBreaker
    private let quota: RequestQuota

    /// Makes a client. Nothing is sent until the first call.
    ///
    /// - Parameters:
    ///   - account: in whose name it calls.
    ///   - settings: how it calls.
    public convenience init(account: ServiceAccount, settings: PlayIntegrityClientSettings = .init()) {
        self.init(account: account, settings: settings, time: .system)
    }

    /// Makes a client with another time.
    package init(account: ServiceAccount, settings: PlayIntegrityClientSettings, time: ClientTime) {
        self.account = account
        self.settings = settings
        self.time = time
        exchange = HTTPExchange(
            answerLimit: InputLimits.integrityAnswer, connectTimeout: min(settings.attemptTime, .seconds(3)), time: time
        )
        rule = RetryRule(
            attempts: settings.attempts, base: settings.backoffBase, cap: settings.backoffCap, time: time)
        let grant = JWTBearerGrant(
            account: account, exchange: exchange, rule: rule, attemptTime: settings.attemptTime)
        tokens = AccessTokenSource(grant: grant, refreshTime: settings.deadline, time: time)
        breaker = CircuitBreaker(threshold: settings.circuitThreshold, pause: settings.circuitPause, time: time)
        quota = RequestQuota(limit: settings.dailyLimit, time: time)
    }

    /// Has a token decoded; see the type for what is tried again.
    ///
    /// - Returns: the body of Google's answer: `{"tokenPayloadExternal": {...}}`, of which nothing else was looked at, or
    ///   the error of a token that Google cannot decode, `{"error": {"status": "INVALID_ARGUMENT", ...}}`.
    /// - Throws: ``PlayIntegrity/IntegrityDecoderOutage`` when there is no answer on the token.
    public func decode(
        token: String, packageName: String, form: IntegrityTokenForm
    ) async throws(IntegrityDecoderOutage) -> [UInt8] {
        do {
            let request = try APIRequest.decode(token, packageName, form)
            return try await perform(request) { reply, mayBeRepeated in
                PlayIntegrityClient.decoded(reply, mayBeRepeated: mayBeRepeated)
            }
        } catch {
            throw error.outage
        }
    }

    /// Writes device recall bits for the device that a token is of. It takes up to 30 seconds until they show in verdicts.
    ///
    /// - Parameters:
    ///   - token: a token of the device, at most 14 days old; one that was decoded before is as good.
    ///   - packageName: the package name of the app.
    ///   - values: the bits to change, at least one.
    public func writeDeviceRecall(
        token: String, packageName: String, values: DeviceRecallValues
    ) async throws(DeviceRecallError) {
        guard !values.isEmpty else { throw .nothingToWrite }
        let refusal: String?
        do {
            let request = try APIRequest.write(token, packageName, values)
            refusal = try await perform(request) { reply, _ in PlayIntegrityClient.refusal(reply) }
        } catch {
            throw .outage(error.outage)
        }
        if let refusal { throw .refused(refusal) }
    }

    /// What an app has used of the present day's quota.
    public func usage(of packageName: String) -> QuotaUsage { quota.usage(of: packageName) }

    /// Whether calls are tried at present.
    public var circuit: CircuitState { breaker.current }

    /// Ends all calls and connections. Calls that are under way, and later ones, end in the outage `shut-down`; one that
    /// waits for its next attempt does when the wait is over.
    public func shutdown() async {
        await tokens.shutdown()
        await exchange.shutdown()
    }

    private static func decoded(_ reply: APIReply, mayBeRepeated: Bool) -> AttemptResult<[UInt8]> {
        switch reply {
        case .refusedToken(_, body: let body): return .done(body)
        case .result(let object, body: let body):
            guard case .object(let payload) = object["tokenPayloadExternal"]?.content else {
                return .stop(APIAnswer.unexpected("HTTP 200 with JSON that has no tokenPayloadExternal"))
            }
            return mayBeRepeated && ClearedVerdicts.mayBe(payload) ? .stop(.answerLost) : .done(body)
        }
    }

    private static func refusal(_ reply: APIReply) -> AttemptResult<String?> {
        switch reply {
        case .refusedToken(let error, body: _): .done(error.description)
        case .result: .done(nil)
        }
    }

    private typealias Reading<Value: Sendable> = (APIReply, _ mayBeRepeated: Bool) -> AttemptResult<Value>

    private func perform<Value: Sendable>(
        _ request: APIRequest, _ read: Reading<Value>
    ) async throws(CallFailure) -> Value {
        let ticket = try breaker.admit()
        do {
            var history = CallHistory()
            let value = try await rule.run(until: time.uptime() + settings.deadline) { left in
                await attempt(request, &history, within: left, read)
            }
            breaker.settle(ticket, nil)
            return value
        } catch {
            breaker.settle(ticket, error.side)
            throw error
        }
    }

    private func attempt<Value: Sendable>(
        _ request: APIRequest, _ history: inout CallHistory, within left: Duration, _ read: Reading<Value>
    ) async -> AttemptResult<Value> {
        let end = time.uptime() + left
        while true {
            let token: AccessToken
            do {
                token = try await tokens.token(until: end)
                try quota.take(request.call, for: request.packageName)
            } catch {
                return .stop(error)
            }
            let answer: APIAnswer
            do {
                answer = try await send(request, token, within: min(end - time.uptime(), settings.attemptTime))
            } catch {
                switch error {
                case .notConnected, .shutDown: quota.giveBack(request.call, for: request.packageName)
                case .unanswered: history.mayBeDecoded = true
                case .cut, .cancelled: break
                }
                return CallFailure.of(error, server: settings.baseURL.host)
            }
            switch answer {
            case .reply(let reply): return read(reply, history.mayBeDecoded)
            case .outage(let failure): return .stop(failure)
            case .unavailable(let failure, let wait):
                if failure.outage.code == .quota {
                    quota.refused(request.packageName)
                } else {
                    history.mayBeDecoded = true
                }
                return .again(failure, after: wait)
            case .unauthorised(let failure):
                await tokens.discard(token)
                // Once: a token may be revoked before its time, but a second one that is refused is no accident.
                guard !history.hasRenewed else { return .stop(failure) }
                history.hasRenewed = true
            }
        }
    }

    private func send(
        _ request: APIRequest, _ token: AccessToken, within limit: Duration
    ) async throws(HTTPFailure) -> APIAnswer {
        let answer = try await exchange.post(
            settings.baseURL.text + request.path,
            fields: [("Authorization", token.authorization), ("Content-Type", "application/json")], body: request.body,
            within: limit)
        return APIAnswer(answer, account: account, limit: InputLimits.integrityAnswer, now: time.now())
    }
}

/// What the attempts of a call so far make of the next one.
private struct CallHistory {
    /// Whether a request may have been decoded of which no answer came.
    var mayBeDecoded = false
    /// Whether the call had a new access token made.
    var hasRenewed = false
}
