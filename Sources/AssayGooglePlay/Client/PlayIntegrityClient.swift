import AssayCore
public import PlayIntegrity

/// Limits of a ``PlayIntegrityClient``. The defaults suit a backend with a waiting user.
public struct PlayIntegrityClientSettings: Sendable {
    /// The server of the API.
    package var baseURL = ServerURL.playIntegrity
    /// The time of a call, with access token, attempts and waits.
    public var deadline = Duration.seconds(15)
    /// The time of one attempt.
    public var attemptTime = Duration.seconds(5)
    /// The most attempts of a call, at least 1.
    public var attempts = 4
    /// The longest wait before the second attempt; doubled for each further one.
    package var backoffBase = Duration.milliseconds(200)
    /// The longest wait before any attempt, unless `Retry-After` is longer.
    package var backoffCap = Duration.seconds(5)
    /// The most requests for one app on one day; nil for Google's limit only, which is 10,000 unless it was raised.
    public var dailyLimit: Int?
    /// The number of consecutive failures of Google after which no calls are sent for a while.
    public var circuitThreshold = 5
    /// How long no calls are sent then.
    public var circuitPause = Duration.seconds(30)

    /// The defaults.
    public init() {}
}

/// The client of Google's Play Integrity API: decodes tokens and writes device recall bits.
///
/// Give it to a `Verifier` among its `services`. Keep one for the life of the process, and shut it down at the end.
///
///     let account = try ServiceAccount(json: SecretBytes(contentsOfKeyFile))
///     let client = PlayIntegrityClient(account: account)
///     let verifier = Verifier(policy: policy, ledger: ledger, services: [client])
///
/// **Retries.** A failed connection, a missing answer, HTTP 429 and 5xx are retried with exponential backoff and full jitter,
/// within the deadline of the call. An answer that began is not retried.
///
/// **Lost answers.** Google decodes a token once, and then answers with cleared verdicts, which look like those of a device
/// that is not genuine. A request without an answer may have been decoded. If a later attempt gets cleared verdicts, the call
/// ends in the outage `answer-lost` instead of a rejection; it never becomes an acceptance. The app then requests a new token.
///
/// **Secrets.** Access tokens, the account's key and integrity tokens are in no error and no description. Nothing is logged.
public final class PlayIntegrityClient: IntegrityTokenDecoder {
    /// The limits.
    package let settings: PlayIntegrityClientSettings
    private let account: ServiceAccount
    private let time: ClientTime
    private let exchange: HTTPExchange
    private let tokens: AccessTokenSource
    private let rule: RetryRule
    private let breaker: CircuitBreaker
    private let quota: RequestQuota

    /// Creates a client. Nothing is sent until the first call.
    public convenience init(account: ServiceAccount, settings: PlayIntegrityClientSettings = .init()) {
        self.init(account: account, settings: settings, time: .system)
    }

    /// Creates a client with other clocks.
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

    /// Lets Google decode a token.
    ///
    /// - Returns: the body of the answer: `{"tokenPayloadExternal": {...}}`, not checked any further, or for an undecodable
    ///   token `{"error": {"status": "INVALID_ARGUMENT", ...}}`.
    /// - Throws: ``PlayIntegrity/IntegrityDecoderOutage`` without a result for the token.
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

    /// Writes device recall bits of a device. Verdicts show them after up to 30 seconds.
    ///
    /// - Parameters:
    ///   - token: a token of the device, at most 14 days old; it may have been decoded.
    ///   - packageName: the package name of the app.
    ///   - values: the bits to change, which Google keeps for three years; nil for a bit that stays as it is.
    public func writeDeviceRecall(
        token: String, packageName: String, values: DeviceRecallBits<Bool>
    ) async throws(DeviceRecallError) {
        guard values != DeviceRecallBits() else { throw .nothingToWrite }
        let refusal: String?
        do {
            let request = try APIRequest.write(token, packageName, values)
            refusal = try await perform(request) { reply, _ in PlayIntegrityClient.refusal(reply) }
        } catch {
            throw .outage(error.outage)
        }
        if let refusal { throw .refused(refusal) }
    }

    /// The requests for an app on the current day.
    public func usage(of packageName: String) -> QuotaUsage { quota.usage(of: packageName) }

    /// Whether calls are sent.
    package var circuit: CircuitState { breaker.current }

    /// Closes all connections. Current and later calls end in the outage `shut-down`; a call between two attempts ends after its
    /// wait.
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
                // Renew once: a token may be revoked early, but a second refusal has another reason.
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

/// What the earlier attempts of a call mean for the next one.
private struct CallHistory {
    /// Whether a request without an answer may have been decoded.
    var mayBeDecoded = false
    /// Whether the call renewed the access token.
    var hasRenewed = false
}
