public import AssayCore
public import FoundationEssentials

/// Has tokens decoded by Google's servers, which alone can open standard ones.
///
/// Google clears the verdicts of a token that it decodes a second time, so that each call counts.
public protocol IntegrityTokenDecoder: EngineService {
    /// Sends a token to the decode call of its form.
    ///
    /// - Parameters:
    ///   - token: the token as the app sent it. The verifier rejects a token that is not base64url without padding, in parts
    ///     between periods, without a call; an implementation that receives one throws an outage.
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
public struct IntegrityDecoderOutage: Outage, Equatable {
    /// What kind of outage it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// There is no connection, or none in time.
        public static let unreachable = Code("unreachable")
        /// No answer came in time.
        public static let timeout = Code("timeout")
        /// The service account may not ask: HTTP 401 or 403.
        public static let notAuthorised = Code("not-authorised")
        /// The quota is used up: HTTP 429.
        public static let quota = Code("quota")
        /// Google's servers have a failure of their own: HTTP 5xx.
        public static let serverError = Code("server-error")
        /// The answer is none that the documents know.
        public static let unexpectedAnswer = Code("unexpected-answer")
        /// Google may have decoded the token before, its answer was lost, and the next one came with cleared verdicts.
        public static let answerLost = Code("answer-lost")
        /// Too many calls have failed, and for a while none is tried.
        public static let circuitOpen = Code("circuit-open")
        /// Nothing was sent: the package name or the token has no form that can be.
        public static let notSendable = Code("not-sendable")
        /// The task of the caller was cancelled.
        public static let cancelled = Code("cancelled")
        /// The client has been shut down.
        public static let shutDown = Code("shut-down")
    }

    /// The part that cannot be reached.
    public static let part = "Google Play"
    /// What kind of outage it is.
    public let code: Code
    /// What happened, and what to do.
    public let message: String
    /// When it makes sense to ask again, where that is known.
    public let retryAt: Date?

    /// Describes an outage.
    public init(_ code: Code, _ message: String, retryAt: Date? = nil) {
        self.code = code
        self.message = message
        self.retryAt = retryAt
    }

    /// The stable code.
    public var codeName: String { code.name }
}
