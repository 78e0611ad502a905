package import AssayCore

/// A token to verify: alone, or on a request.
package enum TokenInput: Sendable {
    /// The token alone, as a service has it that took it from elsewhere. A bound one is not accepted without its request.
    case token(String)
    /// The request that carries token and proof.
    case request(SignedRequest)

    /// The token with its proofs.
    func presentation() throws(DecodeError) -> TokenPresentation {
        switch self {
        case .token(let text): TokenPresentation(token: text)
        case .request(let request): try TokenPresentation(request)
        }
    }

    /// Reads `token`, or `method`, `targetURI` and `headers`.
    init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        guard let token = try fields.text("token") else {
            try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "token"])
            self = .request(try SignedRequest(fields))
            return
        }
        try fields.requireOnly(["token"])
        self = .token(token)
    }
}
