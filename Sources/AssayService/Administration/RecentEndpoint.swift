import Assay
import AssayPrimitives
import HTTPTypes

/// `/v1/admin/recent`: what `assay recent` asks.
extension Administration {
    private static let recentNames = [
        "app", "check", "outcome", "key", "device", "account", "record", "request", "since",
    ]

    var recentEndpoints: [Endpoint] {
        let outcomes = JSONText.array(RecentVerdict.Outcome.allCases.map { JSONText.string($0.rawValue) })
        return [
            Endpoint(
                .get, "/v1/admin/recent", .administration(.read), "recent",
                """
                A page of the last rejections and of a sample of acceptances, the newest first, and what is kept since when. They are \
                in memory: a restart loses them.
                """,
                parameters: [
                    .query("app", .text),
                    .query("check", .string(min: 1, "The name of a check, the first parts of several, or a code.")),
                    .query("outcome", #"{"enum":\#(outcomes)}"#), .query("key", .string(min: 1, "Base64.")),
                    .query("device", .text), .query("account", .text), .query("record", .string(min: 1)),
                    .query("request", .string(min: 1, "X-Request-ID of the answer.")), .query("since", .time),
                ] + AdminPage.parameters,
                content: .json(
                    [
                        "items": .objects, "since": .time, "rejections": .object, "acceptances": .object,
                        "next": #"{"type":"string"}"#,
                    ], required: 4),
                problems: [404], recentPage)
        ]
    }

    private func recentPage(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let query = try served.query(Self.recentNames + AdminPage.names)
        let page = try AdminPage(query)
        var selection = RecentSelection()
        (selection.app, selection.check) = (query["app"], query["check"])
        (selection.key, selection.device, selection.account) = (query["key"], query["device"], query["account"])
        (selection.record, selection.request) = (query["record"], query["request"])
        if let text = query["outcome"] {
            guard let outcome = RecentVerdict.Outcome(rawValue: text) else {
                let all = RecentVerdict.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServiceRequest.queryProblem("outcome", "expected one of \(all), found \(text.excerpt)")
            }
            selection.outcome = outcome
        }
        if let text = query["since"] {
            guard let since = RFC3339.parse(text) else {
                throw ServiceRequest.queryProblem("since", "expected an RFC 3339 time such as 2026-04-21T18:13:12Z")
            }
            selection.since = since
        }
        if let cursor = page.cursor {
            guard let before = Int(cursor), before > 0 else { throw AdminPage.unknownCursor }
            selection.before = before
        }
        let recent = state.recent
        guard recent.isOn else {
            throw Problem(.notFound, .recentOff, "this service keeps no verdicts: recent.rejections is 0")
        }
        selection.limit = page.limit + 1
        let found = recent.entries(selection)
        let shown = found.prefix(page.limit)
        let kept = recent.kept
        var acceptances = kept.acceptances.object
        acceptances.add(["sampling": recent.settings.sampling])
        let object = JSONObject([
            "items": shown.map { WrittenJSON($0.json) }, "since": recent.startedAt,
            "rejections": kept.rejections.object, "acceptances": acceptances,
            "next": found.count > page.limit ? shown.last.map { "\($0.number)" } : nil,
        ])
        return .json(object.text)
    }
}

extension RecentVerdicts.Kept {
    fileprivate var object: JSONObject { JSONObject(["count": count, "oldest": oldest]) }
}
