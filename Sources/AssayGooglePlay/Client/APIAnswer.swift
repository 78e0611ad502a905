import AssayCore
import AssayPrimitives
import FoundationEssentials
import PlayIntegrity

/// What the Play Integrity API says on a token.
enum APIReply {
    /// A JSON object: the result of the call.
    case result(RecordObject, body: [UInt8])
    /// The token cannot be decoded or is too old: that is said of the evidence, and no outage.
    case refusedToken(GoogleError, body: [UInt8])
}

/// What an answer of the Play Integrity API means.
enum APIAnswer {
    /// Something is said on the token.
    case reply(APIReply)
    /// The access token is not taken.
    case unauthorised(CallFailure)
    /// Try again later.
    case unavailable(CallFailure, after: Duration?)
    /// There is nothing to try again for.
    case outage(CallFailure)

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - account: who asked, for messages.
    ///   - now: the present, for `Retry-After`.
    init(_ answer: HTTPAnswer, account: ServiceAccount, limit: Int, now: Date) {
        let error = GoogleError(answer.body, code: answer.status, limit: limit)
        let said = error.map { "HTTP \(answer.status), \($0)" } ?? answer.summary
        let retryAfter = answer.retryAfter.flatMap { RetryAfter.parse($0, now: now) }
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
                self = .outage(CallFailure(.us, .unexpectedAnswer, "Google does not take the request: \(said)"))
            }
        case 401: self = .unauthorised(APIAnswer.notAuthorised(said, account))
        // What is not Google's own error comes from something in between, such as a proxy.
        case 403 where error != nil: self = .outage(APIAnswer.notAuthorised(said, account))
        case 429: self = .unavailable(CallFailure(.us, .quota, "Google's quota is used up: \(said)"), after: retryAfter)
        case 500...599: self = .unavailable(CallFailure(.servers, .serverError, said), after: retryAfter)
        case 404: self = .outage(CallFailure(.us, .unexpectedAnswer, "\(said); look at the base URL"))
        default: self = .outage(APIAnswer.unexpected(said))
        }
    }

    /// The failure of an answer that the documents do not know.
    static func unexpected(_ said: String) -> CallFailure {
        CallFailure(
            .servers, .unexpectedAnswer, "\(said): that is no answer of the Play Integrity API; look at proxies")
    }

    private static func notAuthorised(_ said: String, _ account: ServiceAccount) -> CallFailure {
        CallFailure(
            .us, .notAuthorised,
            "\(account.email.excerpt) may not ask: \(said); look in the Play Console whether the app is linked to the "
                + "Cloud project of this service account, and in the Cloud console whether the API is enabled there")
    }
}
