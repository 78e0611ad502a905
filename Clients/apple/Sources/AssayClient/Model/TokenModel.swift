/// The cache of a token: one fetch at a time, renewed before its end. `Model/client/tokens.py` is the reference.
struct TokenModel: Sendable {
    enum Event: Sendable {
        case need(op: String)
        /// The request was answered, or the app has given it up.
        case done(op: String)
        /// The app wants a token before it has a request.
        case prefetch
        case refused(op: String)
        /// The server's token; `life` in seconds.
        case fetched(turn: Int, token: String, life: Int)
        case fetchFailed(turn: Int, ClientModel.Failure)
        /// The network is back.
        case network
        case forget
    }

    enum Action: Sendable, Equatable {
        case fetch(turn: Int)
        case use(op: String, token: String)
        case fail(op: String, ClientModel.Failure)
        /// From this time on a use renews the token; a driver may send ``Event/prefetch`` then.
        case wait(until: Int)
    }

    private struct Op: Sendable {
        let id: String
        var token: String?
        var renewed = false
    }

    /// A token within this of its end is not used any more: the way to the server takes time.
    private static let margin = 5 * Milliseconds.second

    private var token: String?
    private var issued = 0
    private var renewAt = 0
    private var ends = 0
    private var turn = 0
    private var fetching = false
    private var failures = 0
    private var notBefore = 0
    private var failure = ClientModel.Failure(cause: "")
    private var ops: [Op] = []
    private var actions: [Action] = []
    private var now = 0

    /// Takes an event; `now` in milliseconds since 1970, `jitter` 0 to 1000.
    mutating func step(_ event: Event, now: Int, jitter: Int = 0) -> [Action] {
        actions = []
        self.now = now
        if now >= notBefore || notBefore > now + Milliseconds.day { notBefore = 0 }
        switch event {
        case .need(let id):
            ops.removeAll { $0.id == id }
            ops.append(Op(id: id))
            proceed(id)
        case .done(let id): ops.removeAll { $0.id == id }
        case .prefetch: if !fetching, now >= notBefore, !(isUsable && now < renewAt) { fetch() }
        case .refused(let id): refused(id)
        case .fetched(let turn, let token, let life):
            guard isCurrent(turn) else { break }
            fetched(token, life: min(max(life, 0), 24 * 3600) * Milliseconds.second, jitter: jitter)
        case .fetchFailed(let turn, let failure):
            guard isCurrent(turn) else { break }
            failures += 1
            let delay = Milliseconds.backoff(
                failures, first: 2 * Milliseconds.second, limit: 300 * Milliseconds.second, jitter: jitter)
            notBefore = now + max(delay, failure.retryAfter.map(Milliseconds.capped) ?? 0)
            self.failure = ClientModel.Failure(cause: failure.cause, code: failure.code, remedy: failure.remedy)
            for op in waiting { giveUp(op.id) }
        case .network: if failure.cause == "network" { notBefore = 0 }
        case .forget:
            turn += 1
            (token, fetching) = (nil, false)
            failure = ClientModel.Failure(cause: "forgotten")
            for op in waiting { giveUp(op.id) }
        }
        return actions
    }

    private var isUsable: Bool { token != nil && issued <= now && now < ends - Self.margin }

    private var waiting: [Op] { ops.filter { $0.token == nil } }

    private mutating func proceed(_ id: String) {
        if isUsable, let token {
            use(id, token)
            if now >= renewAt, !fetching, now >= notBefore { fetch() }
        } else if !fetching {
            if now < notBefore { giveUp(id) } else { fetch() }
        }
    }

    private mutating func use(_ id: String, _ token: String) {
        guard let index = ops.firstIndex(where: { $0.id == id }) else { return }
        ops[index].token = token
        actions.append(.use(op: id, token: token))
    }

    private mutating func refused(_ id: String) {
        guard let index = ops.firstIndex(where: { $0.id == id }), let used = ops[index].token else { return }
        if used == token { token = nil }
        if ops[index].renewed {
            ops.remove(at: index)
            return actions.append(.fail(op: id, ClientModel.Failure(cause: "refused", code: "invalid_token")))
        }
        (ops[index].token, ops[index].renewed) = (nil, true)
        proceed(id)
    }

    private mutating func fetched(_ new: String, life: Int, jitter: Int) {
        // At half of its life, or a minute before its end if that is later; some of it sooner, so that not all devices that
        // began together renew together.
        let renew = max(life / 2, life - 60 * Milliseconds.second)
        (token, issued, ends) = (new, now, now + life)
        renewAt = now + renew - renew / 10 * jitter / 1000
        (failures, notBefore) = (0, 0)
        actions.append(.wait(until: renewAt))
        for op in waiting { use(op.id, new) }
    }

    private mutating func fetch() {
        turn += 1
        fetching = true
        actions.append(.fetch(turn: turn))
    }

    private mutating func isCurrent(_ turn: Int) -> Bool {
        guard turn == self.turn, fetching else { return false }
        fetching = false
        return true
    }

    private mutating func giveUp(_ id: String) {
        ops.removeAll { $0.id == id }
        var failure = failure
        if now < notBefore { failure.retryAfter = Milliseconds.ceilSeconds(notBefore - now) }
        actions.append(.fail(op: id, failure))
    }
}
