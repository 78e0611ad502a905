import AppAttest
import AssayCore
import CoreMetrics
import FoundationEssentials
import Synchronization

/// The tokens by which Apple's services know the developer account: one for each key, shared by all requests for 45 minutes.
///
/// Apple refuses a token that is over an hour old, and a key whose token is renewed more often than every 20 minutes.
/// After one refusal the client makes a new token. After two refusals in a row it does not use the key for an hour.
final class AppleTokens: Sendable {
    struct Token: Sendable {
        /// The compact JWS.
        let text: String
        fileprivate let key: String
        fileprivate let serial: Int
    }

    private struct State {
        var token: Token?
        var issued = Date.distantPast
        var renewal = Duration.zero
        var serial = 0
        /// Refusals in a row.
        var refusals = 0
        var pausedUntil: Duration?
    }

    /// What an operator does about a refused key.
    static let advice =
        "check that the key exists and has the DeviceCheck service, that the team ID is right, and that this machine's clock is right"

    private let settings: AppleServicesSettings
    private let time: ClientTime
    /// That of the task that made the client: calls may come from tasks without one.
    private let factory = MetricsSystem.factory
    private let states = Mutex<[String: State]>([:])

    init(_ settings: AppleServicesSettings, _ time: ClientTime) {
        self.settings = settings
        self.time = time
    }

    func token(of named: NamedKey, _ key: AppleServicesKey) throws(AppleServicesOutage) -> Token {
        let identity = "\(key.teamID).\(key.keyID)"
        let (uptime, now) = (time.uptime(), time.now())
        return try states.withLock { (states) throws(AppleServicesOutage) in
            var state = states[identity] ?? State()
            defer { states[identity] = state }
            if let end = state.pausedUntil {
                guard uptime >= end else {
                    let until = now.addingTimeInterval((end - uptime).inSeconds)
                    throw AppleServicesOutage(
                        .notAuthorised,
                        "Apple has refused two tokens of the key \(named.name.excerpt) (key ID \(key.keyID), team \(key.teamID)), "
                            + "which is not used until \(RFC3339.format(until)); \(Self.advice)",
                        retryAt: until)
                }
                state.pausedUntil = nil
            }
            // Check the wall clock too: it may have been set.
            let age = now.timeIntervalSince(state.issued)
            if let token = state.token, uptime < state.renewal, age < 3000, age > -60 { return token }
            state.serial += 1
            let token = Token(text: try Self.mint(key, at: now), key: identity, serial: state.serial)
            (state.token, state.issued, state.renewal) = (token, now, uptime + settings.tokenTime)
            return token
        }
    }

    /// Notes that Apple took a token.
    func accepted(_ token: Token, name: String) {
        let wasRefused = states.withLock { states in
            guard states[token.key]?.serial == token.serial else { return false }
            defer { states[token.key]?.refusals = 0 }
            return states[token.key]?.refusals != 0
        }
        if wasRefused { gauge(name, 0) }
    }

    /// Notes that Apple refused a token. Returns whether another one may be tried.
    func refused(_ token: Token, name: String) -> Bool {
        let isPaused = states.withLock { states in
            guard var state = states[token.key] else { return false }
            // Another request has noted this refusal.
            guard state.serial == token.serial, state.token != nil else { return state.pausedUntil != nil }
            state.token = nil
            state.refusals += 1
            if state.refusals >= 2 { state.pausedUntil = time.uptime() + settings.keyPause }
            states[token.key] = state
            return state.pausedUntil != nil
        }
        if isPaused { gauge(name, 1) }
        return !isPaused
    }

    private func gauge(_ name: String, _ value: Int) {
        Meter(label: MetricName.appleKeyPaused.rawValue, dimensions: [("name", name)], factory: factory).set(value)
    }

    /// Signs a token: ES256, with the key ID in the header, and the team and the time in the claims.
    private static func mint(_ key: AppleServicesKey, at now: Date) throws(AppleServicesOutage) -> String {
        let token = SignedClaims.text(
            header: [("alg", .text("ES256")), ("kid", .text(key.keyID))],
            claims: [("iat", .number("\(Int(now.timeIntervalSince1970))")), ("iss", .text(key.teamID))],
            signedBy: key.privateKey.signature)
        guard let token else {
            throw AppleServicesOutage(.notAuthorised, "the key \(key.keyID) of team \(key.teamID) cannot sign")
        }
        return token
    }
}
