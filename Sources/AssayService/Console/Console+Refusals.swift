import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes

/// Recent verdicts, and what the checks mean.
extension Console {
    var refusalsPage: Page {
        Page(path: Self.path + "/refusals", name: "Refusals", right: .read, parameters: ["app", "check"]) {
            (visit) async throws(Problem) in
            let found = refusals.refusals(app: visit["app"], check: visit["check"], limit: 200)
            return ConsolePage(
                title: "Refusals",
                content: """
                    <form action="/console/refusals">\(Markup.field("App", "app", value: visit["app"] ?? ""))\
                    \(Markup.field("Check", "check", value: visit["check"] ?? ""))<button>Show</button></form>
                    \(table(found))
                    """,
                isRefreshed: true)
        }
    }

    /// Verdicts, each check with a link to its explanation.
    func table(_ found: [ConsoleRefusal]) -> Markup {
        .table(
            "Recent refusals", ["Time", "Outcome", "App", "Kind", "Checks", "Request"],
            found.map { refusal in
                let checks: [Markup] = refusal.checks.map { check in
                    let rest = [check.code, check.detail].compactMap(\.self).joined(separator: ": ")
                    return "<div>\(Markup.check(check.name)) \(rest)</div>"
                }
                return [
                    .time(refusal.at), "\(refusal.outcome)", "\(refusal.app ?? "")", "\(refusal.kind)", "\(checks)",
                    "<code>\(refusal.request)</code>",
                ]
            }, none: "No recent verdict refuses evidence, or this instance keeps none.")
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

    var capturesPage: Page {
        Page(path: Self.path + "/captures", name: "Captures", right: .read, parameters: []) { (_) throws(Problem) in
            ConsolePage(
                title: "Captures",
                content: .table(
                    "Folders of captured evidence", ["Folder", "Files", "Bytes"],
                    (captures?() ?? []).map { ["\($0.folder)", "\($0.files)", "\($0.bytes)"] },
                    none: "Nothing is captured."))
        }
    }
}
