import AppAttest
public import AssayCore
import CoreMetrics
import Foundation
import Synchronization

/// The client of App Attest's server for receipts, and of DeviceCheck.
///
/// Keys are those of the purpose `apple-services` in a key store; that of the App ID's team is used. Keep one client for the life of
/// the process, and shut it down at the end.
///
/// **Limits.** It stops for a minute after five failures in a row, sends at most ten requests a second to a service, and pauses a key
/// for an hour when Apple refuses two of its tokens in a row. It follows no redirects.
///
/// **Secrets.** No error contains a token of the account, a device token or a receipt. No logging.
public final class AppleServicesClient: Sendable {
    /// The requests of one service.
    private final class Service: Sendable {
        let name: String
        let exchange: HTTPExchange
        let breaker: CircuitBreaker
        let bucket: Mutex<TokenBucket>

        init(_ name: String, answerLimit: Int, _ settings: AppleServicesSettings, _ time: ClientTime) {
            self.name = name
            exchange = HTTPExchange(
                answerLimit: answerLimit, connectTimeout: settings.connectTime, time: time)
            breaker = CircuitBreaker(threshold: settings.circuitThreshold, pause: settings.circuitPause, time: time)
            bucket = Mutex(
                TokenBucket(rate: max(settings.requestRate, 0.001), burst: settings.requestRate, at: time.uptime()))
        }
    }

    private let keys: any KeyStore
    private let settings: AppleServicesSettings
    private let time: ClientTime
    private let tokens: AppleTokens
    /// That of the task that made the client: calls may come from tasks without one.
    private let factory: any MetricsFactory
    private let receipts: Service
    private let deviceCheck: Service

    /// Creates a client. Sends nothing until the first call.
    ///
    /// - Parameter keys: the keys of Apple's services, such as a `SealedKeyStore` with `Verifier.keyMaterials`.
    public convenience init(keys: any KeyStore, settings: AppleServicesSettings = .init()) {
        self.init(keys: keys, settings: settings, time: .system)
    }

    /// Creates a client with other clocks.
    package init(keys: any KeyStore, settings: AppleServicesSettings, time: ClientTime) {
        (self.keys, self.settings, self.time) = (keys, settings, time)
        factory = MetricsSystem.factory
        tokens = AppleTokens(settings, time)
        receipts = Service("receipts", answerLimit: InputLimits.receipt / 3 * 4 + 4096, settings, time)
        deviceCheck = Service("devicecheck", answerLimit: AppleAnswers.textLimit, settings, time)
    }

    private init(_ other: AppleServicesClient, keys: any KeyStore) {
        self.keys = keys
        (settings, time, tokens, factory) = (other.settings, other.time, other.tokens, other.factory)
        (receipts, deviceCheck) = (other.receipts, other.deviceCheck)
    }

    /// This client, its connections and its limits, with the keys of another store.
    func using(_ keys: any KeyStore) -> AppleServicesClient { AppleServicesClient(self, keys: keys) }

    /// Closes all connections. Current and later calls end in the outage `shut-down`.
    public func shutdown() async {
        await receipts.exchange.shutdown()
        await deviceCheck.exchange.shutdown()
    }

    /// Exchanges a receipt for a new one. Waits if the rate limit demands it.
    /// - Parameters:
    ///   - appID: the App ID, which begins with the team ID.
    ///   - app: the policy's app, for keys of one app.
    package func exchange(
        _ receipt: [UInt8], environment: AttestEnvironment, appID: String, app: String
    ) async throws(AppleServicesOutage) -> ReceiptAnswer {
        let server = environment == .production ? settings.appAttest : settings.appAttestDevelopment
        let body = Array(Base64.encode(receipt, .standard).utf8)
        let result = try await perform(
            receipts, longestWait: .seconds(60), key: try await key(of: appID, app), AppleAnswers.receipt
        ) { token, limit async throws(HTTPFailure) in
            // The bare token, without a scheme, as Apple's example has it.
            try await self.receipts.exchange.post(
                server.text + "/v1/attestationData", fields: [("Authorization", token)], body: body, within: limit)
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let text):
            throw AppleServicesOutage(.unexpectedAnswer, "App Attest refuses a device token: \(text)")
        }
    }

    // MARK: DeviceCheck

    /// Reads the two bits of a device. That alone does not prove that the token is genuine: Apple is reported to answer forged ones.
    ///
    /// - Parameters:
    ///   - deviceToken: the result of `DCDevice.generateToken`.
    ///   - appID: the App ID, which begins with the team ID.
    public func bits(
        of deviceToken: [UInt8], appID: String, app: String, environment: AttestEnvironment
    ) async throws(DeviceCheckError) -> DeviceBits {
        try await ask("query_two_bits", deviceToken, [], appID, app, environment, AppleAnswers.bits)
    }

    /// Sets bits of a device; nil leaves a bit as it is. It proves that the token is genuine.
    public func setBits(
        of deviceToken: [UInt8], first: Bool?, second: Bool?, appID: String, app: String, environment: AttestEnvironment
    ) async throws(DeviceCheckError) {
        let bits = [("bit0", first), ("bit1", second)].compactMap { name, bit in bit.map { (name, "\($0)") } }
        try await ask("update_two_bits", deviceToken, bits, appID, app, environment, AppleAnswers.confirmation)
    }

    /// Validates a device token.
    public func validate(
        _ deviceToken: [UInt8], appID: String, app: String, environment: AttestEnvironment
    ) async throws(DeviceCheckError) {
        try await ask("validate_device_token", deviceToken, [], appID, app, environment, AppleAnswers.confirmation)
    }

    private func ask<Value: Sendable>(
        _ method: String, _ deviceToken: [UInt8], _ members: [(String, String)], _ appID: String, _ app: String,
        _ environment: AttestEnvironment, _ read: (HTTPAnswer, Date) -> AppleAnswers.Reading<Value>
    ) async throws(DeviceCheckError) -> Value {
        let server = environment == .production ? settings.deviceCheck : settings.deviceCheckDevelopment
        let milliseconds = Int64(time.now().timeIntervalSince1970 * 1000)
        // Base64, a UUID, numbers and booleans: nothing to escape.
        let fixed = [
            ("device_token", "\"\(Base64.encode(deviceToken, .standard))\""),
            ("transaction_id", "\"\(UUID().uuidString)\""),
            ("timestamp", "\(milliseconds)"),
        ]
        let json = "{" + (fixed + members).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let result: AppleResult<Value>
        do {
            result = try await perform(
                deviceCheck, longestWait: .seconds(1), key: try await key(of: appID, app), read
            ) { token, limit async throws(HTTPFailure) in
                try await self.deviceCheck.exchange.post(
                    "\(server.text)/v1/\(method)",
                    fields: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                    body: Array(json.utf8), within: limit)
            }
        } catch {
            throw .outage(error)
        }
        switch result {
        case .success(let value): return value
        case .failure(let text): throw .badToken(text)
        }
    }

    // MARK: Requests

    /// The live key for an App ID: one for the app, else one of the team, which serves all its apps, else the only one. Of several
    /// keys of a team, such as during a rotation, the newest one.
    private func key(
        of appID: String, _ app: String
    ) async throws(AppleServicesOutage) -> (named: NamedKey, key: AppleServicesKey) {
        let now = time.now()
        let all: [NamedKey]
        do { all = try await keys.keys(for: AppleServicesKey.purpose) } catch {
            throw AppleServicesOutage(.unreachable, "the key store does not answer: \(error.message)")
        }
        let live = all.compactMap { named in
            named.state(at: now) == .live ? (named.material as? AppleServicesKey).map { (named, $0) } : nil
        }.filter { $0.0.scope == nil || $0.0.scope == app }
        let team = appID.prefix { $0 != "." }
        func newest(_ isMeant: ((NamedKey, AppleServicesKey)) -> Bool) -> (NamedKey, AppleServicesKey)? {
            live.filter(isMeant).max { $0.0.usableFrom < $1.0.usableFrom }
        }
        let found =
            newest { $0.0.scope == app } ?? newest { $0.1.teamID == team } ?? (live.count == 1 ? live.first : nil)
        guard let found else {
            throw AppleServicesOutage(
                .notAuthorised,
                "there is no live key of Apple's services for team \(String(team).excerpt); add one with `assay keys add NAME --use "
                    + "apple-services`")
        }
        return found
    }

    private func perform<Value: Sendable>(
        _ service: Service, longestWait: Duration, key: (named: NamedKey, key: AppleServicesKey),
        _ read: (HTTPAnswer, Date) -> AppleAnswers.Reading<Value>,
        _ send: (String, Duration) async throws(HTTPFailure) -> HTTPAnswer
    ) async throws(AppleServicesOutage) -> AppleResult<Value> {
        while true {
            let token = try tokens.token(of: key.named, key.key)
            try await waitForRate(service, atMost: longestWait)
            let ticket: CircuitBreaker.Ticket
            do { ticket = try service.breaker.admit() } catch { throw AppleServicesOutage(error) }
            let answer: HTTPAnswer
            do { answer = try await send(token.text, settings.requestTime) } catch {
                service.breaker.settle(ticket, error.side)
                count(service, "none")
                throw AppleServicesOutage(error)
            }
            count(service, "\(answer.status)")
            switch read(answer, time.now()) {
            case .value(let value):
                service.breaker.settle(ticket, nil)
                tokens.accepted(token, name: key.named.name)
                return .success(value)
            case .badToken(let text):
                service.breaker.settle(ticket, nil)
                tokens.accepted(token, name: key.named.name)
                return .failure(text)
            case .failure(let side, let outage):
                service.breaker.settle(ticket, side)
                throw outage
            case .unauthorised(let said):
                service.breaker.settle(ticket, .client)
                guard tokens.refused(token, name: key.named.name) else {
                    throw AppleServicesOutage(
                        .notAuthorised,
                        "Apple refuses the key \(key.named.name.excerpt) (key ID \(key.key.keyID), team \(key.key.teamID)): \(said); "
                            + AppleTokens.advice)
                }
            }
        }
    }

    private func count(_ service: Service, _ status: String) {
        Counter(
            label: MetricName.appleRequests.rawValue, dimensions: [("service", service.name), ("status", status)],
            factory: factory
        ).increment()
    }

    private func waitForRate(_ service: Service, atMost longest: Duration) async throws(AppleServicesOutage) {
        var waited = Duration.zero
        while let wait = service.bucket.withLock({ $0.take(at: time.uptime()) }) {
            waited += wait
            guard waited <= longest else {
                throw AppleServicesOutage(
                    .quota, "this client's limit of \(settings.requestRate) requests a second is reached",
                    retryAt: time.now().addingTimeInterval(wait.inSeconds))
            }
            do { try await time.sleep(wait) } catch { throw AppleServicesOutage(HTTPFailure.cancelled) }
        }
    }
}

/// A value, or what Apple says to a bad device token.
private enum AppleResult<Value: Sendable>: Sendable {
    case success(Value)
    case failure(String)
}

extension AppleServicesOutage {
    fileprivate init(_ circuit: OpenCircuit) {
        self.init(.circuitOpen, circuit.message(ofServersOf: "Apple"), retryAt: circuit.until)
    }

    fileprivate init(_ failure: HTTPFailure) {
        let (code, message) = failure.outage()
        self.init(code, message)
    }
}
