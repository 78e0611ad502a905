import Assay
package import AssayCore
import AssayPrimitives
package import FoundationEssentials

extension LedgerEntry {
    package var json: String {
        let object: JSONObject
        switch self {
        case .challenge(let challenge, let consumedAt):
            object = JSONObject([
                "entry": "challenge", "sha256": Base64.encode(Digest.sha256(challenge.value), .standard),
                "app": challenge.app, "purpose": challenge.purpose.name, "issuedAt": challenge.issuedAt,
                "expiresAt": challenge.expiresAt, "consumedAt": consumedAt,
            ])
        case .key(let key):
            var properties = JSONObject()
            for (name, value) in key.properties.sorted(by: { $0.key < $1.key }) { properties.add(name, text: value) }
            let skipped = key.counters.skipped
            object = JSONObject([
                "entry": "key", "engine": key.identifier.engine,
                "identifier": Base64.encode(key.identifier.value, .standard), "app": key.app, "account": key.account,
                "publicKey": Base64.encode(key.publicKey, .standard), "counter": key.counter,
                "skipped": skipped.isEmpty ? nil : Base64.encode(skipped, .standard), "enrolledAt": key.enrolledAt,
                "retiredAt": key.retiredAt, "properties": properties,
            ])
        case .digest(let use):
            object = JSONObject([
                "entry": "digest", "digest": Base64.encode(use.digest, .standard), "app": use.app,
                "kind": use.kind.name,
                "madeAt": use.madeAt, "usedAt": use.usedAt, "until": use.until,
            ])
        case .block(let block): object = Self.standing("block", .blocked(block))
        case .allowance(let allowance): object = Self.standing("allowance", .allowed(allowance))
        case .operator(let stored):
            var entry = JSONObject(["entry": "operator"])
            entry.add(stored)
            object = entry
        case .document(let document, let name):
            object = JSONObject([
                "entry": "document", "name": name, "revision": document.revision, "storedAt": document.storedAt,
                "size": document.bytes.count, "sha256": Base64.encode(Digest.sha256(document.bytes), .standard),
            ])
        case .task(let task):
            object = JSONObject([
                "entry": "task", "queue": task.queue, "key": Base64.encode(task.key, .standard), "dueAt": task.dueAt,
                "holder": task.holder, "revision": task.revision, "size": task.bytes.count,
                "sha256": Base64.encode(Digest.sha256(task.bytes), .standard),
            ])
        }
        return object.text
    }

    private static func standing(_ entry: String, _ standing: LedgerStanding) -> JSONObject {
        JSONObject([
            "entry": entry, "kind": standing.subject.kind.rawValue, "name": standing.subject.name,
            "reason": standing.reason, "since": standing.since, "until": standing.until, "operator": standing.setBy,
            "checks": standing.allowance?.checks.map(\.name),
        ])
    }
}

extension JSONObject {
    /// Adds the fields of an operator.
    package mutating func add(_ stored: LedgerOperator) {
        add([
            "name": stored.name, "role": stored.role.rawValue, "addedAt": stored.addedAt, "addedBy": stored.addedBy,
            "until": stored.until, "revokedAt": stored.revokedAt, "revokedBy": stored.revokedBy,
        ])
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
        JSONObject([
            "kind": kind.rawValue, "name": name, "keys": keys.map { WrittenJSON(LedgerEntry.key($0).json) },
            "standings": standings.map { WrittenJSON($0.entryJSON) },
        ]).text
    }
}

extension JSONObject {
    /// Adds the counts of a ledger.
    package mutating func add(_ summary: LedgerSummary) {
        add([
            "openChallenges": summary.openChallenges, "usedChallenges": summary.consumedChallenges,
            "keys": summary.keys,
            "digests": summary.digests, "blocks": summary.blocks, "allowances": summary.allowances,
            "operators": summary.operators, "documents": summary.documents, "tasks": summary.tasks,
        ])
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
        JSONObject(["entry": WrittenJSON(text), "hash": hash.hexadecimal]).text
    }
}
