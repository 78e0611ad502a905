/// Why an operation of the kit ended without its result, and what to do.
///
/// The text holds no token, key, challenge, account or body.
public struct AssayClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened, for programs.
    public let code: Code
    /// What happened and what to do, for the developer who reads a log. Not for the app's user.
    public let message: String
    /// For how many seconds another attempt is useless; nil if the time is unknown.
    public let retryAfter: Double?
    /// The platform's or the server's code, for telemetry: `dc:3`, `http:503`; nil without one.
    public let detail: String?
    /// What the server advises; nil if it gave no verdict.
    public let remedy: Remedy?

    /// An error of the kit, or of an app's own part of it.
    public init(
        _ code: Code, _ message: String, retryAfter: Double? = nil, detail: String? = nil, remedy: Remedy? = nil
    ) {
        self.detail = detail
        self.remedy = remedy
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }

    /// A reason. The README has a table of all.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name.
        public let rawValue: String

        /// The reason of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ name: String) { rawValue = name }

        /// The request cannot be signed as it is: its URL, method or body. A fault of the app's code.
        public static let request = Code("request")
        /// The settings of the kit are wrong. A fault of the app's code.
        public static let configuration = Code("configuration")
        /// The device, the system or this extension cannot attest.
        public static let unsupported = Code("unsupported")
        /// The device is locked since its start, so that the keys cannot be read. Again after the first unlock.
        public static let locked = Code("locked")
        /// Apple or the server asks for a later attempt, or the network is not there: nothing was judged.
        public static let later = Code("later")
        /// The platform's calls failed up to the kit's limit.
        public static let platform = Code("platform")
        /// The server refused the evidence, and a further attempt now does not help.
        public static let refused = Code("refused")
        /// The user must install the current version of the app.
        public static let updateApp = Code("update-app")
        /// The user must update the system.
        public static let updateSystem = Code("update-system")
        /// Only the operators of the server can help.
        public static let contactSupport = Code("contact-support")
        /// The request was sent and no answer came: the server may have done what it asks.
        public static let outcomeUnknown = Code("outcome-unknown")
        /// The server, or something on the way such as a captive portal, answered in another form than the contract's.
        public static let answer = Code("answer")
        /// The backend refused the kit's own request for want of the user's session, see ``Configuration/authorize``.
        public static let session = Code("session")
        /// An endpoint of the kit is elsewhere, as the server says.
        public static let redirected = Code("redirected")
        /// No certificate of the server has a pin: something on the way reads along, or the pins are out of date.
        public static let pins = Code("pins")
        /// The app must use a newer configuration first, see ``Pinning/apply()``.
        public static let pinsOutdated = Code("pins-outdated")
        /// An operator has blocked the device's connections.
        public static let blocked = Code("blocked")
        /// The policy does not name the secret, or it has no value. Approov's word: `UNKNOWN_KEY`.
        public static let unknownSecret = Code("unknown-secret")
        /// The app gets no secrets. Approov's word: `DISABLED`.
        public static let secretsDisabled = Code("secrets-disabled")
        /// A name that no secret can have, or none, or more than 16. Approov's word: `BAD_KEY`.
        public static let invalidSecretName = Code("invalid-secret-name")
        /// The state could not be read or written.
        public static let storage = Code("storage")
        /// The caller's task was cancelled.
        public static let cancelled = Code("cancelled")
    }
}
