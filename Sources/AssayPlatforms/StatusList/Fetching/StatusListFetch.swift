import AndroidKey
package import AssayCore
import FoundationEssentials

/// Why a request got no list.
struct StatusListFailure: Error, Sendable {
    let outage: StatusListOutage
    /// How long the server wants no other request; nil if it does not say.
    let retryAfter: Duration?

    init(_ code: OutageCode, _ message: String, retryAfter: Duration? = nil) {
        outage = StatusListOutage(code, message)
        self.retryAfter = retryAfter
    }
}

/// Asks the server for its list.
struct StatusListFetch: Sendable {
    let url: ServerURL
    let exchange: HTTPExchange
    let attemptTime: Duration
    let time: ClientTime

    /// The server's list: a new one, or the former one confirmed, by a 200 with a whole list or a 304. Anything else comes from an
    /// intermediary such as a captive portal.
    func list(after former: HeldStatusList?) async throws(StatusListFailure) -> HeldStatusList {
        let asked = time.now()
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await exchange.get(url.text, fields: Self.conditions(former), within: attemptTime)
        } catch {
            let (code, message) = error.outage(of: url.host)
            throw StatusListFailure(code, message)
        }
        switch answer.status {
        case 200:
            let (lifetime, checkedAt) = try age(of: answer, asked)
            do throws(DecodeError) {
                let lastModified = answer.field("Last-Modified")
                let list = try AttestationStatusList(
                    json: answer.body, fetchedAt: checkedAt, issuedAt: lastModified.flatMap(HTTPDate.parse))
                return HeldStatusList(
                    list, checkedAt: checkedAt, lifetime: lifetime.lifetime,
                    entityTag: Self.sendable(answer.field("ETag")), lastModified: Self.sendable(lastModified), time)
            } catch {
                throw StatusListFailure(
                    .unexpectedAnswer, "\(url.host): \(answer.summary), and no status list: \(error.detail)")
            }
        case 304:
            let (lifetime, checkedAt) = try age(of: answer, asked)
            guard let former else {
                throw StatusListFailure(.unexpectedAnswer, "\(url.host): HTTP 304 on a request without conditions")
            }
            return HeldStatusList(
                former.list, checkedAt: max(checkedAt, former.checkedAt), lifetime: lifetime.lifetime,
                entityTag: Self.sendable(answer.field("ETag")) ?? former.entityTag, lastModified: former.lastModified,
                time)
        case 300...399:
            throw StatusListFailure(
                .unexpectedAnswer,
                "\(url.host): \(answer.summary), a redirect, which Google does not send; look for a captive portal or a proxy"
            )
        case 429, 500...599:
            throw StatusListFailure(
                .serverError, "\(url.host): \(answer.summary)", retryAfter: answer.retryAfter(at: time.now()))
        default:
            throw StatusListFailure(
                .unexpectedAnswer, "\(url.host): \(answer.summary), which is no status list; look at proxies")
        }
    }

    /// The lifetime of an answer, and when its server made it: it is at least as old as the request, and as its fields say.
    private func age(
        of answer: HTTPAnswer, _ asked: Date
    ) throws(StatusListFailure) -> (CacheLifetime, checkedAt: Date) {
        guard let lifetime = CacheLifetime(answer, asked: asked) else {
            throw StatusListFailure(
                .unexpectedAnswer,
                "\(url.host): \(answer.summary), with Age \"\(answer.field("Age")?.excerpt ?? "")\", expected seconds, once; "
                    + "look at proxies")
        }
        return (lifetime, asked.addingTimeInterval(-lifetime.age))
    }

    private static func conditions(_ former: HeldStatusList?) -> [(String, String)] {
        var fields: [(String, String)] = []
        if let tag = former?.entityTag { fields.append(("If-None-Match", tag)) }
        if let time = former?.lastModified { fields.append(("If-Modified-Since", time)) }
        return fields
    }

    /// A value that may be sent back; nil for one with other characters than printable ASCII, or too long.
    private static func sendable(_ value: String?) -> String? {
        value.flatMap { $0.utf8.count <= 256 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? $0 : nil }
    }
}

/// Whether a list may follow the one before. One that its server made earlier, or with less than half of the entries, is refused: it
/// would let revoked keys pass. If the server still sends it when nothing has confirmed the former one for ``trust``, it counts.
enum StatusListSuccession {
    /// How long a former list is preferred, in seconds since it was confirmed.
    static let trust = 12 * 3600.0

    /// Throws if a list may not follow the former one yet.
    static func require(
        _ list: HeldStatusList, after former: HeldStatusList?, _ time: ClientTime
    ) throws(StatusListFailure) {
        guard let former, former.list.digest != list.list.digest, former.age(time) < trust else { return }
        if let issued = list.list.issuedAt, let before = former.list.issuedAt, issued < before {
            throw StatusListFailure(
                .statusListOlder,
                "the server sent a list of \(RFC3339.format(issued)) after one of \(RFC3339.format(before)), which is kept"
            )
        }
        guard list.list.count * 2 >= former.list.count else {
            throw StatusListFailure(
                .statusListShrunk,
                "the server sent a list of \(list.list.count) entries after one of \(former.list.count), which is kept")
        }
    }
}

extension OutageCode {
    /// The server sent a list that is older than the one before.
    package static let statusListOlder: OutageCode = "status-list-older"
    /// The server sent a list with less than half of the entries of the one before.
    package static let statusListShrunk: OutageCode = "status-list-shrunk"
}
