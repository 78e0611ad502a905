import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// `assay ledger export`: prints every entry as JSON.
struct LedgerExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints every entry as one JSON object per line.",
        discussion: """
            Binary is standard base64 with padding, times are RFC 3339. By the field "entry":

              challenge  sha256, app, purpose, issuedAt, expiresAt, consumedAt if it was
              key        engine, identifier, app, account if it has one, publicKey, counter, skipped (below), enrolledAt,
                         retiredAt if it is, properties
              digest     digest, app, kind, madeAt, usedAt, until
              block      kind (key, device, account or issuer), name, reason, since, until if it ends, operator if known
              allowance  as a block, and checks
              operator   name, role, addedAt, addedBy if known, until, revokedAt and revokedBy if it was

            "skipped" of a key is there if a window of counters may still accept smaller ones: bit i, from the least \
            significant bit of the first byte, is for the counter less 1 + i.

            A challenge that can still be used is like a secret, so its SHA-256 digest stands for it. Keys of the key \
            store and the hashes of operators' tokens are not exported; see assay keys list.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in
            do {
                try await open.ledger.export { entry in try Console.print(entry.json) }
            } catch let outage as LedgerOutage {
                throw CommandFailure(outage)
            }
        }
    }
}

extension LedgerEntry {
    /// The entry as one JSON object on one line.
    fileprivate var json: String {
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
        }
        return object.text
    }
}

extension JSONObject {
    /// Adds the fields of an operator.
    mutating func add(_ stored: LedgerOperator) {
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
