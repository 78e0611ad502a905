import Assay
import AssayCore
import AssayHTTP
import AssayPrimitives
import AssayReplay
import FoundationEssentials

/// The policy in force, and candidates.
extension Console {
    var policyPage: Page {
        Page(path: Self.path + "/policy", name: "Policy", right: .read, parameters: ["done"]) {
            (visit) async throws(Problem) in
            let state = administration.state
            let present = state.present
            let notes = state.verifier.policy.notes.map { "\($0)" } + state.verifier.warnings
            let items: [Markup] = notes.map { "<li>\($0)</li>" }
            let warnings: Markup = items.isEmpty ? "<p>Nothing is weaker than necessary.</p>" : "<ul>\(items)</ul>"
            let history = try await orOutage { () async throws(Problem) in
                Self.table(try await entries { [.changePolicy, .switchEnforcement].contains($0.change.action) }.found)
            }
            let reloaded: Markup =
                visit["done"] == nil
                ? "" : "<p class=\"notice\" role=\"status\">The file was read; the audit trail has what it changed.</p>"
            let check: Markup =
                visit.rights.contains(.administer)
                ? visit.form(
                    Self.path + "/policy/check",
                    "\(Markup.area("Policy", "policy", hint: "YAML, as it would stand in the file"))<button>Check</button>"
                ) : ""
            let candidate: Markup =
                check.html.isEmpty
                ? ""
                : """
                <h2>Check a candidate</h2>\(check)<h2>Read the file again</h2><p class="muted">The file of the service, and those of \
                TLS. What cannot be used changes nothing.</p>\(visit.form(Self.path + "/policy/reload", "<button>Reload</button>"))
                """
            return ConsolePage(
                title: "Policy",
                content: """
                    \(reloaded)\(Markup.facts([("SHA-256 of the file", present.digest), ("Apps", "\(state.verifier.policy.apps.count)")]))
                    <h2>Warnings</h2>\(warnings)\(candidate)
                    <h2>History</h2>\(history)
                    <h2>In force, with all defaults</h2><pre>\(present.effective.lines)</pre>
                    """)
        }
    }

    var policyForms: [Form] {
        [
            Form(path: Self.path + "/policy/check", right: .administer, fields: ["policy"]) {
                (visit) async throws(Problem) in
                let (text, path) = (visit.values["policy"] ?? "", administration.configuration.policy)
                try Self.requireLength(text)
                let present = administration.state.present.effective
                let (review, new, difference) = await administration.work.run {
                    () -> (PolicyReview, VerificationPolicy?, [PolicyDifference.Change]?) in
                    let review = PolicyReview(text: text, path: path, engines: .standard, at: Date())
                    let new = try? PolicyFile.policyInForce(of: text, path: path, engines: .standard)
                    let changes = new.flatMap { try? PolicyDifference(from: present, to: $0.effective).changes }
                    return (review, new?.policy, changes)
                }
                var cost: Markup = "<p>It cannot be used.</p>"
                if let new { cost = await self.cost(of: new) }
                let rows = review.findings.map { finding -> [Markup] in
                    let problem = finding.problem
                    return [
                        "\(finding.severity.rawValue)", "\(problem.line.map(String.init) ?? "")", "\(problem.field)",
                        "\(problem.message)",
                    ]
                }
                let changes = (difference ?? []).prefix(500).map { change -> [Markup] in
                    ["\(change.description)", change.isWeaker ? "<span class=\"bad\">may accept more</span>" : ""]
                }
                return .page(
                    ConsolePage(
                        title: "Candidate",
                        content: """
                            <p>\(review.count(.error)) errors, \(review.count(.warning)) warnings. Nothing was changed or kept.</p>
                            <h2>Findings</h2>\(Markup.table(
                                "Findings", ["Severity", "Line", "Field", "Message"], rows, none: "None."))
                            <h2>Differences from the policy in force</h2>\(Markup.table(
                                "Differences", ["Change", "Effect"], changes,
                                none: difference == nil ? "It cannot be used." : "None."))
                            <h2>Cost on recent captures</h2>\(cost)
                            <p><a href="/console/policy">Policy in force</a></p>
                            """))
            },
            Form(path: Self.path + "/policy/reload", right: .administer, fields: []) {
                (visit) async throws(Problem) in
                try await administration.reload(visit.name)
                return .redirect(Self.path + "/policy?done=reload")
            },
        ]
    }

    /// Refuses a policy that is longer than a file may be.
    static func requireLength(_ policy: String) throws(Problem) {
        guard policy.utf8.count <= InputLimits.policy else { throw .tooLong(InputLimits.policy) }
    }
}

extension String {
    /// The text with its line feeds, which Markup would show as escapes.
    var lines: [Markup] { split(separator: "\n", omittingEmptySubsequences: false).map { "\($0)\n" } }
}
