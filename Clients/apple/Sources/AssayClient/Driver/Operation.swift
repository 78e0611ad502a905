import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request under way in ``AppAttestor``.
struct Operation {
    enum Purpose {
        /// The kit signs and sends.
        case request
        /// The kit signs, and the app sends.
        case signature
        /// The kit exchanges a signed request for a token.
        case token(audiences: [String], jkt: String)
    }

    enum Outcome {
        case signed(URLRequest)
        case answer(HTTPAnswer)
        case token(Backend.Ticket)
        case withoutEvidence(UnsupportedReason)
        /// The app's own sending was judged.
        case judged
    }

    typealias Continuation = CheckedContinuation<Result<Outcome, ClientModel.Failure>, Never>

    let purpose: Purpose
    let prepared: PreparedRequest
    let began = ContinuousClock.now
    var continuation: Continuation?
    /// The request with the fields of its last signature.
    var signed: URLRequest?
    /// Of the last signature, as the server wrote it.
    var challenge = ""
    /// What the caller gets when the state machine ends the request, in either way.
    var outcome: Outcome?
    /// While the request is on its way. Cancelled with the operation.
    var sending: Task<Void, Never>?
    var signatures = 0
    /// How often App Attest said that trying again may help.
    var unexplainedFailures = 0

    var milliseconds: Int { (ContinuousClock.now - began).milliseconds }
}

extension Duration {
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}

extension UnsupportedReason {
    /// The field `Assay-Evidence` (RFC 9651) of a request without evidence.
    func field(_ settings: Configuration) -> String {
        func quoted(_ text: String) -> String {
            let text = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            return "\"\(text)\""
        }
        let known = code.flatMap { ServerAnswer.isWord($0) ? ";code=\(quoted($0))" : nil } ?? ""
        return "none;reason=\(reason)\(known)"
            + ";app-version=\(quoted(settings.appVersion));system-version=\(quoted(settings.systemVersion))"
    }
}
