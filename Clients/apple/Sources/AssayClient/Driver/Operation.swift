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
        /// The kit exchanges a signed request for runtime secrets.
        case secrets(names: [String], SecretsKey)

        /// What the signature's nonce is the hash of, by Docs/tokens.md and Docs/secrets.md, step 3: no relay can have the answer
        /// bound to a key of its own. Nil without such an answer.
        func statement(_ challenge: String) -> String? {
            switch self {
            case .request, .signature: nil
            case .token(let audiences, let jkt):
                "assay-token\n\(challenge)\n\(audiences.joined(separator: " "))\n\(jkt)\n"
            case .secrets(let names, let key):
                "assay-secrets\n\(challenge)\n\(names.joined(separator: ","))\n\(key.point.thumbprint)\n"
            }
        }
    }

    enum Outcome {
        case signed(URLRequest)
        case answer(HTTPAnswer)
        case token(Backend.Ticket)
        case secrets(SecretsKey.Content)
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
