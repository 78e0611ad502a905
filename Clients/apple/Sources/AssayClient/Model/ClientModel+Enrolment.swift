extension ClientModel {
    /// A challenge within this of its end is not used any more: the way to the server takes time.
    private static let challengeMargin = 10 * Milliseconds.second
    /// How long another process may work on the record before its work counts as lost.
    static let lease = 90 * Milliseconds.second
    /// The clock of a server that differs by less is not learned: an answer was under way for a moment.
    private static let clockTolerance = 5 * Milliseconds.second

    mutating func start(app: String, system: String, installation: String, unsupported: UnsupportedReason?) {
        self.app = app
        self.system = system
        self.unsupported = unsupported
        if record.installation != nil, record.installation != installation {
            discard()
            endHalt(notBefore: 0)
        }
        record.installation = installation
        if record.halt != nil, record.haltApp != app || record.haltSystem != system { endHalt(notBefore: 0) }
    }

    private mutating func endHalt(notBefore: Int) {
        record.halt = nil
        record.notBefore = notBefore
        record.failures = 0
    }

    mutating func enrolIfWanted() {
        if wanted, doing == nil, ready == nil, !blocked { enrol() }
    }

    /// Whether no enrolment may begin now.
    private var blocked: Bool { unsupported != nil || record.halt != nil || now < record.notBefore || leased }

    mutating func networkIsBack() {
        if record.cause == "network", record.halt == nil { record.notBefore = 0 }
    }

    /// Ends what has ended, and times that only a clock which was set can have left.
    mutating func forgetTimes() {
        guard now >= record.notBefore || record.notBefore > now + Milliseconds.day else { return }
        record.notBefore = 0
        if record.halt != nil { endHalt(notBefore: 0) }
    }

    /// The next call of the enrolment.
    mutating func enrol() {
        guard let challenge = record.challenge, record.challengeFrom <= now,
            now < record.challengeEnds - Self.challengeMargin
        else {
            if record.phase == .attested || (keyHasChallenge && record.phase != .new) { discard() }
            dropChallenge()
            let turn = begin(.challenge)
            return act(.getChallenge(turn: turn))
        }
        switch (record.phase, record.key) {
        case (.new, _), (_, nil):
            // A clock that was set back does not forget keys.
            let made = record.keysMade.filter { abs(now - $0) < Milliseconds.day }
            if made.count >= keysADay {
                record.notBefore = min(made[made.count - keysADay], now) + Milliseconds.day
                return failEnrolment("too-many-keys", keepTime: true)
            }
            record.keysMade = made + [now]
            let turn = begin(.makeKey)
            act(.makeKey(turn: turn, challenge: challenge))
        case (.keyMade, let key?), (.attesting, let key?):
            record.phase = .attesting
            let turn = begin(.attest)
            act(.attest(turn: turn, key: key, challenge: challenge))
        case (.attested, let key?), (.submitted, let key?), (.enrolled, let key?):
            record.phase = .submitted
            let turn = begin(.submit)
            act(.submit(turn: turn, key: key, challenge: challenge, evidence: record.evidence ?? ""))
        }
    }

    private mutating func begin(_ call: Call) -> Int {
        turn += 1
        doing = call
        record.owner = process
        record.leaseEnds = now + Self.lease
        return turn
    }

    mutating func challengeCame(turn: Int, value: String, life: Int, date: Int?) {
        guard isCurrent(turn, .challenge, date) else { return }
        record.challenge = value
        record.challengeFrom = now
        record.challengeEnds = now + min(max(life, 20), 24 * 3600) * Milliseconds.second
        enrol()
    }

    mutating func platformFailed(_ call: Call?, _ kind: PlatformClass, code: String) {
        if record.phase == .attesting { record.phase = .keyMade }
        if kind == .unsupported {
            unsupported = UnsupportedReason(reason: "unsupported", code: code)
            endLease()
            return serveWaiting()
        }
        if kind == .keyGone, call == .attest {
            // The challenge was never sent, and serves the next key too.
            if let key = record.key { act(.deleteKey(key: key)) }
            record.phase = .new
            record.key = nil
            if !rekeyed {
                rekeyed = true
                return enrol()
            }
        }
        failEnrolment("platform", code: code, platform: true)
    }

    mutating func callFailed(_ call: Call, _ failure: Failure) {
        if let remedy = failure.remedy, remedy.halts { return halt(remedy) }
        if call == .submit, !failure.sent { record.phase = .attested }
        failEnrolment(failure.cause, code: failure.code, retryAfter: failure.retryAfter)
    }

    mutating func refused(_ remedy: Remedy, code: String?, retryAfter: Int?) {
        if remedy.halts { return halt(remedy) }
        if remedy == .retry {
            // A rejection uses nothing up.
            record.phase = .attested
            return failEnrolment("refused", code: code, retryAfter: retryAfter)
        }
        discard()
        guard !rekeyed else { return failEnrolment("refused", code: code) }
        rekeyed = true
        enrol()
    }

    mutating func storageFailed() {
        switch doing {
        case .makeKey: record.keysMade = Array(record.keysMade.dropLast())
        case .attest: record.phase = .keyMade
        case .submit: record.phase = .attested
        case .challenge, nil: break
        }
        turn += 1
        failEnrolment("storage")
    }

    mutating func confirm() {
        record.phase = .enrolled
        dropChallenge()
        record.evidence = nil
        record.failures = 0
        record.notBefore = 0
        record.cause = nil
        record.code = nil
        endLease()
        rekeyed = false
        wanted = false
    }

    /// Ends the key. The next one takes a new challenge: this one may have been used.
    mutating func discard() {
        if let key = record.key { act(.deleteKey(key: key)) }
        record.phase = .new
        record.key = nil
        record.evidence = nil
        dropChallenge()
    }

    mutating func forget() {
        for id in ops.map(\.id) { fail(id, Failure(cause: "forgotten")) }
        discard()
        var empty = ClientRecord()
        empty.installation = record.installation
        empty.keysMade = record.keysMade
        record = empty
        turn += 1
        doing = nil
    }

    private mutating func dropChallenge() {
        record.challenge = nil
        record.challengeFrom = 0
        record.challengeEnds = 0
    }

    private mutating func endLease() {
        record.owner = nil
        record.leaseEnds = 0
    }

    /// Only another app, another system or a day may change the verdict.
    private mutating func halt(_ remedy: Remedy) {
        discard()
        record.halt = remedy.rawValue
        record.haltApp = app
        record.haltSystem = system
        record.notBefore = now + Milliseconds.day
        record.cause = "refused"
        record.code = nil
        endEnrolment()
    }

    private mutating func failEnrolment(
        _ cause: String, code: String? = nil, retryAfter: Int? = nil, platform: Bool = false, keepTime: Bool = false
    ) {
        record.failures += 1
        if !keepTime {
            let second = Milliseconds.second
            let (failures, first, limit) =
                !platform
                ? (record.failures, 2 * second, 300 * second)
                : record.failures > 3
                    ? (record.failures - 3, 900 * second, 4 * 3600 * second)
                    : (record.failures, 5 * second, 20 * second)
            let delay = Milliseconds.backoff(failures, first: first, limit: limit, jitter: jitter)
            record.notBefore = now + max(delay, retryAfter.map(Milliseconds.capped) ?? 0)
        }
        record.cause = cause
        record.code = code
        endEnrolment()
    }

    private mutating func endEnrolment() {
        endLease()
        rekeyed = false
        doing = nil
        if record.halt == nil { act(.wait(until: record.notBefore)) }
        serveWaiting()
    }

    mutating func learnClock(_ date: Int?) {
        guard let date, abs(date - (now + record.offset)) > Self.clockTolerance else { return }
        record.offset = max(-Milliseconds.day, min(Milliseconds.day, date - now))
    }
}
