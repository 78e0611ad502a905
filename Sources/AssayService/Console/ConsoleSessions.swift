import AssayPrimitives
import Synchronization

/// The sessions of the console, in memory alone: they end with the process.
final class ConsoleSessions: Sendable {
    /// How long a session lasts without a request, and at most.
    static let (idle, longest) = (Duration.seconds(15 * 60), Duration.seconds(8 * 3600))
    /// The most sessions. Another one takes the place of the one that is idle for longest.
    static let most = 256
    /// The most sessions of one token: nobody ends those of others.
    private static let mostOfToken = 8

    /// The session of an operator who has signed in.
    struct Session: Sendable {
        /// The hash of the operator's token, by which each request looks the operator up.
        let tokenHash: [UInt8]
        /// What forms of the session carry.
        let formToken: String
        fileprivate let begin: ContinuousClock.Instant
        fileprivate var last: ContinuousClock.Instant

        fileprivate func isOver(at now: ContinuousClock.Instant) -> Bool {
            now - last > idle || now - begin > longest
        }
    }

    /// By the hash of the ID, so that no comparison says anything about an ID.
    private let all = Mutex<[[UInt8]: Session]>([:])

    /// Begins a session, and returns its ID. No ID that a browser sends becomes one.
    func begin(_ tokenHash: [UInt8], at now: ContinuousClock.Instant = .now) -> String {
        let id = Self.random()
        all.withLock { all in
            all = all.filter { !$0.value.isOver(at: now) }
            let own = all.filter { $0.value.tokenHash == tokenHash }
            if own.count >= Self.mostOfToken, let oldest = own.min(by: { $0.value.last < $1.value.last }) {
                all[oldest.key] = nil
            } else if all.count >= Self.most, let oldest = all.min(by: { $0.value.last < $1.value.last }) {
                all[oldest.key] = nil
            }
            all[Self.hash(id)] = Session(tokenHash: tokenHash, formToken: Self.random(), begin: now, last: now)
        }
        return id
    }

    /// The session with an ID; nil if it is over.
    ///
    /// - Parameter isUse: whether the request is the operator's, and prolongs the session. The refresh of an open page is not.
    func session(_ id: String, isUse: Bool, at now: ContinuousClock.Instant = .now) -> Session? {
        let key = Self.hash(id)
        return all.withLock { all in
            guard var session = all[key] else { return nil }
            guard !session.isOver(at: now) else {
                all[key] = nil
                return nil
            }
            if isUse {
                session.last = now
                all[key] = session
            }
            return session
        }
    }

    func end(_ id: String) { _ = all.withLock { $0.removeValue(forKey: Self.hash(id)) } }

    private static func hash(_ id: String) -> [UInt8] { Digest.sha256(Array(id.utf8)) }

    /// 256 random bits in base64url.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, .url)
    }
}

/// Slows those who guess tokens down.
final class LoginDelay: Sendable {
    private struct State {
        var failures = 0
        var last = ContinuousClock.now
        var waiting = 0
    }

    /// The most logins that wait for their refusal at the same time. Others are refused at once.
    private static let most = 32
    /// How long after the last failure they count no more.
    private static let memory = Duration.seconds(60)
    private let state = Mutex(State())

    /// Counts a failure, and waits: a quarter of a second after the first one, and twice as long after each further one, up to four
    /// seconds.
    ///
    /// - Returns: how many failures there were in the last time, and whether it has waited: not if too many do.
    func wait() async -> (failures: Int, hasWaited: Bool) {
        let (failures, hasRoom) = state.withLock { state in
            let now = ContinuousClock.now
            if now - state.last > Self.memory { state.failures = 0 }
            state.failures += 1
            state.last = now
            let hasRoom = state.waiting < Self.most
            if hasRoom { state.waiting += 1 }
            return (state.failures, hasRoom)
        }
        guard hasRoom else { return (failures, false) }
        try? await Task.sleep(for: .milliseconds(250 << min(failures - 1, 4)))
        state.withLock { $0.waiting -= 1 }
        return (failures, true)
    }
}
