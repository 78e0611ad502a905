public import AssayCore
public import FoundationEssentials

/// Decodes tokens with Google's servers. Call it once for each token: Google clears the verdicts when it decodes a
/// token again.
public protocol IntegrityTokenDecoder: EngineService {
    /// Sends a token to the decode call of its form.
    /// - Parameter token: the token as the app sent it. The verifier rejects a token without a call unless it is base64url
    ///   without padding, in parts between periods; an implementation that receives another text throws an outage.
    /// - Returns: the body of Google's answer, unparsed: a payload, or the error for a token that Google cannot open.
    /// - Throws: ``IntegrityDecoderOutage`` when there is no answer on the token: Google cannot be reached, refuses the
    ///   caller, has no quota left, or sends an unexpected answer.
    func decode(
        token: String, packageName: String, form: IntegrityTokenForm
    ) async throws(IntegrityDecoderOutage) -> [UInt8]
}

/// The form of a token, which selects Google's decode call.
@nonexhaustive
public enum IntegrityTokenForm: String, Sendable, CaseIterable {
    /// `decodeIntegrityToken`: Android apps.
    case android
    /// `decodePcIntegrityToken`: games of Google Play Games on PC.
    case pc
}

/// Google's servers gave no answer about a token. An outage gives no verdict, and never an acceptance.
///
/// Codes: `unreachable`, `timeout`, `not-authorised` (HTTP 401, 403), `quota` (HTTP 429), `server-error` (HTTP 5xx),
/// `unexpected-answer`, `answer-lost`, `circuit-open`, `not-sendable`, `cancelled` and `shut-down`.
public struct IntegrityDecoderOutage: Outage, Equatable {
    /// The part that is not available.
    public static let part = "Google Play"
    /// The reason.
    public let code: OutageCode
    /// The problem and the action to take.
    public let message: String
    /// The earliest sensible time for another call; nil if unknown.
    public let retryAt: Date?

    /// Creates an outage.
    public init(_ code: OutageCode, _ message: String, retryAt: Date? = nil) {
        (self.code, self.message, self.retryAt) = (code, message, retryAt)
    }
}

extension OutageCode {
    /// Nothing was sent: the package name or the token is malformed.
    package static let notSendable: OutageCode = "not-sendable"
}
