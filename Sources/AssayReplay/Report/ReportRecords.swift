import Assay

/// The list of records with its filters, and the data with which the script shows the checks of a record.
struct ReportRecords {
    private let rows: [ReplayRow]
    private let report: ReplayReport

    init(report: ReplayReport) {
        rows = report.summary.rows
        self.report = report
    }

    private var all: Int { report.summary.outcomes.total }

    /// The section; nil without records.
    var section: ReplayReport.Section? {
        guard !rows.isEmpty else { return nil }
        let shown =
            rows.count < all
            ? "\(NumberText.count(rows.count)) of \(NumberText.count(all)) records are in this page: first those with "
                + "another verdict than expected, then those whose outcome differs, are rejected, could not be judged, are "
                + "accepted; of each reason at least the first \(RowSelection.rowsPerReason)."
            : all == 1 ? "The only record." : "All \(NumberText.count(all, "record"))."
        let content: Markup = """
            <p class="muted">\(shown)</p>
            <noscript><p class="warning">Without JavaScript the list is complete, but cannot be filtered, and does not show \
            all checks of a record.</p></noscript>
            <form id="filters" class="screen" hidden="hidden" role="search" aria-label="Records">
            <label class="wide">Text <input id="filter-text" type="search" autocomplete="off" spellcheck="false" \
            placeholder="id, file, detail, value"/></label>
            \(selects)<button type="reset">Clear</button>
            </form>
            <p id="shown" role="status" aria-live="polite"></p>
            <ol id="rows">
            \(rows.map(line))</ol>
            <script type="application/json" id="data">\(.verbatim(ReportRecords.scriptSafe(data)))</script>
            """
        return ReplayReport.Section(id: "records-title", title: "Records", content: content)
    }

    /// The line of a record, which opens to show its place, and with the script all of it.
    private func line(_ row: ReplayRow) -> Markup {
        let outcome = row.end.outcome
        let isLost = outcome == .accepted && row.against.map { $0.end.outcome != .accepted } == true
        let isGained = outcome != .accepted && row.against?.end.outcome == .accepted
        let reason = isLost ? row.against?.end.reason : row.end.reason
        let detail = isLost ? row.against?.detail : row.detail
        var why: Markup = reason.map { $0.isEmpty ? "" : "<code>\($0)</code>" } ?? ""
        if isLost || isGained {
            why += " <span class=\"change\">\(row.against?.end.outcome.word ?? "") under \(report.against)</span>"
        }
        if !row.unmet.isEmpty { why += " <span class=\"change\">expected \(row.unmet.joined(separator: ", "))</span>" }
        if let because = row.because { why += " <span class=\"change\">because \(because)</span>" }
        if let detail, !detail.isEmpty { why += "<span class=\"detail muted\">\(detail)</span>" }
        return """
            <li><details><summary><span class="outcome is-\(outcome.rawValue)">\(outcome.word)</span>\
            <span class="name">\(row.name)</span><span class="why">\(why)</span>\
            <span class="when">\(row.time?.description.replacing("T", with: " ") ?? "")</span></summary>\
            <div class="body"><p>Stands at \(row.place).</p></div></details></li>

            """
    }

    private var selects: Markup {
        let outcomes = [
            ("accepted", "accepted"), ("rejected", "rejected"), ("failed", "not judged"),
            ("unmet", "other than expected"),
        ]
        func names(_ values: [String]) -> [(String, String)] { Set(values).sorted().map { ($0, $0) } }
        let changes: Markup =
            report.summary.isComparison
            ? select(
                "side", "Change",
                [
                    ("changed", "outcome differs"), ("lost", "no longer accepted"), ("gained", "newly accepted"),
                    ("reason", "another reason"),
                ]) : ""
        return """
            \(select("outcome", "Outcome", outcomes))\(select("check", "Check", names(rows.flatMap(\.findings))))\
            \(select("app", "App", names(rows.compactMap(\.app))))\(select("kind", "Kind", names(rows.compactMap(\.kind))))\
            \(changes)
            """
    }

    private func select(_ name: String, _ title: String, _ options: [(String, String)]) -> Markup {
        let items: [Markup] = options.map { "<option value=\"\($0)\">\($1)</option>" }
        return """
            <label>\(title) <select id="filter-\(name)"><option value="">any</option>\(items)</select></label>

            """
    }

    /// The script's data, as JSON.
    private var data: String {
        let layouts = report.summary.selection.layouts.lists
        let names = Set(layouts.joined())
        var checks = JSONObject()
        for definition in report.catalogue where names.contains(definition.id.name) {
            let texts = [definition.proves, definition.stops, definition.lookAt, definition.source]
            checks.add(definition.id.name, raw: JSONText.array(texts.map(JSONText.string)))
        }
        var object = JSONObject()
        object.add("policy", text: report.policy)
        object.add("against", text: report.against)
        object.add("total", raw: "\(all)")
        object.add("checks", raw: checks.text)
        object.add("layouts", raw: JSONText.array(layouts.map { JSONText.array($0.map(JSONText.string)) }))
        object.add("rows", raw: JSONText.array(rows.map(\.json)))
        return object.text
    }

    /// Escapes what could end the script, start a comment or form an entity. JSON has these only in strings.
    private static func scriptSafe(_ json: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count + json.utf8.count / 16)
        // Iterate over bytes: a combining mark after such a byte forms a different Character.
        for byte in json.utf8 {
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
                bytes += "\\u00\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
