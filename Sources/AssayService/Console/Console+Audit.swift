import Assay
import AssayCore
import FoundationEssentials

/// The audit trail, keys and operators.
extension Console {
    /// The most entries of a page.
    private static let shown = 200

    /// The last entries of the trail that are meant, the last one first.
    func entries(_ isMeant: @escaping @Sendable (LedgerAuditEntry) -> Bool) async throws(Problem) -> [LedgerAuditEntry]
    {
        var found: [LedgerAuditEntry] = []
        do {
            try await administration.dependencies.ledger.audit { entry in
                guard isMeant(entry) else { return }
                found.append(entry)
                if found.count >= 2 * Self.shown { found.removeFirst(Self.shown) }
            }
        } catch { throw administration.outage(error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)")) }
        return found.suffix(Self.shown).reversed()
    }

    static func table(_ entries: [LedgerAuditEntry]) -> Markup {
        .table(
            "Audit trail", ["Number", "Time", "Operator", "Action", "Subject", "Detail"],
            entries.map { entry in
                [
                    "\(entry.number)", .time(entry.change.at), "\(entry.change.operatorName)",
                    "\(entry.change.action.rawValue)", "\(entry.change.subject)", "\(entry.change.detail)",
                ]
            }, none: "The audit trail has no such entry.")
    }

    var auditPage: Page {
        Page(path: Self.path + "/audit", name: "Audit", right: .read, parameters: ["operator", "verify"]) {
            (visit) async throws(Problem) in
            let author = visit["operator"]
            let found = try await entries { entry in
                author.map { entry.change.operatorName.isByteEqual(to: $0) } ?? true
            }
            var review: Markup = ""
            if visit["verify"] != nil {
                var audit = AuditReview(expecting: nil)
                do { try await audit.take(administration.dependencies.ledger) } catch {
                    throw administration.outage(error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)"))
                }
                let problems: [Markup] = audit.problems.map { "<p class=\"alert\">\($0)</p>" }
                review =
                    audit.problems.isEmpty
                    ? "<p class=\"notice\" role=\"status\">\(audit.count) entries are sound. The last hash is <code>\(audit.lastHash)</code>.</p>"
                    : "\(problems)"
            }
            return ConsolePage(
                title: "Audit",
                content: """
                    \(review)<form action="/console/audit">\(Markup.field("Operator", "operator", value: author ?? ""))\
                    <button>Show</button> <button name="verify" value="1">Verify the trail</button></form>
                    <p class="muted">The last 200 entries, the last one first.</p>\(Self.table(found))
                    """)
        }
    }

    var keysPage: Page {
        Page(path: Self.path + "/keys", name: "Keys and operators", right: .read, parameters: []) {
            (_) async throws(Problem) in
            let now = Date()
            let operators = try await administration.ledger { (ledger) async throws(LedgerOutage) in
                try await ledger.operators()
            }
            var keys: [SealedKey] = []
            if let storage = administration.dependencies.sealedKeys {
                do throws(KeyStoreOutage) { keys = try await storage.sealedKeys() } catch {
                    throw administration.outage(error)
                }
            }
            return ConsolePage(
                title: "Keys and operators",
                content: """
                    <h2>Keys of the key store</h2>\(Markup.table(
                        "Keys", ["Name", "State", "Facts"],
                        keys.map { key in
                            let facts = key.texts(at: now).filter { !["name", "state"].containsBytes(of: $0.name) }
                            return ["\(key.name)", "\(key.state(at: now).name)", .facts(facts.map { ($0.name, $0.text) })]
                        }, none: "The key store has no key, or the ledger stores none."))
                    <h2>Operators</h2>\(Markup.table(
                        "Operators", ["Name", "Role", "State", "Until", "Added by"],
                        operators.map {
                            [
                                "\($0.name)", "\($0.role.rawValue)", "\($0.state(at: now).rawValue)", .time($0.until),
                                "\($0.addedBy ?? "")",
                            ]
                        }, none: "There is no operator."))
                    """)
        }
    }
}
