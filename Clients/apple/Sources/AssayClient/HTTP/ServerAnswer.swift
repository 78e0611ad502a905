import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an answer says in the words of the contract between kit and backend.
struct ServerAnswer {
    /// An answer of an endpoint of the kit is not longer.
    static let limit = 1 << 20

    let status: Int
    /// The body, if it is a JSON object.
    let object: [String: Any]
    /// Whether the field Content-Type names JSON.
    let isJSON: Bool
    let remedy: Remedy?
    /// The server's code, if it is a short word: it goes into telemetry.
    let code: String?
    /// Seconds.
    let retryAfter: Int?
    /// The server's clock in milliseconds since 1970, if the answer is authentic.
    let date: Int?
    private let response: HTTPURLResponse

    init(_ answer: HTTPAnswer) {
        response = answer.response
        status = response.statusCode
        let type = response.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        let media = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        isJSON = media == "application/json" || media.hasSuffix("+json")
        let isSmall = answer.body.count <= Self.limit
        object =
            isJSON && isSmall
            ? (try? JSONSerialization.jsonObject(with: answer.body)) as? [String: Any] ?? [:] : [:]
        let remedy = object["remedy"] as? String ?? response.value(forHTTPHeaderField: "Assay-Remedy")
        // A remedy that a later server may have: other evidence is not known to help.
        self.remedy = remedy.map { Remedy(rawValue: $0) ?? .contactSupport }
        code = (object["code"] as? String).flatMap { Self.isWord($0) ? $0 : nil }
        let clock = response.value(forHTTPHeaderField: "Date").flatMap(HTTPDate.milliseconds)
        let wait = response.value(forHTTPHeaderField: "Retry-After")
        if let seconds = wait.flatMap({ Int($0) }) {
            retryAfter = max(0, seconds)
        } else if let clock, let end = wait.flatMap(HTTPDate.milliseconds) {
            retryAfter = max(0, Milliseconds.ceilSeconds(end - clock))
        } else {
            retryAfter = nil
        }
        date = answer.response.url.map(RequestTarget.isProtected) ?? false ? clock : nil
    }

    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return byte < 0x7f && (character.isLetter || character.isNumber || ":._-".contains(character))
            }
    }

    /// Whether it is a redirect that a client would follow.
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Whether a judge has rejected the request; nothing was executed.
    var isRejection: Bool { (status == 401 || status == 403) && remedy != nil }

    /// Whether the server asks for a later attempt.
    var isOutage: Bool { status == 503 || status == 429 }

    /// A field of the answer.
    func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// Why a request has no verdict, if that is certain: a redirect, or a server that asks for a later attempt.
    var obstacle: ClientModel.Failure? {
        if isRedirect { return .init(cause: "redirected", code: "http:\(status)", sent: true) }
        guard isOutage, let retryAfter else { return nil }
        return .init(cause: "outage", code: code ?? "http:\(status)", retryAfter: retryAfter)
    }

    /// Why an endpoint of the kit gave no result.
    func failure() -> ClientModel.Failure {
        if isOutage { return .init(cause: "outage", code: code ?? "http:\(status)", retryAfter: retryAfter) }
        if isRedirect { return .init(cause: "redirected", code: "http:\(status)") }
        if isJSON, status >= 400 {
            // 500 and others may come after the work.
            return .init(
                cause: "answer", code: code ?? "http:\(status)", remedy: remedy, retryAfter: retryAfter,
                sent: status >= 500)
        }
        // JSON of another form, or a page of something on the way.
        return .init(
            cause: "answer", code: (isJSON ? "json:" : "no-json:") + "\(status)", sent: isJSON || status >= 500)
    }
}

/// The form of times in HTTP that servers send (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// Milliseconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for another form.
    static func milliseconds(_ text: String) -> Int? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { Int($0.timeIntervalSince1970) * Milliseconds.second }
    }
}

/// The form of times in Assay's JSON (RFC 3339).
enum InternetDate {
    /// Milliseconds since 1970, without a fraction of the second; nil for another form.
    static func milliseconds(_ text: String) -> Int? {
        // The formatter knows three digits of a fraction only.
        let whole = text.replacing(/\.[0-9]+/, with: "", maxReplacements: 1)
        return ISO8601DateFormatter().date(from: whole).map { Int($0.timeIntervalSince1970) * Milliseconds.second }
    }
}
