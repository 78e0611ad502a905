import Assay
package import AssayCore
package import FoundationEssentials

/// A verdict of the service, or the reason for having none, without the evidence. Long texts are cut.
package struct RecentVerdict: Sendable {
    /// How the evidence came.
    package enum Way: String, Sendable {
        /// `POST /v1/verify` with one record.
        case verify
        /// A record of a stream.
        case stream
        /// `POST /v1/tokens`.
        case token
        /// `POST /v1/measurements`.
        case measurement
        /// `POST /v1/secrets`.
        case secret
        /// Forward auth.
        case authorize
    }

    /// What came of it.
    package enum Outcome: String, Sendable, CaseIterable {
        case accept, reject
        /// The ledger, a key store or a service did not answer.
        case outage
        /// An operator has to correct the configuration.
        case misconfigured
        /// There is no verdict, because of the request.
        case unjudged
        /// The record cannot be read.
        case unreadable
    }

    /// A check that failed or was annotated.
    package struct Check: Sendable {
        package let name: String
        /// Whether it rejects: `failed`, otherwise `annotated`.
        package let status: CheckResult.Status
        /// What was found; nil without a finding.
        package let code, detail: String?
    }

    /// The place in the order of recording, from 1. A later verdict has a greater number.
    package internal(set) var number = 0
    /// When it was recorded.
    package let time: Date
    /// The ID of the request, as in the log and in `X-Request-ID`. All records of a stream have the same.
    package let request: String
    /// The `id` of the record.
    package let record: String?
    /// How the evidence came.
    package let way: Way
    /// The name in the path of forward auth.
    package let route: String?
    /// The app of the verdict, otherwise the one that the record names.
    package let app: String?
    /// The kind of evidence; nil if it cannot be read.
    package let kind: String?
    /// What came of it.
    package let outcome: Outcome
    /// In forward auth, the treatment of a request that was not accepted: with `annotate` it passed.
    package let enforcement: String?
    /// Why there is no verdict.
    package let code, detail: String?
    /// The field of a record that cannot be read, and the byte.
    package let field: String?
    package let offset: Int?
    /// The checks that failed or were annotated, in their order.
    package let checks: [Check]
    /// What the client can do after a rejection.
    package let remedy: String?
    /// The key, base64, and the device that the verdict names. Without authentic evidence, the key that the record claims.
    package let key, device: String?
    /// Whether the evidence is authentic, so that key and device are those of the sender, and not only named by it.
    package let isProven: Bool
    /// The account that the ledger has for the key, otherwise that of the record.
    package let account: String?
    /// What the app says of itself.
    package let property: String?
    /// The address of a gateway's client, as the policy keeps addresses.
    package let address: String?
    /// The verdict as `POST /v1/verify` answers it, on one line; nil without one, and if it is too long.
    package let verdict: String?
    /// Whether something was left out because it is too long.
    package let isCut: Bool
    /// The memory that it takes, about, in bytes.
    let size: Int

    /// The limits, in bytes; the last one is a number of checks.
    private static let (textLimit, detailLimit, verdictLimit, checkLimit) = (256, 512, 8192, 16)

    /// Cuts a text as those of an entry are.
    static func cut(_ text: String, atMost limit: Int = textLimit) -> String {
        text.utf8.count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "..."
    }

    /// - Parameters:
    ///   - verdict: nil if there is none.
    ///   - reason: why there is no verdict.
    init(
        _ outcome: Outcome, _ source: RecentSource, verdict: Verdict? = nil, reason: Reason? = nil,
        enforcement: String? = nil, at time: Date
    ) {
        var size = 512
        var isCut = false
        func kept(_ text: String?, atMost limit: Int = Self.textLimit) -> String? {
            guard let text else { return nil }
            isCut = isCut || text.utf8.count > limit
            let cut = Self.cut(text, atMost: limit)
            size += cut.utf8.count
            return cut
        }
        self.time = time
        (way, self.outcome, self.enforcement) = (source.way, outcome, enforcement)
        request = source.request
        record = kept(source.record)
        route = kept(source.route)
        app = kept(verdict?.app ?? source.app)
        kind = verdict?.kind.name ?? source.kind
        (code, offset) = (reason?.code, reason?.offset)
        detail = kept(reason?.detail, atMost: Self.detailLimit)
        field = kept(reason?.field)
        let found = verdict?.checks.filter { $0.status == .failed || $0.status == .annotated } ?? []
        isCut = isCut || found.count > Self.checkLimit
        var checks: [Check] = []
        for result in found.prefix(Self.checkLimit) {
            let detail = kept(result.finding?.detail, atMost: Self.detailLimit)
            checks.append(
                Check(name: result.check.name, status: result.status, code: result.finding?.code, detail: detail))
            size += 128
        }
        self.checks = checks
        remedy = verdict?.remedy?.rawValue
        let facts = verdict?.engineSubject?.clientFacts ?? []
        isProven = verdict?.isProven ?? false
        key = kept(facts.first { $0.name == "keyId" }?.value ?? source.key)
        device = kept(facts.first { $0.name == "deviceId" }?.value)
        account = kept(verdict?.engineSubject?.account ?? source.account)
        property = kept(verdict?.property?.value)
        address = kept(source.address)
        let json = verdict?.json(id: record)
        let isLong = json.map { $0.utf8.count > Self.verdictLimit } ?? false
        self.verdict = isLong ? nil : json
        size += self.verdict?.utf8.count ?? 0
        self.isCut = isCut || isLong
        self.size = size
    }

    /// Why there is no verdict.
    struct Reason {
        let code, detail: String
        var field: String?
        var offset: Int?
    }
}

/// What is known of evidence besides its verdict.
package struct RecentSource {
    let way: RecentVerdict.Way
    let request: String
    package var record, route, app, kind, account, address, key: String?

    /// - Parameters:
    ///   - request: its ID.
    ///   - record: the `id` of the record, if it can be read.
    package init(_ way: RecentVerdict.Way, _ request: some CustomStringConvertible, record: String? = nil) {
        (self.way, self.request, self.record) = (way, request.description, record)
    }

    init(_ way: RecentVerdict.Way, _ request: RequestID, _ record: EvidenceRecord) {
        self.init(way, request, record: record.id)
        (app, kind, account) = (record.app, record.kind.name, record.account)
        if case .text(let key)? = record.evidence["keyId"]?.content { self.key = key }
    }
}

extension RecentVerdict {
    /// One JSON object on one line. The verdict is its last member.
    package var json: String {
        JSONObject([
            "time": time, "request": request, "record": record, "way": way.rawValue, "route": route, "app": app,
            "kind": kind, "outcome": outcome.rawValue, "enforcement": enforcement, "code": code, "detail": detail,
            "field": field, "offset": offset, "checks": checks.map { WrittenJSON($0.json) }, "remedy": remedy,
            "key": key,
            "isClaimed": key != nil && !isProven ? true : nil, "device": device, "account": account,
            "property": property, "address": address, "isCut": isCut ? true : nil,
            "verdict": verdict.map { WrittenJSON($0) },
        ]).text
    }
}

extension RecentVerdict.Check {
    fileprivate var json: String {
        JSONObject(["check": name, "status": status.rawValue, "code": code, "detail": detail]).text
    }
}
