/// What the server says that the client can do, in Assay's words. A word that the kit does not know is ``contactSupport``.
public enum Remedy: String, Sendable {
    /// The same once more, later.
    case retry
    /// A signature or an attestation over another challenge.
    case newChallenge = "new-challenge"
    /// Another key.
    case newAttestation = "new-attestation"
    /// Another version or build of the app.
    case updateApp = "update-app"
    /// A later system.
    case updateSystem = "update-system"
    /// The operators of the server can help.
    case contactSupport = "contact-support"
    /// Nothing is known to help.
    case nothing = "none"

    /// Whether other evidence cannot help.
    var halts: Bool {
        switch self {
        case .retry, .newChallenge, .newAttestation: false
        case .updateApp, .updateSystem, .contactSupport, .nothing: true
        }
    }
}

extension ClientModel {
    /// The calls of an enrolment.
    enum Call: String, Sendable { case challenge, makeKey, attest, submit }

    /// Why a call gave no verdict, or a bad one.
    struct Failure: Error, Sendable, Equatable {
        /// `network`, `outage`, `refused` and so on.
        var cause: String
        /// The server's or the platform's.
        var code: String?
        /// What the server advises.
        var remedy: Remedy?
        /// Seconds.
        var retryAfter: Int?
        /// Whether the server may have judged what it got.
        var sent = false
    }

    /// What has happened. `date` is the server's clock in an authentic answer, in milliseconds since 1970. Answers to calls of
    /// the enrolment carry their `turn`, those to calls of a request its `op`.
    enum Event: Sendable {
        /// A process begins. `installation` is a mark that a reinstallation changes.
        case start(app: String, system: String, installation: String, unsupported: UnsupportedReason?)
        /// The app has a request to be judged. `fresh`: each signature takes a challenge of the server.
        case need(op: String, fresh: Bool)
        case cancel(op: String)
        /// The app wants to be enrolled before it has a request.
        case prefetch
        /// The time of the last `wait` has come, or the network is back.
        case wake(network: Bool)
        /// Another process has changed the record.
        case reload(ClientRecord)
        /// A call was not made: what it does could not be stored first, or the platform's keys are `locked`.
        case storageFailed(cause: String = "storage", code: String? = nil)
        /// `life` in seconds.
        case challenge(turn: Int, value: String, life: Int, date: Int?)
        case keyMade(turn: Int, key: String)
        /// `evidence` in base64.
        case attested(turn: Int, evidence: String)
        case platformFailed(turn: Int, call: Call?, PlatformClass, code: String)
        /// `challenge` or `submit` gave no verdict.
        case callFailed(turn: Int, call: Call, Failure, date: Int?)
        case enrolled(turn: Int, date: Int?)
        case refused(turn: Int, remedy: Remedy, code: String?, retryAfter: Int?, date: Int?)
        case requestChallenge(op: String, value: String, date: Int?)
        case requestChallengeFailed(op: String, Failure, date: Int?)
        case signed(op: String)
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
    enum Action: Sendable, Equatable {
        case getChallenge(turn: Int)
        case makeKey(turn: Int, challenge: String)
        case attest(turn: Int, key: String, challenge: String)
        case submit(turn: Int, key: String, challenge: String, evidence: String)
        /// Where the platform can.
        case deleteKey(key: String)
        case getRequestChallenge(op: String)
        /// `created` in seconds since 1970.
        case sign(op: String, key: String, created: Int, nonce: String?)
        case send(op: String)
        /// With the field `Assay-Evidence`.
        case sendWithoutEvidence(op: String, reason: String, code: String?)
        case done(op: String)
        case fail(op: String, Failure)
        /// Send `wake` at this time, in place of an earlier one.
        case wait(until: Int)
        /// For the app's telemetry.
        case report(phase: ClientRecord.Phase, halt: String?)
    }
}
