import Assay
import AssayCore
import AssayReplay
import FoundationEssentials

/// The keys of the key store, and the operators.
extension Console {
    var keysPage: Page {
        Page(path: Self.path + "/keys", name: "Keys and operators", right: .read, parameters: ["done"]) {
            (visit) async throws(Problem) in
            let now = Date()
            let keys = try await orOutage { () async throws(Problem) in try await self.keys(visit, at: now) }
            let operators = try await orOutage { () async throws(Problem) in
                try await self.operators(visit, at: now)
            }
            return ConsolePage(
                title: "Keys and operators",
                content: """
                    \(Markup.done(visit))<h2>Keys of the key store</h2>\(keys)
                    <h2>Operators</h2>\(operators)
                    """)
        }
    }

    private func keys(_ visit: ConsoleVisit, at now: Date) async throws(Problem) -> Markup {
        var keys: [SealedKey] = []
        if let storage = administration.dependencies.sealedKeys {
            do throws(KeyStoreOutage) { keys = try await storage.sealedKeys() } catch {
                throw administration.outage(error)
            }
        }
        let table = Markup.table(
            "Keys", ["Name", "State", "Facts"],
            keys.map { key in
                let facts = key.texts(at: now).filter { !["name", "state"].containsBytes(of: $0.name) }
                return ["\(key.name)", "\(key.state(at: now).name)", .facts(facts.map { ($0.name, $0.text) })]
            }, none: "The key store has no key, or the ledger stores none.")
        // A retirement to come can be moved to an earlier time.
        let others = keys.filter { key in key.retiredAt.map { $0 > now } ?? true }.map(\.name)
        guard visit.rights.contains(.change), !others.isEmpty, administration.dependencies.keyStore != nil else {
            return table
        }
        let fields: Markup = """
            \(Markup.choice("Key", "name", others))\(Self.confirmation("of the key"))\
            \(Markup.field("At", "at", hint: "such as 2030-04-21T18:00:00Z; empty for now"))<button>Retire</button>
            """
        return """
            \(table)<fieldset><legend>Retire a key</legend><p class="muted">Evidence and tokens that need it fail from then on. \
            It cannot be undone.</p>\(visit.form(Self.path + "/keys/retire", fields))</fieldset>
            """
    }

    private func operators(_ visit: ConsoleVisit, at now: Date) async throws(Problem) -> Markup {
        let operators = try await administration.ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.operators()
        }
        let table = Markup.table(
            "Operators", ["Name", "Role", "State", "Until", "Added by"],
            operators.map {
                [
                    "\($0.name)", "\($0.role.rawValue)", "\($0.state(at: now).rawValue)", .time($0.until),
                    "\($0.addedBy ?? "")",
                ]
            }, none: "There is no operator.")
        guard visit.rights.contains(.administer) else { return table }
        let new: Markup = """
            \(Markup.field("Name", "name", isRequired: true))\
            \(Markup.choice("Role", "role", OperatorRole.allCases.map(\.rawValue), selected: OperatorRole.viewer.rawValue))\
            \(Markup.field("Until", "until", hint: "such as 2030-04-21T18:00:00Z; empty for the usual time"))\
            <button>Add</button>
            """
        let live = operators.filter { $0.state(at: now) == .live }.map(\.name)
        let former: Markup = """
            \(Markup.choice("Operator", "name", live))\(Self.confirmation("of the operator"))\
            \(Markup.choice("Also revoke the operators that it added", "descendants", ["no", "yes"]))<button>Revoke</button>
            """
        let revoke: Markup =
            live.isEmpty
            ? ""
            : """
            <fieldset><legend>Revoke an operator</legend><p class="muted">Its token and its sessions end at once.</p>\
            \(visit.form(Self.path + "/operators/revoke", former))</fieldset>
            """
        return """
            \(table)<fieldset><legend>Add an operator</legend><p class="muted">The next page shows its token, once.</p>\
            \(visit.form(Self.path + "/operators/add", new))</fieldset>\(revoke)
            """
    }

    /// The field of ``ConsoleVisit/requireConfirmation(of:)``.
    private static func confirmation(_ what: String) -> Markup {
        .field("Name \(what), again", "confirm", hint: "to confirm", isRequired: true)
    }

    var keyForms: [Form] {
        [
            Form(path: Self.path + "/keys/retire", right: .change, fields: ["name", "confirm", "at"]) {
                (visit) async throws(Problem) in
                let name = visit.values["name"] ?? ""
                try visit.requireConfirmation(of: name)
                _ = try await administration.retireKey(name, visit.fields(["at"]), by: visit.name)
                return .redirect(Self.path + "/keys?done=retire")
            },
            Form(path: Self.path + "/operators/add", right: .administer, fields: Administration.operatorFields) {
                (visit) async throws(Problem) in
                let (new, token) = try await administration.addOperator(
                    visit.fields(Administration.operatorFields), by: visit.caller)
                return .page(
                    ConsolePage(
                        title: "Operator \(new.name)",
                        content: """
                            <p class="notice" role="status">Added, with the role \(new.role.rawValue), until \(Markup.time(new.until)).</p>
                            <p>Its token, which no page shows again:</p><pre>\(token.text)</pre>
                            <p><a href="/console/keys">Keys and operators</a></p>
                            """))
            },
            Form(
                path: Self.path + "/operators/revoke", right: .administer, fields: ["name", "confirm", "descendants"]
            ) { (visit) async throws(Problem) in
                let name = visit.values["name"] ?? ""
                try visit.requireConfirmation(of: name)
                let withDescendants = visit["descendants"]?.isByteEqual(to: "yes") ?? false
                _ = try await administration.revokeOperator(
                    name, withDescendants: withDescendants, by: visit.name, at: Date())
                return .redirect(Self.path + "/keys?done=revoke")
            },
        ]
    }
}
