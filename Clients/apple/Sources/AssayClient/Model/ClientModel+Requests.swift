extension ClientModel {
    /// The key that can sign. A key whose enrolment was not answered may be enrolled: a request shows it.
    var ready: String? {
        (record.phase == .submitted || record.phase == .enrolled) && doing == nil ? record.key : nil
    }

    /// Whether another process works on the enrolment.
    var leased: Bool {
        record.owner != nil && record.owner != process && now < record.leaseEnds && record.leaseEnds <= now + Self.lease
    }

    mutating func proceed(_ id: String) {
        if let unsupported {
            sendWithoutEvidence(id, reason: unsupported.reason, code: unsupported.code)
        } else if ready != nil {
            signAnew(id)
        } else {
            edit(id) { $0.state = .waiting }
            guard doing == nil else { return }
            if let halt = record.halt {
                fail(id, Failure(cause: "halted", code: record.cause, remedy: Remedy(rawValue: halt)))
            } else if now < record.notBefore, record.cause == "platform", record.failures >= 3 {
                sendWithoutEvidence(id, reason: "failed", code: record.code)
            } else if now < record.notBefore {
                let seconds = Milliseconds.ceilSeconds(record.notBefore - now)
                fail(id, Failure(cause: record.cause ?? "", code: record.code, retryAfter: seconds))
            } else if leased {
                act(.wait(until: record.leaseEnds))
            } else {
                enrol()
            }
        }
    }

    /// The server's policy decides what that is worth.
    private mutating func sendWithoutEvidence(_ id: String, reason: String, code: String?) {
        edit(id) { ($0.state, $0.key) = (.sent, nil) }
        act(.sendWithoutEvidence(op: id, reason: reason, code: code))
    }

    mutating func serveWaiting() {
        for id in ops.filter({ $0.state == .waiting }).map(\.id) where expect(id, .waiting) != nil { proceed(id) }
    }

    /// A signature after which the server may have used the last one's challenge up.
    private mutating func signAnew(_ id: String) {
        edit(id) { $0.nonce = nil }
        guard let op = ops.first(where: { $0.id == id }) else { return }
        if op.fresh || op.challenged { challenge(id) } else { sign(id) }
    }

    private mutating func challenge(_ id: String) {
        edit(id) { $0.state = .challenge }
        act(.getRequestChallenge(op: id))
    }

    mutating func sign(_ id: String) {
        // The key may have gone away while the challenge came.
        guard let key = ready else { return proceed(id) }
        edit(id) { ($0.state, $0.key) = (.signing, key) }
        // Rounded down: servers allow for less in the future than in the past.
        let created = Int((Double(now + record.offset) / Double(Milliseconds.second)).rounded(.down))
        act(.sign(op: id, key: key, created: created, nonce: ops.first { $0.id == id }?.nonce))
    }

    mutating func signFailed(_ id: String, _ kind: PlatformClass, code: String) {
        guard let op = expect(id, .signing) else { return }
        if kind == .keyGone {
            keyGone(op, code: code, remedy: nil)
        } else if kind == .again, !op.retried {
            edit(id) { $0.retried = true }
            sign(id)
        } else if kind == .unsupported {
            unsupported = UnsupportedReason(reason: "unsupported", code: code)
            proceed(id)
        } else {
            fail(id, Failure(cause: "platform", code: code))
        }
    }

    mutating func rejected(_ op: Op, _ remedy: Remedy, code: String?, retryAfter: Int?) {
        // Without evidence no other evidence can be made.
        let remedy = op.key == nil && !remedy.halts ? .contactSupport : remedy
        if remedy == .retry, !op.retried {
            edit(op.id) { $0.retried = true }
            signAnew(op.id)
        } else if remedy == .newChallenge, !op.challenged {
            edit(op.id) { $0.challenged = true }
            challenge(op.id)
        } else if remedy == .newAttestation {
            keyGone(op, code: code, remedy: remedy)
        } else {
            fail(op.id, Failure(cause: "refused", code: code, remedy: remedy, retryAfter: retryAfter))
        }
    }

    /// The key with which the request was signed is no more, on the device or for the server.
    private mutating func keyGone(_ op: Op, code: String?, remedy: Remedy?) {
        let failure = Failure(cause: remedy == nil ? "platform" : "refused", code: code, remedy: remedy)
        guard !op.rekeyed else { return fail(op.id, failure) }
        if op.key == record.key, doing == nil {
            discard()
            (rekeyed, wanted) = (true, true)
            if remedy == nil { (record.cause, record.code) = ("platform", code) }
        }
        edit(op.id) { $0.rekeyed = true }
        proceed(op.id)
    }
}
