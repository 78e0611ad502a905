/// The state machine of the kit: enrol, sign, recover. A pure function of events; it knows no clock and no random source.
///
/// The driver stores ``record`` whenever it differs after an event, before it executes the actions in their order. When it
/// cannot be stored, the driver executes all of them but `makeKey`, `attest`, `submit` and `deleteKey`, and sends
/// ``Event/storageFailed`` if one of the first three was among them. `Model/client/enrolment.py` is the reference.
struct ClientModel: Sendable {
    /// What is stored.
    var record: ClientRecord

    let keyHasChallenge: Bool
    let keysADay: Int
    let process: String
    /// Why this process cannot attest.
    var unsupported: UnsupportedReason?
    /// Whether a request or the app has asked for a key since the last one was enrolled.
    var wanted = false
    var app: String?
    var system: String?
    /// Of the call under way; answers to earlier ones are ignored.
    var turn = 0
    /// The call under way.
    var doing: Call?
    /// Whether this enrolment has replaced its key already.
    var rekeyed = false
    /// Requests under way, in the order of their arrival.
    var ops: [Op] = []
    var actions: [Action] = []
    var now = 0
    var jitter = 0

    struct Op: Sendable {
        enum State { case waiting, challenge, signing, sent }

        let id: String
        let fresh: Bool
        var state = State.waiting
        var key: String?
        var nonce: String?
        var retried = false
        var challenged = false
        var rekeyed = false
    }

    /// `keyHasChallenge`: whether a key is made over its challenge, as on Android.
    init(record: ClientRecord = .init(), process: String, keysADay: Int = 3, keyHasChallenge: Bool = false) {
        self.record = record
        self.process = process
        self.keysADay = keysADay
        self.keyHasChallenge = keyHasChallenge
    }

    /// Whether a request waits for another process.
    var waitsForOther: Bool { ops.contains { $0.state == .waiting } && doing == nil && leased }

    /// Takes an event; `now` in milliseconds since 1970 by the device's clock, `jitter` 0 to 1000 at random.
    ///
    /// - Returns: what the driver does, in this order, after it has stored ``record``.
    mutating func step(_ event: Event, now: Int, jitter: Int = 0) -> [Action] {
        (actions, self.now, self.jitter) = ([], now, jitter)
        forgetTimes()
        let before = (record.phase, record.halt)
        take(event)
        if (record.phase, record.halt) != before { act(.report(phase: record.phase, halt: record.halt)) }
        return actions
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .start(let app, let system, let installation, let unsupported):
            start(app: app, system: system, installation: installation, unsupported: unsupported)
        case .need(let id, let fresh):
            ops.removeAll { $0.id == id }
            ops.append(Op(id: id, fresh: fresh))
            wanted = wanted || record.phase != .enrolled
            proceed(id)
        case .cancel(let id): ops.removeAll { $0.id == id }
        case .prefetch:
            wanted = true
            enrolIfWanted()
        case .wake(let network):
            if network { networkIsBack() }
            serveWaiting()
            enrolIfWanted()
        case .reload(let stored):
            record = stored
            turn += 1
            doing = nil
            serveWaiting()
        case .storageFailed(let cause, let code): storageFailed(cause, code: code)
        case .challenge(let turn, let value, let life, let date):
            challengeCame(turn: turn, value: value, life: life, date: date)
        case .keyMade(let turn, let key):
            guard isCurrent(turn, .makeKey) else { return }
            (record.phase, record.key) = (.keyMade, key)
            enrol()
        case .attested(let turn, let evidence):
            guard isCurrent(turn, .attest) else { return }
            (record.phase, record.evidence) = (.attested, evidence)
            enrol()
        case .platformFailed(let turn, let call, let kind, let code):
            guard isCurrent(turn, call) else { return }
            platformFailed(call, kind, code: code)
        case .callFailed(let turn, let call, let failure, let date):
            guard isCurrent(turn, call, date) else { return }
            callFailed(call, failure)
        case .enrolled(let turn, let date):
            guard isCurrent(turn, .submit, date) else { return }
            confirm()
            serveWaiting()
        case .refused(let turn, let remedy, let code, let retryAfter, let date):
            guard isCurrent(turn, .submit, date) else { return }
            refused(remedy, code: code, retryAfter: retryAfter)
        case .requestChallenge(let id, let value, let date):
            guard expect(id, .challenge, date) != nil else { return }
            edit(id) { $0.nonce = value }
            sign(id)
        case .requestChallengeFailed(let id, var failure, let date):
            guard expect(id, .challenge, date) != nil else { return }
            // The request itself was not sent.
            failure.sent = false
            fail(id, failure)
        case .signed(let id):
            guard expect(id, .signing) != nil else { return }
            edit(id) { $0.state = .sent }
            act(.send(op: id))
        case .signFailed(let id, let kind, let code): signFailed(id, kind, code: code)
        case .judged(let id, let date):
            guard let op = expect(id, .sent, date) else { return }
            if op.key != nil, op.key == record.key, record.phase == .submitted { confirm() }
            ops.removeAll { $0.id == id }
            act(.done(op: id))
            serveWaiting()
        case .rejected(let id, let remedy, let code, let retryAfter, let date):
            guard let op = expect(id, .sent, date) else { return }
            networkIsBack()
            rejected(op, remedy, code: code, retryAfter: retryAfter)
        case .sendFailed(let id, let failure, let date):
            guard expect(id, .sent, date) != nil else { return }
            fail(id, failure)
        case .forget: forget()
        }
    }

    mutating func act(_ action: Action) { actions.append(action) }

    mutating func edit(_ id: String, _ change: (inout Op) -> Void) {
        guard let index = ops.firstIndex(where: { $0.id == id }) else { return }
        change(&ops[index])
    }

    /// The request, if it is in the state. Learns the clock of its answer.
    mutating func expect(_ id: String, _ state: Op.State, _ date: Int? = nil) -> Op? {
        let op = ops.first { $0.id == id && $0.state == state }
        if op != nil { learnClock(date) }
        return op
    }

    /// Ends the call under way if the answer belongs to it, and learns the answer's clock.
    mutating func isCurrent(_ turn: Int, _ call: Call?, _ date: Int? = nil) -> Bool {
        guard turn == self.turn, doing != nil, doing == call else { return false }
        doing = nil
        learnClock(date)
        return true
    }

    mutating func fail(_ id: String, _ failure: Failure) {
        ops.removeAll { $0.id == id }
        act(.fail(op: id, failure))
    }
}
