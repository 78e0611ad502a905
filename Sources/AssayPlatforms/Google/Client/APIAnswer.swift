import AssayCore
import FoundationEssentials

/// The API's result for a token.
enum APIReply {
    /// The result of the call, a JSON object.
    case result(RecordObject, body: [UInt8])
    /// The token cannot be decoded or is too old. This rejects the evidence; it is not an outage.
    case refusedToken(GoogleError, body: [UInt8])
}

/// A classified answer of the Play Integrity API.
enum APIAnswer {
    case reply(APIReply)
    case unauthorised(CallFailure)
    /// Retry later.
    case unavailable(CallFailure, after: Duration?)
    /// A retry would not help.
    case outage(CallFailure)

    /// Classifies an answer. Messages name `account`; `now` is the base for `Retry-After`.
    init(_ answer: HTTPAnswer, account: ServiceAccount, limit: Int, now: Date) {
        let error = GoogleError(answer.body, code: answer.status, limit: limit)
        let said = error.map { "HTTP \(answer.status), \($0)" } ?? answer.summary
        let retryAfter = answer.retryAfter(at: now)
        switch answer.status {
        case 200:
            if let object = try? JSONReader.readObject(answer.body, limit: limit) {
                self = .reply(.result(object, body: answer.body))
            } else {
                self = .outage(APIAnswer.unexpected("\(said), and no JSON object"))
            }
        case 400:
            if let error, error.isAboutToken {
                self = .reply(.refusedToken(error, body: answer.body))
            } else {
                self = .outage(CallFailure(.client, .unexpectedAnswer, "Google does not take the request: \(said)"))
            }
        case 401: self = .unauthorised(APIAnswer.notAuthorised(said, account))
        // Any other 403 is not from Google: a proxy may have sent it, for example.
        case 403 where error != nil: self = .outage(APIAnswer.notAuthorised(said, account))
        case 429:
            self = .unavailable(CallFailure(.client, .quota, "Google's quota is used up: \(said)"), after: retryAfter)
        case 500...599: self = .unavailable(CallFailure(.servers, .serverError, said), after: retryAfter)
        case 404: self = .outage(CallFailure(.client, .unexpectedAnswer, "\(said); look at the base URL"))
        default: self = .outage(APIAnswer.unexpected(said))
        }
    }

    static func unexpected(_ said: String) -> CallFailure {
        CallFailure(
            .servers, .unexpectedAnswer, "\(said): that is no answer of the Play Integrity API; look at proxies")
    }

    private static func notAuthorised(_ said: String, _ account: ServiceAccount) -> CallFailure {
        CallFailure(
            .client, .notAuthorised,
            "\(account.email.excerpt) may not ask: \(said); look in the Play Console whether the app is linked to the "
                + "Cloud project of this service account, and in the Cloud console whether the API is enabled there")
    }
}

/// An error of a Google API (AIP-193):
/// `{"error": {"code": 400, "message": "...", "status": "INVALID_ARGUMENT", "details": [...]}}`.
struct GoogleError: CustomStringConvertible {
    /// The status, such as `PERMISSION_DENIED`.
    let status: String
    /// Google's message, escaped.
    let message: String
    /// Whether the error concerns the form or the caller of the request.
    private let isAboutRequest: Bool

    /// Parses the body of an error; nil if it is not in the form of AIP-193.
    /// - Parameter code: the HTTP status, which the body must repeat.
    init?(_ body: [UInt8], code: Int, limit: Int) {
        guard let document = try? JSONReader.readObject(body, limit: limit),
            case .object(let error) = document["error"]?.content, case .text(let status) = error["status"]?.content,
            case .number(let digits) = error["code"]?.content, digits.isByteEqual(to: String(code))
        else { return nil }
        self.status = ServerText.quote(status)
        if case .text(let text) = error["message"]?.content {
            message = ServerText.quote(text)
        } else {
            message = "no message"
        }
        let details: [RecordValue] = if case .array(let details) = error["details"]?.content { details } else { [] }
        isAboutRequest =
            message.hasPrefix("Invalid JSON payload received") || details.contains(where: GoogleError.isAboutRequest)
    }

    /// Whether the token cannot be decoded. Google returns INVALID_ARGUMENT for that and for a malformed request, and does not document
    /// the messages. Requests of this client are well-formed, so it is the token unless the error names a field
    /// (`google.rpc.BadRequest`), the caller (`google.rpc.ErrorInfo`: API_KEY_INVALID), or malformed JSON.
    var isAboutToken: Bool { status.isByteEqual(to: "INVALID_ARGUMENT") && !isAboutRequest }

    private static func isAboutRequest(_ detail: RecordValue) -> Bool {
        guard case .object(let detail) = detail.content, case .text(let type) = detail["@type"]?.content else {
            return false
        }
        if type.isByteEqual(to: "type.googleapis.com/google.rpc.ErrorInfo") { return true }
        guard type.isByteEqual(to: "type.googleapis.com/google.rpc.BadRequest"),
            case .array(let violations) = detail["fieldViolations"]?.content
        else { return false }
        return violations.contains { violation in
            guard case .object(let violation) = violation.content, case .text(let field) = violation["field"]?.content
            else { return false }
            return !["integrity_token", "integrityToken"].containsBytes(of: field)
        }
    }

    var description: String { "\(status): \(message)" }
}

/// Detects Google's replay protection: a token decoded again has no device labels, and its app is UNEVALUATED.
enum ClearedVerdicts {
    /// Whether a payload's verdicts may be cleared. The first verdict on an unknown device and app looks the same.
    static func mayBe(_ payload: RecordObject) -> Bool {
        if case .array(let labels) = member(payload, "deviceIntegrity", "deviceRecognitionVerdict"), !labels.isEmpty {
            return false
        }
        guard case .text(let verdict) = member(payload, "appIntegrity", "appRecognitionVerdict") else { return true }
        return verdict.isByteEqual(to: "UNEVALUATED")
    }

    private static func member(_ payload: RecordObject, _ block: String, _ name: String) -> RecordValue.Content? {
        guard case .object(let block) = payload[block]?.content else { return nil }
        return block[name]?.content
    }
}
