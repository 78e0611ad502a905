import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import HTTPTypes

/// Recent verdicts, and what the checks mean.
extension Console {
    var refusalsPage: Page {
        let fields = [
            ("App", "app"), ("Check", "check"), ("Key", "key"), ("Device", "device"), ("Account", "account"),
            ("Request", "request"),
        ]
        return Page(path: Self.path + "/refusals", name: "Refusals", right: .read, parameters: fields.map(\.1)) {
            (visit) async throws(Problem) in
            var selection = RecentSelection()
            (selection.app, selection.check, selection.key) = (visit["app"], visit["check"], visit["key"])
            (selection.device, selection.account) = (visit["device"], visit["account"])
            selection.request = visit["request"]
            let inputs = fields.map { Markup.field($0.0, $0.1, value: visit[$0.1] ?? "") }
            return ConsolePage(
                title: "Refusals",
                content: """
                    <form action="/console/refusals">\(inputs)<button>Show</button></form>
                    \(refusals(selection, atMost: 200))
                    """,
                isRefreshed: true)
        }
    }

    /// What was not accepted, the last first; with a request, what was accepted too. Each check has a link to its explanation.
    func refusals(_ selection: RecentSelection, atMost limit: Int) -> Markup {
        let recent = administration.state.recent
        var all = selection
        all.limit = .max
        let found = recent.entries(all).filter { $0.outcome != .accept || selection.request != nil }.prefix(limit)
        let rows = found.map { verdict -> [Markup] in
            let checks: [Markup] = verdict.checks.map { check in
                let rest = [check.code, check.detail].compactMap(\.self).joined(separator: ": ")
                return "<div>\(Markup.check(check.name)) \(rest)</div>"
            }
            let reason = [verdict.code, verdict.field, verdict.detail].compactMap(\.self).joined(separator: ": ")
            let remedy: Markup = verdict.remedy.map { "<div>remedy: \($0)</div>" } ?? ""
            let subjects: [Markup] = [
                verdict.isProven || verdict.key == nil ? "" : "<div>not proven, only claimed:</div>",
                .subject("key", verdict.key), .subject("device", verdict.device), .subject("account", verdict.account),
            ]
            return [
                .time(verdict.time), "\(verdict.outcome.rawValue)\(Self.effect(of: verdict))", "\(verdict.app ?? "")",
                "\(verdict.kind ?? "")",
                "\(checks)\(reason)\(remedy)", "\(subjects)", "<code>\(verdict.request)</code>",
            ]
        }
        let start = RFC3339.format(recent.startedAt)
        return .table(
            "Recent refusals", ["Time", "Outcome", "App", "Kind", "Why", "Whose", "Request"], rows,
            none: recent.isOn
                ? "Nothing of it since this instance started, at \(start)."
                : "This instance keeps none: recent.rejections is 0.")
    }

    /// Under the enforcement `annotate` a rejected request passes.
    private static func effect(of verdict: RecentVerdict) -> String {
        verdict.outcome != .accept && verdict.enforcement == Enforcement.annotate.rawValue
            ? " (the request passed)" : ""
    }

    var checksPage: Page {
        Page(path: Self.path + "/checks", name: "Checks", right: .read, parameters: ["name"]) {
            (visit) throws(Problem) in
            guard let name = visit["name"] else {
                let rows = Verifier.catalogue.map { [Markup.check($0.id.name), "\($0.proves)"] }
                return ConsolePage(
                    title: "Checks", content: .table("Checks", ["Check", "What it proves"], rows, none: ""))
            }
            if let check = Verifier.catalogue.first(where: { $0.id.name.isByteEqual(to: name) }) {
                return ConsolePage(title: "Check \(name)", content: Self.markup(check))
            }
            let uses = CodeUse.all(of: name, in: Verifier.catalogue)
            guard !uses.isEmpty else {
                throw Problem(.notFound, .unknownCheck, "there is no check or code \(name.excerpt)")
            }
            return ConsolePage(
                title: "Code \(name)",
                content: .table(
                    "Uses of the code", ["Check", "Meaning", "Look at"],
                    uses.map { [.check($0.check.id.name), "\($0.code.meaning)", "\($0.check.lookAt)"] }, none: ""))
        }
    }

    private static func markup(_ check: CheckDefinition) -> Markup {
        """
        <dl><div><dt>Proves</dt><dd>\(check.proves)</dd></div><div><dt>Stops</dt><dd>\(check.stops)</dd></div>\
        <div><dt>Look at</dt><dd>\(check.lookAt)</dd></div><div><dt>Source</dt><dd>\(check.source)</dd></div></dl>
        \(Markup.table(
            "Codes", ["Code", "Meaning", "Remedy"],
            check.codes.map { ["<code>\($0.name)</code>", "\($0.meaning)", "\(check.remedy(for: $0.name).rawValue)"] },
            none: "It reports no code."))
        """
    }
}

extension Markup {
    /// A link to the page of a subject; empty without one.
    fileprivate static func subject(_ kind: String, _ name: String?) -> Markup {
        guard let name else { return "" }
        return
            "<div>\(kind) <a href=\"/console/subject?kind=\(kind)&amp;name=\(name.queryEncoded)\"><code>\(name)</code></a></div>"
    }
}
