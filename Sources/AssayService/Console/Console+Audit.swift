import AssayCore
import AssayReplay

/// The audit trail, which is read backwards from its end or from a number: a page costs the same in a long trail.
extension Console {
    /// The most entries of a page.
    static let shownEntries = 200
    /// How many entries are read at once, and how often: an operator or an action has no index.
    private static let (pageSize, mostPages) = (250, 20)

    /// The last entries that are meant, the last one first.
    ///
    /// - Parameter number: only entries before this one; nil for the end of the trail.
    /// - Returns: also before which number to go on; nil at the beginning of the trail.
    func entries(
        before number: Int? = nil, _ isMeant: (LedgerAuditEntry) -> Bool
    ) async throws(Problem) -> (found: [LedgerAuditEntry], next: Int?) {
        var (found, next) = ([LedgerAuditEntry](), number)
        for _ in 0..<Self.mostPages {
            let last = next
            let page = try await administration.ledger { (ledger) async throws(LedgerOutage) in
                try await ledger.auditEntries(of: nil, before: last, atMost: Self.pageSize)
            }
            for entry in page {
                next = entry.number
                if isMeant(entry) { found.append(entry) }
                if found.count == Self.shownEntries { return (found, entry.number > 1 ? entry.number : nil) }
            }
            if page.count < Self.pageSize { return (found, nil) }
        }
        return (found, next)
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
        Page(path: Self.path + "/audit", name: "Audit", right: .read, parameters: ["operator", "before", "verify"]) {
            (visit) async throws(Problem) in
            let (author, before) = (visit["operator"], visit["before"].map { Int($0) ?? 0 })
            if let before, before < 1 {
                throw ServiceRequest.queryProblem("before", "expected the number of an entry")
            }
            let (found, next) = try await entries(before: before) { entry in
                author.map { entry.change.operatorName.isByteEqual(to: $0) } ?? true
            }
            let review = visit["verify"] == nil ? "" : try await verification()
            let query = author.map { "&amp;operator=\($0.queryEncoded)" } ?? ""
            let further: Markup =
                next.map {
                    "<p><a href=\"/console/audit?before=\($0)\(.verbatim(query))\">Entries before \($0)</a></p>"
                }
                ?? ""
            return ConsolePage(
                title: "Audit",
                content: """
                    \(review)<form action="/console/audit">\(Markup.field("Operator", "operator", value: author ?? ""))\
                    \(Markup.field("Before entry", "before", value: before.map { "\($0)" } ?? "", hint: "empty for the last ones"))\
                    <button>Show</button> <button name="verify" value="1">Verify the trail</button></form>
                    <p class="muted">At most \(Self.shownEntries) entries, the last one first.</p>\(Self.table(found))\(further)
                    """)
        }
    }

    /// Whether the chain of hashes is sound. Reads the whole trail.
    private func verification() async throws(Problem) -> Markup {
        var audit = AuditReview(expecting: nil)
        do { try await audit.take(administration.dependencies.ledger) } catch {
            throw administration.outage(error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)"))
        }
        let problems: [Markup] = audit.problems.map { "<p class=\"alert\">\($0)</p>" }
        return audit.problems.isEmpty
            ? "<p class=\"notice\" role=\"status\">\(audit.count) entries are sound. The last hash is <code>\(audit.lastHash)</code>.</p>"
            : "\(problems)"
    }
}
