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
        let json = isJSON && isSmall ? try? JSONSerialization.jsonObject(with: answer.body) : nil
        object = json as? [String: Any] ?? [:]
        let remedy = object["remedy"] as? String ?? response.value(forHTTPHeaderField: "Assay-Remedy")
        // A remedy that a later server may have: other evidence is not known to help.
        self.remedy = remedy.map { Remedy(rawValue: $0) ?? .contactSupport }
        // A rejection may have the response code that support reads.
        code = ((object["code"] ?? object["arc"]) as? String).flatMap { Self.isWord($0) ? $0 : nil }
        let clock = response.value(forHTTPHeaderField: "Date").flatMap(HTTPDate.milliseconds)
        let wait = response.value(forHTTPHeaderField: "Retry-After")
        let end = wait.flatMap(HTTPDate.milliseconds)
        let seconds =
            wait.flatMap { Int($0) } ?? end.flatMap { end in clock.map { Milliseconds.ceilSeconds(end - $0) } }
        retryAfter = seconds.map { max(0, $0) }
        date = answer.response.url.map(RequestTarget.isProtected) ?? false ? clock : nil
    }

    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return byte < 0x7f && (character.isLetter || character.isNumber || ":._-".contains(character))
            }
    }

    /// Whether a judge has rejected the request; nothing was executed.
    var isRejection: Bool { (status == 401 || status == 403) && remedy != nil }

    /// A field of the answer.
    func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// Whether the answer to a request may come from something before its judge, so that it shows nothing of the key.
    var isForeign: Bool { (300..<400).contains(status) || [401, 403, 429].contains(status) || status >= 500 }

    /// Why an endpoint of the kit gave no result.
    func failure() -> ClientModel.Failure {
        let code = code ?? "http:\(status)"
        if status == 503 || status == 429 { return .init(cause: "outage", code: code, retryAfter: retryAfter) }
        if (300..<400).contains(status) { return .init(cause: "redirected", code: "http:\(status)") }
        if status == 401, remedy == nil { return .init(cause: "session", code: code) }
        // 500 and others may come after the work.
        let isLate = status >= 500
        if isJSON, status >= 400 {
            return .init(cause: "answer", code: code, remedy: remedy, retryAfter: retryAfter, sent: isLate)
        }
        // JSON of another form, or a page of something on the way.
        return .init(cause: "answer", code: (isJSON ? "json:" : "no-json:") + "\(status)", sent: isJSON || isLate)
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
