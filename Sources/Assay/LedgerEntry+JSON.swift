package import AssayCore
import AssayPrimitives
package import FoundationEssentials

extension LedgerEntry {
    /// The entry as one JSON object on one line.
    package var json: String {
        var object = JSONObject()
        switch self {
        case .challenge(let challenge, let consumedAt):
            object.add("entry", text: "challenge")
            object.add("sha256", text: Base64.encode(Digest.sha256(challenge.value), .standard))
            object.add("app", text: challenge.app)
            object.add("purpose", text: challenge.purpose.name)
            object.add("issuedAt", text: RFC3339.format(challenge.issuedAt))
            object.add("expiresAt", text: RFC3339.format(challenge.expiresAt))
            if let consumedAt { object.add("consumedAt", text: RFC3339.format(consumedAt)) }
        case .key(let key):
            object.add("entry", text: "key")
            object.add("engine", text: key.identifier.engine)
            object.add("identifier", text: Base64.encode(key.identifier.value, .standard))
            object.add("app", text: key.app)
            if let account = key.account { object.add("account", text: account) }
            object.add("publicKey", text: Base64.encode(key.publicKey, .standard))
            object.add("counter", raw: "\(key.counter)")
            if !key.counters.skipped.isEmpty {
                object.add("skipped", text: Base64.encode(key.counters.skipped, .standard))
            }
            object.add("enrolledAt", text: RFC3339.format(key.enrolledAt))
            if let retiredAt = key.retiredAt { object.add("retiredAt", text: RFC3339.format(retiredAt)) }
            var properties = JSONObject()
            for (name, value) in key.properties.sorted(by: { $0.key < $1.key }) { properties.add(name, text: value) }
            object.add("properties", raw: properties.text)
        case .digest(let use):
            object.add("entry", text: "digest")
            object.add("digest", text: Base64.encode(use.digest, .standard))
            object.add("app", text: use.app)
            object.add("kind", text: use.kind.name)
            object.add("madeAt", text: RFC3339.format(use.madeAt))
            object.add("usedAt", text: RFC3339.format(use.usedAt))
            object.add("until", text: RFC3339.format(use.until))
        case .block(let block):
            object.add("entry", text: "block")
            object.add(.blocked(block))
        case .allowance(let allowance):
            object.add("entry", text: "allowance")
            object.add(.allowed(allowance))
            object.add("checks", raw: JSONText.array(allowance.checks.map { JSONText.string($0.name) }))
        case .operator(let stored):
            object.add("entry", text: "operator")
            object.add(stored)
        case .document(let document, let name):
            object.add("entry", text: "document")
            object.add("name", text: name)
            object.add("revision", raw: "\(document.revision)")
            object.add("storedAt", text: RFC3339.format(document.storedAt))
            object.add("size", raw: "\(document.bytes.count)")
            object.add("sha256", text: Base64.encode(Digest.sha256(document.bytes), .standard))
        case .task(let task):
            object.add("entry", text: "task")
            object.add("queue", text: task.queue)
            object.add("key", text: Base64.encode(task.key, .standard))
            object.add("dueAt", text: RFC3339.format(task.dueAt))
            if let holder = task.holder { object.add("holder", text: holder) }
            object.add("revision", raw: "\(task.revision)")
            object.add("size", raw: "\(task.bytes.count)")
            object.add("sha256", text: Base64.encode(Digest.sha256(task.bytes), .standard))
        }
        return object.text
    }
}

extension JSONObject {
    /// Adds the fields of an operator.
    package mutating func add(_ stored: LedgerOperator) {
        add("name", text: stored.name)
        add("role", text: stored.role.rawValue)
        add("addedAt", text: RFC3339.format(stored.addedAt))
        if let author = stored.addedBy { add("addedBy", text: author) }
        add("until", text: RFC3339.format(stored.until))
        if let time = stored.revokedAt { add("revokedAt", text: RFC3339.format(time)) }
        if let author = stored.revokedBy { add("revokedBy", text: author) }
    }

    /// Adds the fields that blocks and allowances share.
    fileprivate mutating func add(_ standing: LedgerStanding) {
        add("kind", text: standing.subject.kind.rawValue)
        add("name", text: standing.subject.name)
        add("reason", text: standing.reason)
        add("since", text: RFC3339.format(standing.since))
        if let until = standing.until { add("until", text: RFC3339.format(until)) }
        if let author = standing.setBy { add("operator", text: author) }
    }
}

extension LedgerStanding {
    /// The entry as `ledger export` prints it.
    package var entryJSON: String {
        switch self {
        case .blocked(let block): LedgerEntry.block(block).json
        case .allowed(let allowance): LedgerEntry.allowance(allowance).json
        }
    }
}

extension LedgerSubject {
    /// The subject with its keys and standings as one JSON object on one line.
    package func json(keys: [EnrolledKey], standings: [LedgerStanding]) -> String {
        var object = JSONObject()
        object.add("kind", text: kind.rawValue)
        object.add("name", text: name)
        object.add("keys", raw: JSONText.array(keys.map { LedgerEntry.key($0).json }))
        object.add("standings", raw: JSONText.array(standings.map(\.entryJSON)))
        return object.text
    }
}

extension JSONObject {
    /// Adds the counts of a ledger.
    package mutating func add(_ summary: LedgerSummary) {
        for (name, count) in [
            ("openChallenges", summary.openChallenges), ("usedChallenges", summary.consumedChallenges),
            ("keys", summary.keys), ("digests", summary.digests), ("blocks", summary.blocks),
            ("allowances", summary.allowances), ("operators", summary.operators),
            ("documents", summary.documents), ("tasks", summary.tasks),
        ] {
            add(name, raw: "\(count)")
        }
    }
}

extension LedgerOperator {
    /// The operator as one JSON object on one line, with its state at a time.
    package func json(at now: Date) -> String {
        var object = JSONObject()
        object.add(self)
        object.add("state", text: state(at: now).rawValue)
        return object.text
    }
}

extension LedgerAuditEntry {
    /// The entry and its hash as one JSON object on one line.
    package var json: String {
        var object = JSONObject()
        object.add("entry", raw: text)
        object.add("hash", text: hash.hexadecimal)
        return object.text
    }
}
