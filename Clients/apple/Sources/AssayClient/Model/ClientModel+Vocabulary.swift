/// What the server says that the client can do, in Assay's words.
public enum Remedy: String, Sendable, CaseIterable {
    /// Sign again.
    case retry
    /// Sign a new challenge.
    case newChallenge = "new-challenge"
    /// Make and attest a new key.
    case newAttestation = "new-attestation"
    /// The user updates the app.
    case updateApp = "update-app"
    /// The user updates the system.
    case updateSystem = "update-system"
    /// Only the operators can help.
    case contactSupport = "contact-support"
    /// Nothing helps: no genuine app sends such evidence.
    case nothing = "none"

    /// Whether other evidence cannot help.
    var halts: Bool {
        switch self {
        case .retry, .newChallenge, .newAttestation: false
        case .updateApp, .updateSystem, .contactSupport, .nothing: true
        }
    }
}

/// What an error of the platform means for the enrolment.
public enum PlatformClass: String, Sendable, CaseIterable {
    /// The platform's server does not answer, or asks for a later attempt with the same key.
    case later
    /// The key is no more, or cannot be attested any more.
    case keyGone = "key-gone"
    /// The same call may succeed at once.
    case again
    /// This device, system or process cannot attest.
    case unsupported
    /// The device has not been unlocked since its start.
    case locked
    /// The kit called wrongly.
    case bug
}

extension ClientModel {
    /// Why this process cannot attest.
    public struct Unsupported: Sendable, Equatable {
        /// `unsupported`, `extension` and so on.
        public var reason: String
        /// The platform's code; nil if it gave none.
        public var code: String?

        /// - Parameters:
        ///   - reason: a token of the field `Assay-Evidence`.
        ///   - code: the platform's; nil if it gave none.
        public init(reason: String, code: String? = nil) {
            self.reason = reason
            self.code = code
        }
    }

    /// The calls of an enrolment.
    public enum Call: String, Sendable {
        /// The server's challenge.
        case challenge
        /// The platform's new key.
        case makeKey
        /// The platform's attestation.
        case attest
        /// The server's verdict on the attestation.
        case submit
    }

    /// Why a call gave no verdict, or a bad one.
    public struct Failure: Error, Sendable, Equatable {
        /// `network`, `outage`, `refused` and so on.
        public var cause: String
        /// The server's or the platform's code; nil if there is none.
        public var code: String?
        /// What the server advises; nil if it does not.
        public var remedy: Remedy?
        /// Seconds; nil if the server named none.
        public var retryAfter: Int?
        /// Whether the server may have judged what it got.
        public var sent = false

        /// - Parameters:
        ///   - cause: `network`, `outage`, `refused` and so on.
        ///   - code: the server's or the platform's.
        ///   - remedy: what the server advises.
        ///   - retryAfter: seconds.
        ///   - sent: whether the server may have judged what it got.
        public init(
            _ cause: String, code: String? = nil, remedy: Remedy? = nil, retryAfter: Int? = nil, sent: Bool = false
        ) {
            self.cause = cause
            self.code = code
            self.remedy = remedy
            self.retryAfter = retryAfter
            self.sent = sent
        }
    }

    /// What has happened. `date` is the server's clock in an authentic answer, in milliseconds since 1970.
    public enum Event: Sendable {
        /// A process begins. `installation` is a mark that a reinstallation changes.
        case start(app: String, system: String, installation: String, unsupported: Unsupported?)
        /// The app has a request to be judged. `fresh`: each signature takes a challenge of the server.
        case need(op: String, fresh: Bool)
        /// The app waits no more for the request.
        case cancel(op: String)
        /// The app wants to be enrolled before it has a request.
        case prefetch
        /// The time of the last ``Action/wait(until:)`` has come, or the network is back.
        case wake(network: Bool)
        /// Another process has changed the record.
        case reload(ClientRecord)
        /// A call was not made, because what it does could not be stored first.
        case storageFailed
        /// The server's challenge for the enrolment; `life` in seconds.
        case challenge(turn: Int, value: String, life: Int, date: Int?)
        /// The platform's new key.
        case keyMade(turn: Int, key: String)
        /// The platform's attestation, in base64.
        case attested(turn: Int, evidence: String)
        /// `makeKey` or `attest` failed.
        case platformFailed(turn: Int, call: Call?, PlatformClass, code: String)
        /// `challenge` or `submit` gave no verdict.
        case callFailed(turn: Int, call: Call, Failure, date: Int?)
        /// The server accepted the attestation.
        case enrolled(turn: Int, date: Int?)
        /// The server rejected the attestation.
        case refused(turn: Int, remedy: Remedy, code: String?, retryAfter: Int?, date: Int?)
        /// The server's challenge for a request.
        case requestChallenge(op: String, value: String, date: Int?)
        /// There is no challenge for a request.
        case requestChallengeFailed(op: String, Failure, date: Int?)
        /// The request is signed.
        case signed(op: String)
        /// The platform did not sign.
        case signFailed(op: String, PlatformClass, code: String)
        /// The server's judge let the request pass.
        case judged(op: String, date: Int?)
        /// The server's judge rejected the request; nothing was executed.
        case rejected(op: String, remedy: Remedy, code: String?, retryAfter: Int?, date: Int?)
        /// There is no verdict on the request.
        case sendFailed(op: String, Failure, date: Int?)
        /// The account is deleted.
        case forget
    }

    /// What the driver does next.
    public enum Action: Sendable, Equatable {
        /// Ask the server for a challenge for the enrolment.
        case getChallenge(turn: Int)
        /// Ask the platform for a key.
        case makeKey(turn: Int, challenge: String)
        /// Ask the platform to attest the key.
        case attest(turn: Int, key: String, challenge: String)
        /// Send the attestation to the server.
        case submit(turn: Int, key: String, challenge: String, evidence: String)
        /// Delete the key, where the platform can.
        case deleteKey(key: String)
        /// Ask the server for a challenge for a request.
        case getRequestChallenge(op: String)
        /// Sign the request; `created` in seconds since 1970.
        case sign(op: String, key: String, created: Int, nonce: String?)
        /// Send the signed request.
        case send(op: String)
        /// Send the request with the field `Assay-Evidence`.
        case sendWithoutEvidence(op: String, reason: String, code: String?)
        /// The request was judged: give the answer to the app.
        case done(op: String)
        /// The request failed.
        case fail(op: String, Failure)
        /// Send ``Event/wake(network:)`` at this time, in place of an earlier one.
        case wait(until: Int)
        /// For the app's telemetry.
        case report(phase: ClientRecord.Phase, halt: String?)
    }
}
