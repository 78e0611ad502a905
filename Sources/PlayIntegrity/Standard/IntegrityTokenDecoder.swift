public import AssayCore
public import FoundationEssentials

/// Has tokens decoded by Google's servers, which alone can open standard ones.
///
/// Google clears the verdicts of a token that it decodes a second time, so that each call counts.
public protocol IntegrityTokenDecoder: EngineService {
    /// Sends a token to the decode call of its form.
    ///
    /// - Parameters:
    ///   - token: the token as the app sent it. The verifier rejects tokens with characters other than letters, digits and
    ///     `-_+/=.~` without a call; an implementation that receives one throws an outage.
    ///   - packageName: the package name of the app.
    ///   - form: which call decodes it.
    /// - Returns: the body of Google's answer, unparsed: a payload, or the error for a token that Google cannot open.
    /// - Throws: ``IntegrityDecoderOutage`` when there is no answer on the token: Google cannot be reached, refuses the
    ///   caller, has no quota left, or answers something else.
    func decode(
        token: String, packageName: String, form: IntegrityTokenForm
    ) async throws(IntegrityDecoderOutage) -> [UInt8]
}

/// Which of Google's calls decodes a token.
public enum IntegrityTokenForm: String, Sendable, CaseIterable {
    /// `decodeIntegrityToken`: apps on Android.
    case android
    /// `decodePcIntegrityToken`: games of Google Play Games on PC.
    case pc
}

/// Google's servers gave no answer on a token. There is no verdict then, and never an acceptance.
///
/// Codes: `unreachable`, `timeout`, `not-authorised` (HTTP 401, 403), `quota` (HTTP 429), `server-error` (HTTP 5xx),
/// `unexpected-answer`, `answer-lost`, `circuit-open`, `not-sendable`, `cancelled` and `shut-down`.
public struct IntegrityDecoderOutage: Outage, Equatable {
    /// The part that cannot be reached.
    public static let part = "Google Play"
    /// The reason.
    public let code: OutageCode
    /// What happened, and what to do.
    public let message: String
    /// When it makes sense to ask again, where that is known.
    public let retryAt: Date?

    /// Describes an outage.
    public init(_ code: OutageCode, _ message: String, retryAt: Date? = nil) {
        self.code = code
        self.message = message
        self.retryAt = retryAt
    }
}

extension OutageCode {
    /// No answer came in time.
    package static let timeout: OutageCode = "timeout"
    /// The service account may not ask: HTTP 401 or 403.
    package static let notAuthorised: OutageCode = "not-authorised"
    /// The quota is used up: HTTP 429.
    package static let quota: OutageCode = "quota"
    /// Google's servers have a failure of their own: HTTP 5xx.
    package static let serverError: OutageCode = "server-error"
    /// The answer has no documented form.
    package static let unexpectedAnswer: OutageCode = "unexpected-answer"
    /// An earlier answer was lost after Google may have decoded the token; the repeated call got cleared verdicts.
    package static let answerLost: OutageCode = "answer-lost"
    /// Too many calls have failed; calls pause for a while.
    package static let circuitOpen: OutageCode = "circuit-open"
    /// Nothing was sent: the package name or the token is malformed.
    package static let notSendable: OutageCode = "not-sendable"
    /// The task of the caller was cancelled.
    package static let cancelled: OutageCode = "cancelled"
    /// The client has been shut down.
    package static let shutDown: OutageCode = "shut-down"
}
