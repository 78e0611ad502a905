import AssayCore
public import PlayIntegrity

/// Limits of a ``PlayIntegrityClient``. The defaults suit a backend with a user who waits for the answer.
public struct PlayIntegrityClientSettings: Sendable {
    package var baseURL = ServerURL.playIntegrity
    /// The time limit of a call, including access token, attempts and waits.
    public var deadline = Duration.seconds(15)
    /// The time limit of one attempt.
    public var attemptTime = Duration.seconds(5)
    /// The maximum number of attempts of a call, at least 1.
    public var attempts = 4
    /// The maximum wait before the second attempt; doubles for each further one.
    package var backoffBase = Duration.milliseconds(200)
    /// The maximum wait before any attempt, unless `Retry-After` is longer.
    package var backoffCap = Duration.seconds(5)
    /// The maximum number of requests for one app per day; nil for Google's limit only (10,000 unless raised).
    public var dailyLimit: Int?
    /// The number of consecutive server failures that opens the circuit.
    public var circuitThreshold = 5
    /// How long the circuit stays open.
    public var circuitPause = Duration.seconds(30)

    /// The defaults.
    public init() {}
}

/// The client of Google's Play Integrity API: decodes tokens and writes device recall bits.
///
/// Pass it to a `Verifier` in `services`. Keep one for the life of the process, and shut it down at the end.
///
///     let account = try ServiceAccount(json: SecretBytes(contentsOfKeyFile))
///     let client = PlayIntegrityClient(account: account)
///     let verifier = Verifier(policy: policy, ledger: ledger, services: [client])
///
/// **Retries.** The client retries a failed connection, a missing answer, HTTP 429 and 5xx with exponential backoff and
/// full jitter, within the deadline of the call. It does not retry once an answer has begun.
///
/// **Lost answers.** Google decodes a token once. Later requests get cleared verdicts, which look like those of a
/// device that is not genuine. A request without an answer may have been decoded. If a retry then gets cleared
/// verdicts, the call ends in the outage `answer-lost` instead of a rejection, never in an acceptance. The app must
/// request a new token.
///
/// **Secrets.** No error or description contains access tokens, the account's key or integrity tokens. No logging.
public final class PlayIntegrityClient: IntegrityTokenDecoder, DeviceRecallWriter {
    package let settings: PlayIntegrityClientSettings
    private let account: ServiceAccount
    private let time: ClientTime
    private let exchange: HTTPExchange
    private let tokens: AccessTokenSource
    private let rule: RetryRule
    private let breaker: CircuitBreaker
    private let quota: RequestQuota

    /// Creates a client. Sends nothing until the first call.
    public convenience init(account: ServiceAccount, settings: PlayIntegrityClientSettings = .init()) {
        self.init(account: account, settings: settings, time: .system)
    }

    package init(account: ServiceAccount, settings: PlayIntegrityClientSettings, time: ClientTime) {
        (self.account, self.settings, self.time) = (account, settings, time)
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

    /// Decodes a token with Google's API.
    ///
    /// - Returns: the body of the answer: `{"tokenPayloadExternal": {...}}`, not checked further, or for an undecodable
    ///   token `{"error": {"status": "INVALID_ARGUMENT", ...}}`.
    /// - Throws: ``PlayIntegrity/IntegrityDecoderOutage`` if there is no result for the token.
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

    /// Writes device recall bits of a device. Verdicts show them within 30 seconds.
    ///
    /// - Parameters:
    ///   - token: a token of the device, at most 14 days old; it may have been decoded before.
    ///   - packageName: the package name of the app.
    ///   - values: the bits to change, which Google keeps for three years; nil leaves a bit unchanged.
    public func writeDeviceRecall(
        token: String, packageName: String, values: DeviceRecallBits<Bool>
    ) async throws(DeviceRecallError) {
        guard values != DeviceRecallBits() else { throw .nothingToWrite }
        let refusal: String?
        do { refusal = try await writeRecall(values, with: token, packageName: packageName) } catch {
            throw .outage(error)
        }
        if let refusal { throw .refused(refusal) }
    }

    /// ``writeDeviceRecall(token:packageName:values:)``, for an engine that bans devices.
    package func writeRecall(
        _ bits: DeviceRecallBits<Bool>, with token: String, packageName: String
    ) async throws(IntegrityDecoderOutage) -> String? {
        do {
            let request = try APIRequest.write(token, packageName, bits)
            return try await perform(request) { reply, _ in PlayIntegrityClient.refusal(reply) }
        } catch {
            throw error.outage
        }
    }

    /// The requests for an app on the current day.
    public func usage(of packageName: String) -> QuotaUsage { quota.usage(of: packageName) }

    package var circuit: CircuitState { breaker.current }

    /// Closes all connections. Current and later calls end in the outage `shut-down`; a call that waits for its next
    /// attempt ends after that wait.
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
        let ticket: CircuitBreaker.Ticket
        do { ticket = try breaker.admit() } catch { throw CallFailure(error) }
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
                // Renew only once: a token may be revoked early, but a second refusal has another cause.
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

/// The effects of a call's earlier attempts on the next one.
private struct CallHistory {
    /// Whether Google may have decoded the token of a request without an answer.
    var mayBeDecoded = false
    /// Whether the call renewed the access token.
    var hasRenewed = false
}

/// Why device recall bits were not written.
@nonexhaustive
public enum DeviceRecallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No change was given; nothing was sent.
    case nothingToWrite
    /// Google refuses the token: undecodable, older than 14 days, or of a device that is not genuine.
    case refused(String)
    /// No answer. The bits may have been written; it is safe to repeat the call.
    case outage(IntegrityDecoderOutage)

    /// The message.
    public var description: String {
        switch self {
        case .nothingToWrite: "no device recall bit was given to be changed"
        case .refused(let message): "Google refuses to write device recall bits: \(message)"
        case .outage(let outage): outage.description
        }
    }
}
