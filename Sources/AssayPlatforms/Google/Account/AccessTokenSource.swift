import AssayCore

/// Caches the access token. Concurrent callers share one request for a new token.
actor AccessTokenSource {
    private typealias Waiter = CheckedContinuation<Result<AccessToken, CallFailure>, Never>

    private let grant: JWTBearerGrant
    private let time: ClientTime
    private let refreshTime: Duration
    private var token: AccessToken?
    private var refresh: Task<Void, Never>?
    private var waiters: [Int: Waiter] = [:]
    private var nextWaiter = 0
    private var nextSerial = 1
    private var isShutDown = false

    /// - Parameter refreshTime: the time limit for requesting a token, including retries.
    init(grant: JWTBearerGrant, refreshTime: Duration, time: ClientTime) {
        (self.grant, self.refreshTime, self.time) = (grant, refreshTime, time)
    }

    /// The current token, or a new one. The request for it continues if a caller is cancelled or times out.
    /// - Parameter deadline: the latest time for the caller, in ``ClientTime/uptime``.
    func token(until deadline: Duration) async throws(CallFailure) -> AccessToken {
        if isShutDown { throw .shutDown }
        if let token, time.uptime() < token.renewal { return token }
        beginRefresh()
        let waiter = nextWaiter
        nextWaiter += 1
        // The caller's deadline may be earlier than that of the refresh.
        let left = deadline - time.uptime()
        let timer = Task {
            try await time.runOut(max(left, .zero))
            leave(waiter, CallFailure(.servers, .timeout, "no access token before the deadline of the call"))
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiters[waiter] = $0 }
        } onCancel: {
            Task { await self.leave(waiter, .cancelled) }
        }
        return try result.get()
    }

    /// Drops a token that the API refused, unless it has been replaced already.
    func discard(_ refused: AccessToken) {
        if token?.serial == refused.serial { token = nil }
    }

    /// Drops the token and ends all waiting calls.
    func shutdown() {
        isShutDown = true
        token = nil
        refresh?.cancel()
        settle(.failure(.shutDown))
    }

    private func beginRefresh() {
        guard refresh == nil else { return }
        let serial = nextSerial
        nextSerial += 1
        refresh = Task {
            let result = await grant.token(serial: serial, until: time.uptime() + refreshTime)
            refresh = nil
            if !isShutDown, case .success(let new) = result { token = new }
            settle(result)
        }
    }

    private func settle(_ result: Result<AccessToken, CallFailure>) {
        let settled = waiters
        waiters = [:]
        for waiter in settled.values { waiter.resume(returning: result) }
    }

    private func leave(_ waiter: Int, _ failure: CallFailure) {
        waiters.removeValue(forKey: waiter)?.resume(returning: .failure(failure))
    }
}
