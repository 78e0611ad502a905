import Assay
import AssayCore

/// The records of a report: what filters them, a place for the script to list them, and the data that it reads.
struct ReportRecords {
    let rows: [ReplayRow]
    let report: ReplayReport

    private var all: Int { report.summary.outcomes.total }

    /// The section.
    var markup: Markup {
        guard !rows.isEmpty else { return "" }
        let shown =
            rows.count < all
            ? "\(NumberText.count(rows.count)) of \(NumberText.count(all)) records are in this page: first those that came "
                + "out other than expected, then those that change sides, are rejected, could not be judged, are "
                + "accepted; of each reason the \(RowSet.rowsPerReason) earliest at least."
            : "All \(NumberText.count(all, "record"))."
        return """
            <section aria-labelledby="records-title"><h2 id="records-title">Records</h2>
            <p class="muted">\(shown)</p>
            <noscript><p class="warning">The list of records needs JavaScript; everything above does not.</p></noscript>
            <form id="filters" class="screen" hidden="hidden" role="search" aria-label="Records">
            <label class="wide">Text <input id="filter-text" type="search" autocomplete="off" spellcheck="false" \
            placeholder="id, file, detail, value"/></label>
            \(selects)<button type="reset">Clear</button>
            </form>
            <p id="shown" role="status" aria-live="polite"></p>
            <ol id="rows"></ol>
            <p class="screen"><button type="button" id="more" hidden="hidden">Show more</button></p>
            </section>
            <script type="application/json" id="data">\(.verbatim(ReportRecords.scriptSafe(data)))</script>

            """
    }

    private var selects: Markup {
        let outcomes = [
            ("accepted", "accepted"), ("rejected", "rejected"), ("failed", "not judged"),
            ("unmet", "other than expected"),
        ]
        let judgements = rows.flatMap { [$0.judgement, $0.against].compactMap { $0 } }
        var checks: Set<ByteText> = []
        for judgement in judgements {
            for check in judgement.checks where check.status == .failed || check.status == .annotated {
                checks.insert(ByteText(check.check))
            }
            if let failure = judgement.failure { checks.insert(ByteText(failure.code)) }
        }
        func names(_ values: some Sequence<String>) -> [(String, String)] {
            Set(values.map { ByteText($0) }).sorted().map { ($0.text, $0.text) }
        }
        let changes: Markup =
            report.summary.isComparison
            ? select(
                "side", "Change",
                [
                    ("changed", "changes sides"), ("lost", "no longer accepted"), ("gained", "newly accepted"),
                    ("reason", "another reason"),
                ]) : ""
        return """
            \(select("outcome", "Outcome", outcomes))\(select("check", "Check", checks.sorted().map { ($0.text, $0.text) }))\
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

    /// What the script reads, as JSON.
    private var data: String {
        let layouts = CheckLayouts(of: rows)
        let names = Set(
            rows.flatMap { row in [row.judgement, row.against].compactMap { $0 }.flatMap(\.checks) }.map(\.check))
        var checks = JSONObject()
        for definition in Verifier.catalogue where names.contains(definition.id.name) {
            let texts = [definition.proves, definition.stops, definition.lookAt, definition.source]
            checks.add(definition.id.name, raw: JSONText.array(texts.map(JSONText.string)))
        }
        var object = JSONObject()
        object.add("policy", text: report.labels.policy)
        object.add("against", text: report.labels.against)
        object.add("total", raw: "\(all)")
        object.add("checks", raw: checks.text)
        object.add("layouts", raw: layouts.json)
        object.add("rows", raw: JSONText.array(rows.map { $0.json(layouts: layouts.numbers) }))
        return object.text
    }

    /// JSON in which nothing ends the script element, begins a comment or is an entity. Outside of strings JSON has none
    /// of these characters.
    private static func scriptSafe(_ json: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count + json.utf8.count / 16)
        for byte in json.utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += Array("\\u003c".utf8)
            case UInt8(ascii: ">"): bytes += Array("\\u003e".utf8)
            case UInt8(ascii: "&"): bytes += Array("\\u0026".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
