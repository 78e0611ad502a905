import Assay
import AssayCore
import AssayPrimitives

/// A part of a long list: at most `limit` items after the one that `cursor` names.
struct AdminPage {
    /// The most items of a page.
    static let maximum = 1000
    /// The parameters of every list with pages.
    static let names = ["limit", "cursor"]
    static let parameters: [JSONFragment] = [
        .query("limit", #"{"type":"integer","minimum":1,"maximum":\#(maximum),"default":100}"#),
        .query("cursor", .string(min: 1, "next of the page before.")),
    ]
    /// The description of the answer.
    static let content: Endpoint.Content = .json(
        #"{"type":"object","required":["items"],"properties":{"items":\#(JSONFragment.objects.json),"next":{"type":"string"}}}"#
    )

    let limit: Int
    /// The text that the page before gave as `next`; nil for the first page.
    let cursor: String?

    init(_ query: [String: String]) throws(Problem) {
        cursor = query["cursor"]
        guard let text = query["limit"] else {
            limit = 100
            return
        }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            (1...Self.maximum).contains(number)
        else {
            throw ServiceRequest.queryProblem(
                "limit", "expected a number from 1 to \(Self.maximum), found \(text.excerpt)")
        }
        limit = number
    }

    /// The problem of a cursor that no page has given.
    static var unknownCursor: Problem {
        ServiceRequest.queryProblem("cursor", "expected what the page before gave as next")
    }

    /// The answer.
    ///
    /// - Parameters:
    ///   - items: the items of the page, each one JSON value.
    ///   - next: the cursor of the next page; nil at the end.
    static func response(_ items: [String], next: String?) -> Response {
        .json(JSONObject(["items": items.map(WrittenJSON.init), "next": next]).text)
    }

    /// The subject that a cursor names: base64url of its kind, a zero byte, and its name.
    func subject() throws(Problem) -> LedgerSubject? {
        guard let cursor else { return nil }
        guard let bytes = try? Base64.decode(cursor, .url), let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.unknownCursor
        }
        let parts = text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = LedgerSubject.Kind(rawValue: String(parts[0])) else {
            throw Self.unknownCursor
        }
        return LedgerSubject(kind, String(parts[1]))
    }

    static func cursor(_ subject: LedgerSubject) -> String {
        Base64.encode(Array("\(subject.kind.rawValue)\0\(subject.name)".utf8), .url)
    }
}
