import Assay
import AssayCore
import AssayService

/// The answer of a service about its recent verdicts.
struct RecentPage: Decodable {
    struct Kept: Decodable {
        let count: Int
        let oldest: String?
        let sampling: Int?
    }

    struct Item: Decodable {
        struct Check: Decodable {
            let check, status: String
            let code, detail: String?
        }

        let time, request, way, outcome: String
        let record, route, app, kind, enforcement, code, detail, field, remedy, key, device, account, address: String?
        let offset: Int?
        let checks: [Check]
        /// `isClaimed`: the evidence is not authentic, and only names the key.
        let isCut, isClaimed: Bool?
    }

    let items: [Item]
    let next: String?
    let since: String
    let rejections, acceptances: Kept

    /// What the service keeps, and since when.
    var extent: String {
        let oldest = rejections.oldest.map { ", the first of \($0)" } ?? ""
        let sampling = acceptances.sampling.map { " (one in \($0))" } ?? ""
        return
            "the service has the last \(rejections.count) rejections\(oldest), and \(acceptances.count) acceptances\(sampling); "
            + "it started at \(since), and knows nothing before"
    }
}

extension RecentPage.Item {
    /// The outcome as `assay verify` prints it, in capitals.
    var word: String {
        switch RecentVerdict.Outcome(rawValue: outcome) {
        case .accept: "ACCEPTED"
        case .reject: "REJECTED"
        case .outage, .misconfigured, .unjudged, .unreadable, nil: outcome.uppercased()
        }
    }

    /// What the key is called.
    var keyName: String { isClaimed == true ? "claimed key" : "key" }

    /// The cells of a line.
    var row: [String] {
        let failed = checks.filter { $0.status == CheckResult.Status.failed.rawValue }
        let shown = failed.first ?? checks.first
        var reason = shown.map { $0.check + ($0.code.map { ": \($0)" } ?? "") } ?? code ?? "-"
        if failed.count > 1 { reason += " and \(failed.count - 1) more" }
        if let field { reason += " (\(field.excerpt), byte \(offset ?? 0))" }
        let subject = [(keyName, key), ("device", device), ("account", account)].compactMap { name, value in
            value.map { "\(name) \($0)" }
        }
        return [
            time, word, app ?? "-", kind ?? "-", reason,
            subject.isEmpty ? "-" : subject.joined(separator: ", "), "request \(request)",
        ]
    }
}

/// A recent verdict as text, with the explanation of each check.
struct RecentReport {
    let terminal: Terminal

    /// The lines of a verdict.
    func lines(_ item: RecentPage.Item) -> [String] {
        let colour: Terminal.Colour = item.outcome == RecentVerdict.Outcome.accept.rawValue ? .green : .red
        var lines = [
            "\(terminal.colour(terminal.printable(item.word), colour))  \(item.kind ?? "unknown kind")  "
                + terminal.printable(item.app.map { "app \($0)" } ?? "no app")
        ]
        let passed = item.enforcement == "annotate" ? " (the request passed)" : ""
        let facts: [(String, String?)] = [
            ("time", item.time), ("request", item.request), ("record", item.record), ("way", item.way),
            ("route", item.route), ("enforcement", item.enforcement.map { $0 + passed }), (item.keyName, item.key),
            ("device", item.device), ("account", item.account), ("address", item.address), ("code", item.code),
            ("field", item.field), ("byte", item.offset.map { "\($0)" }), ("remedy", item.remedy),
        ]
        for case let (name, value?) in facts {
            lines.append("  " + name + String(repeating: " ", count: 13 - name.count) + terminal.printable(value))
        }
        if let detail = item.detail { lines += paragraph(detail, indent: 2) }
        if let code = item.code, let meaning = Self.meaning(of: code) { lines += part("means", meaning) }
        for check in item.checks { lines += [""] + self.lines(check) }
        if item.isCut ?? false { lines += ["", "  long texts were cut, or left out"] }
        return lines
    }

    private func lines(_ check: RecentPage.Item.Check) -> [String] {
        let isFailed = check.status == CheckResult.Status.failed.rawValue
        var lines = [
            "  \(terminal.colour(check.status, isFailed ? .red : .yellow))  "
                + terminal.printable(check.check + (check.code.map { "  \($0)" } ?? ""))
        ]
        if let detail = check.detail { lines += paragraph(detail, indent: 6) }
        let known = EngineRegistry.current.catalogue.first { $0.id.name.isByteEqual(to: check.check) }
        guard let known else { return lines }
        if let code = known.codes.first(where: { $0.name == check.code }) { lines += part("means", code.meaning) }
        lines += part("look at", known.lookAt)
        return lines + part("remedy", known.remedy(for: check.code).rawValue)
    }

    private func part(_ title: String, _ text: String) -> [String] { paragraph("\(title): \(text)", indent: 6) }

    private func paragraph(_ text: String, indent: Int) -> [String] {
        terminal.wrapped(terminal.printable(text), indent: indent)
    }

    /// What the code of something without a verdict means.
    private static func meaning(of code: String) -> String? {
        OutageExplanation.of(code)?.meaning ?? ProblemCode(rawValue: code)?.meaning
    }
}
