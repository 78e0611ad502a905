import PlayIntegrity

/// Why an attempt has no answer: what the caller is told, and what it says about the servers.
struct CallFailure: Error, Sendable {
    /// Whose failure it is.
    enum Side: Sendable {
        /// The servers are down, or something else answers in their place.
        case servers
        /// The servers answered, and what they said is for us to repair.
        case us
        /// Nothing was learned of the servers.
        case nobody
    }

    /// What the caller is told.
    let outage: IntegrityDecoderOutage
    /// Whose failure it is.
    let side: Side

    init(_ side: Side, _ outage: IntegrityDecoderOutage) {
        self.side = side
        self.outage = outage
    }

    init(_ side: Side, _ code: IntegrityDecoderOutage.Code, _ message: String) {
        self.init(side, IntegrityDecoderOutage(code, message))
    }

    static let cancelled = CallFailure(.nobody, .cancelled, "the task was cancelled")
    static let shutDown = CallFailure(.nobody, .shutDown, "the client has been shut down")

    static let answerLost = CallFailure(
        .us, .answerLost,
        "an earlier answer on this token was lost, and the token now comes without verdicts, as tokens do that were decoded "
            + "before; let the app ask for a new one")

    /// What a failed exchange means to the caller, and whether asking again may help.
    ///
    /// - Parameter server: who was asked, in words.
    static func of<Value>(_ failure: HTTPFailure, server: String) -> AttemptResult<Value> {
        switch failure {
        case .notConnected(let reason): .again(CallFailure(.servers, .unreachable, "\(server): \(reason)"))
        case .unanswered(let isTimeout, let reason):
            .again(CallFailure(.servers, isTimeout ? .timeout : .unreachable, "\(server): \(reason)"))
        // An answer was given. What it says is lost, and to ask again may use a token up.
        case .cut(let status, let isTimeout, let reason):
            .stop(
                CallFailure(
                    .servers, isTimeout ? .timeout : .unexpectedAnswer, "\(server): HTTP \(status), but \(reason)"))
        case .cancelled: .stop(.cancelled)
        case .shutDown: .stop(.shutDown)
        }
    }
}

/// What came of one attempt.
enum AttemptResult<Value: Sendable>: Sendable {
    /// An answer.
    case done(Value)
    /// No answer, and another attempt may have one, after the time that the server asked for.
    case again(CallFailure, after: Duration? = nil)
    /// No answer, and no other attempt.
    case stop(CallFailure)
}
