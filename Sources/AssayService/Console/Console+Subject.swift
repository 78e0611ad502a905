import AssayCore
import AssayPrimitives
import AssayReplay
import FoundationEssentials

/// A key, a device, an account or an issuer: what the ledger knows, and changes.
extension Console {
    /// The most keys of a page.
    private static let shownKeys = 200

    var subjectPage: Page {
        Page(path: Self.path + "/subject", name: "Subject", right: .read, parameters: ["kind", "name", "done"]) {
            (visit) async throws(Problem) in
            guard let kind = visit["kind"], let name = visit["name"] else {
                return ConsolePage(title: "Subject", content: Self.search(nil, ""))
            }
            let subject: LedgerSubject
            do throws(Administration.SubjectError) { subject = try Administration.subject(kind, name) } catch {
                throw ServiceRequest.queryProblem(error.field, error.message)
            }
            let now = Date()
            let (keys, standings) = try await administration.lookUp(subject, at: now)
            let history = try await administration.ledger { (ledger) async throws(LedgerOutage) in
                try await ledger.auditEntries(of: subject.description, before: nil, atMost: Self.shownEntries)
            }
            let more: Markup =
                keys.count > Self.shownKeys
                ? "<p>These are \(Self.shownKeys) of \(keys.count); <code>assay ledger keys</code> lists all.</p>" : ""
            return ConsolePage(
                title: "\(subject.kind.rawValue) \(subject.name.excerpt)",
                content: """
                    \(Markup.done(visit))\(Self.search(subject.kind, subject.name))
                    <h2>Standing</h2>\(Markup.table(
                        "Standing", ["Standing", "Reason", "Until", "Set by"], standings.map(Self.row),
                        none: "It has neither a block nor an allowance in force."))
                    <h2>Keys</h2>\(Markup.table(
                        "Keys", ["Key", "App", "Account", "Enrolled", "Counter", "Facts"],
                        keys.prefix(Self.shownKeys).map(Self.row), none: "The ledger has no key of it."))\(more)
                    <h2>History</h2>\(Self.table(history))
                    \(changes(subject, keys, standings, visit))
                    """)
        }
    }

    var subjectForms: [Form] {
        typealias Change = @Sendable (AdminFields, String) async throws(Problem) -> Void
        let all: [(String, [String], Change)] = [
            (
                "block", Administration.blockFields,
                { (fields, name) async throws(Problem) in _ = try await administration.block(fields, by: name) }
            ),
            (
                "unblock", Administration.unblockFields,
                { (fields, name) async throws(Problem) in
                    _ = try await administration.remove(.block, fields, by: name)
                }
            ),
            (
                "disallow", Administration.unblockFields,
                { (fields, name) async throws(Problem) in
                    _ = try await administration.remove(.allowance, fields, by: name)
                }
            ),
            (
                "allow", Administration.allowFields,
                { (fields, name) async throws(Problem) in _ = try await administration.allow(fields, by: name) }
            ),
        ]
        let move = Form(path: Self.path + "/subject/move", right: .change, fields: Administration.moveFields) {
            (visit) async throws(Problem) in
            let account = visit["account"].map { RecordValue.Content.text($0) } ?? .null
            let fields = [("key", RecordValue.Content.text(visit.values["key"] ?? "")), ("account", account)]
            let moved = try await administration.move(
                AdminFields(fields: RecordFields(RecordObject(fields), path: "")), by: visit.name)
            return .redirect(Self.address(moved.key, done: "move"))
        }
        return all.map { action, names, change in
            Form(path: Self.path + "/subject/" + action, right: .change, fields: names) {
                (visit) async throws(Problem) in
                try await change(visit.fields(names), visit.name)
                let subject: LedgerSubject
                let (kind, name) = (visit.values["kind"] ?? "", visit.values["name"] ?? "")
                do throws(Administration.SubjectError) { subject = try Administration.subject(kind, name) } catch {
                    throw ServiceRequest.queryProblem(error.field, error.message)
                }
                return .redirect(Self.address(subject, done: action))
            }
        } + [move]
    }

    private static func address(_ subject: LedgerSubject, done: String? = nil) -> String {
        "\(path)/subject?kind=\(subject.kind.rawValue)&name=\(subject.name.queryEncoded)"
            + (done.map { "&done=\($0)" } ?? "")
    }

    private static func search(_ kind: LedgerSubject.Kind?, _ name: String) -> Markup {
        """
        <form action="/console/subject">\(Markup.choice(
            "Kind", "kind", LedgerSubject.Kind.allCases.map(\.rawValue), selected: kind?.rawValue))\
        \(Markup.field("Name", "name", value: name, hint: "a key ID is base64 of 32 bytes", isRequired: true))\
        <button>Look up</button></form>
        """
    }

    private static func row(_ standing: LedgerStanding) -> [Markup] {
        let until = standing.until.map { Markup.time($0) } ?? "no end"
        switch standing {
        case .blocked(let block):
            return ["<span class=\"bad\">blocked</span>", "\(block.reason)", until, "\(block.setBy ?? "")"]
        case .allowed(let allowance):
            return ["<span class=\"good\">allowed</span>", "\(allowance.reason)", until, "\(allowance.setBy ?? "")"]
        }
    }

    private static func row(_ key: EnrolledKey) -> [Markup] {
        let subject = key.identifier.subject
        let account: Markup = key.account.map { "<a href=\"\(address(LedgerSubject(.account, $0)))\">\($0)</a>" } ?? ""
        let retired = key.retiredAt.map { [("retired", RFC3339.format($0))] } ?? []
        let facts = (retired + key.properties.sorted { $0.key < $1.key }).map { "\($0.0) \($0.1)" }
        return [
            "<a href=\"\(address(subject))\"><code>\(subject.name)</code></a>", "\(key.app)", account,
            .time(key.enrolledAt), "\(Int(key.counter))", "\(facts.joined(separator: "; "))",
        ]
    }

    /// The forms of changes, each of which names the subject. Nothing for those who may not change.
    private func changes(
        _ subject: LedgerSubject, _ keys: [EnrolledKey], _ standings: [LedgerStanding], _ visit: ConsoleVisit
    ) -> Markup {
        guard visit.rights.contains(.change) else { return "" }
        let (kind, name) = (subject.kind.rawValue, subject.name)
        let both: Markup = "\(Markup.hidden("kind", kind))\(Markup.hidden("name", name))"
        let reason = Markup.field("Reason", "reason", isRequired: true)
        let until = { (hint: String) in
            Markup.field("Until", "until", hint: "such as 2030-04-21T18:00:00Z, or never; \(hint)")
        }
        let path = Self.path + "/subject"
        func fieldset(_ title: String, _ form: Markup) -> Markup {
            "<fieldset><legend>\(title) \(kind) <code>\(name)</code></legend>\(form)</fieldset>"
        }
        var all: Markup = "<h2>Changes</h2>"
        // A block takes the place of an allowance.
        if standings.allSatisfy({ $0.block == nil }) {
            let fields: Markup = "\(both)\(reason)\(until("without it, for ever"))<button>Block</button>"
            all += fieldset("Block", visit.form(path + "/block", fields))
        }
        if let standing = standings.first {
            let isBlock = standing.kind == .block
            all += fieldset(
                "Remove the \(standing.kind.rawValue) of",
                visit.form(path + (isBlock ? "/unblock" : "/disallow"), "\(both)<button>Remove</button>"))
        }
        if standings.isEmpty, subject.kind != .issuer {
            let checks = Markup.field("Checks", "checks", hint: "names with spaces between them", isRequired: true)
            all += fieldset(
                "Allow failures of policy checks for",
                visit.form(
                    path + "/allow", "\(both)\(checks)\(reason)\(until("without it, 30 days"))<button>Allow</button>"))
        }
        if subject.kind == .key, let key = keys.first {
            let account = Markup.field("Account", "account", value: key.account ?? "", hint: "empty for none")
            all += fieldset(
                "Move", visit.form(path + "/move", "\(Markup.hidden("key", name))\(account)<button>Move</button>"))
        }
        return all
    }
}
