import Assay
import AssayCore
import AssayPrimitives
import HTTPTypes

/// `/v1/admin/audit`: what `assay audit` does.
extension Administration {
    var auditEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/admin/audit", .administration(.read), "audit",
                "A page of the audit trail, the first entry first.",
                parameters: [.query("since", .time), .query("operator", .text)] + AdminPage.parameters,
                content: AdminPage.content, auditPage),
            Endpoint(
                .get, "/v1/admin/audit/verify", .administration(.read), "verifyAudit",
                "Follows the hashes of the audit trail, and compares its entries with the ledger.",
                parameters: [.query("expect", #"{"type":"string","pattern":"^[0-9a-fA-F]{64}$"}"#)], verifyAudit),
        ]
    }

    /// Ends the reading of the trail after a page.
    private struct EndOfPage: Error {}

    private func auditPage(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let query = try served.query(["since", "operator"] + AdminPage.names)
        let page = try AdminPage(query)
        let after = page.cursor.map { Int($0) ?? -1 } ?? 0
        guard after >= 0 else { throw AdminPage.unknownCursor }
        let since = query["since"].map(RFC3339.parse)
        if let since, since == nil {
            throw ServiceRequest.queryProblem("since", "expected an RFC 3339 time such as 2026-04-21T18:13:12Z")
        }
        let (from, author) = (since ?? nil, query["operator"])
        var items: [String] = []
        var last = after
        var hasMore = false
        do {
            try await dependencies.ledger.audit { entry in
                guard entry.number > after, from.map({ entry.change.at >= $0 }) ?? true,
                    author.map({ entry.change.operatorName.isByteEqual(to: $0) }) ?? true
                else { return }
                guard items.count < page.limit else {
                    hasMore = true
                    throw EndOfPage()
                }
                items.append(entry.json)
                last = entry.number
            }
        } catch is EndOfPage {
        } catch { throw outage(error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)")) }
        return AdminPage.response(items, next: hasMore ? "\(last)" : nil)
    }

    private func verifyAudit(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let expected = try served.query(["expect"])["expect"]
        guard expected.map(AuditReview.isHash) ?? true else {
            throw ServiceRequest.queryProblem("expect", "expected a hash of 64 hexadecimal digits")
        }
        var review = AuditReview(expecting: expected)
        do {
            try await review.take(dependencies.ledger)
        } catch {
            throw outage(error as? LedgerOutage ?? LedgerOutage(.internalError, "\(error)"))
        }
        let object = JSONObject([
            "isSound": review.problems.isEmpty && review.isFound, "entries": review.count, "lastHash": review.lastHash,
            "isExpectedHashFound": review.isFound, "problems": review.problems,
        ])
        return .json(object.text)
    }
}
