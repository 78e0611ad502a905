extension ClientModel {
    /// A challenge within this of its end is not used any more: the way to the server takes time.
    private static let challengeMargin = 10 * Milliseconds.second
    /// How long another process may work on the record before its work counts as lost.
    static let lease = 90 * Milliseconds.second
    /// How long a call may take: less than the lease.
    static let callLimit = 80 * Milliseconds.second
    /// The clock of a server that differs by less is not learned: an answer was under way for a moment.
    private static let clockTolerance = 5 * Milliseconds.second

    mutating func start(app: String, system: String, installation: String, unsupported: UnsupportedReason?) {
        (self.app, self.system, self.unsupported) = (app, system, unsupported)
        if record.installation != nil, record.installation != installation {
            discard()
            endHalt()
        }
        record.installation = installation
        if record.halt != nil, record.haltApp != app || record.haltSystem != system { endHalt() }
    }

    private mutating func endHalt() {
        (record.halt, record.notBefore, record.failures) = (nil, 0, 0)
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
        if record.halt != nil { endHalt() }
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
                guard record.cause == "platform" else { return failEnrolment("too-many-keys", keepTime: true) }
                // The keys died on the device: requests go without evidence, and say so.
                record.failures = max(record.failures, 2)
                return failEnrolment("platform", code: record.code, keepTime: true)
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
        (record.owner, record.leaseEnds) = (process, now + Self.lease)
        return turn
    }

    mutating func challengeCame(turn: Int, value: String, life: Int, date: Int?) {
        guard isCurrent(turn, .challenge, date) else { return }
        (record.challenge, record.challengeFrom) = (value, now)
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
            (record.phase, record.key, record.cause, record.code) = (.new, nil, "platform", code)
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

    mutating func storageFailed(_ cause: String, code: String?) {
        switch doing {
        case .makeKey: record.keysMade = Array(record.keysMade.dropLast())
        case .attest: record.phase = .keyMade
        case .submit: record.phase = .attested
        case .challenge, nil: break
        }
        turn += 1
        failEnrolment(cause, code: code)
    }

    mutating func confirm() {
        dropChallenge()
        endLease()
        (record.phase, record.evidence, record.failures, record.notBefore) = (.enrolled, nil, 0, 0)
        (record.cause, record.code, rekeyed, wanted) = (nil, nil, false, false)
    }

    /// Ends the key. The next one takes a new challenge: this one may have been used.
    mutating func discard() {
        if let key = record.key { act(.deleteKey(key: key)) }
        (record.phase, record.key, record.evidence) = (.new, nil, nil)
        dropChallenge()
    }

    mutating func forget() {
        for id in ops.map(\.id) { fail(id, Failure(cause: "forgotten")) }
        discard()
        var empty = ClientRecord()
        (empty.installation, empty.keysMade) = (record.installation, record.keysMade)
        record = empty
        turn += 1
        (doing, rekeyed, wanted) = (nil, false, false)
    }

    private mutating func dropChallenge() {
        (record.challenge, record.challengeFrom, record.challengeEnds) = (nil, 0, 0)
    }

    private mutating func endLease() {
        (record.owner, record.leaseEnds) = (nil, 0)
    }

    /// Only another app, another system or a day may change the verdict.
    private mutating func halt(_ remedy: Remedy) {
        discard()
        (record.halt, record.haltApp, record.haltSystem) = (remedy.rawValue, app, system)
        (record.notBefore, record.cause, record.code) = (now + Milliseconds.day, "refused", nil)
        endEnrolment()
    }

    private mutating func failEnrolment(
        _ cause: String, code: String? = nil, retryAfter: Int? = nil, platform: Bool = false, keepTime: Bool = false
    ) {
        record.failures += 1
        if !keepTime {
            let isLong = platform && record.failures > 3
            let (first, limit) = isLong ? (900, 4 * 3600) : platform ? (5, 20) : (2, 300)
            let delay = Milliseconds.backoff(
                record.failures - (isLong ? 3 : 0), first: first * Milliseconds.second,
                limit: limit * Milliseconds.second, jitter: jitter)
            record.notBefore = now + max(delay, retryAfter.map(Milliseconds.capped) ?? 0)
        }
        (record.cause, record.code) = (cause, code)
        endEnrolment()
    }

    private mutating func endEnrolment() {
        endLease()
        (rekeyed, doing) = (false, nil)
        if record.halt == nil { act(.wait(until: record.notBefore)) }
        serveWaiting()
    }

    mutating func learnClock(_ date: Int?) {
        guard let date, abs(date - (now + record.offset)) > Self.clockTolerance else { return }
        record.offset = max(-Milliseconds.day, min(Milliseconds.day, date - now))
    }
}
