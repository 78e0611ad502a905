import AssayCore
package import AssayTesting
import FoundationEssentials

extension ApproovVectorMint {
    /// A token that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - secret: the secret that makes the token if it is not the current one.
    ///   - delay: seconds from the usual time of receipt to the actual one.
    func token(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, form: ApproovTokenBlueprint.Form = .signed,
        keyID: String? = nil, secret: [UInt8]? = nil, binding: [String] = [], address: String? = nil,
        delay: TimeInterval = 0, change: @escaping (inout ApproovTokenBlueprint) throws(MintingError) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = token("token-\(id)")
            blueprint.form = form
            blueprint.keyID = keyID
            if let secret { blueprint.keys.secret = secret }
            try change(&blueprint)
            return try blueprint.mint().record(
                id: "token-\(id)", binding: binding, address: address, app: app,
                receivedAt: time.addingTimeInterval(delay), expect: outcome.expectation("approov"))
        }
    }

    /// A token in which one claim is changed or missing.
    package func token(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, _ claim: ApproovClaim, _ value: JSONItem?,
        binding: [String] = []
    ) -> VectorCase {
        token(id, app: app, outcome, binding: binding) { $0.claims[claim] = value }
    }

    /// A loggable token that differs from a genuine one in one respect.
    func loggable(
        _ id: String, app: String = "api", _ outcome: VectorOutcome,
        change: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in },
        changeText: @escaping (inout JSONItem) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = token("loggable-\(id)")
            change(&blueprint)
            var json = try blueprint.mint().loggableForm.json
            changeText(&json)
            return EvidenceRecord(
                id: "loggable-\(id)", kind: EvidenceKind("approov.token"), app: app, receivedAt: time,
                evidence: RecordObject([("loggable", .text(json.text))]), expect: outcome.expectation("approov"))
        }
    }

    /// A signed message that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - isPost: whether the message has a body.
    ///   - change: changes the message before signing.
    ///   - token: changes the token before it is minted.
    ///   - minted: changes the message after signing.
    func message(
        _ id: String, app: String = "signed", _ outcome: VectorOutcome, isPost: Bool = false,
        change: @escaping (inout ApproovMessageBlueprint) throws(MintingError) -> Void = { _ in },
        token: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in },
        minted: @escaping (inout MintedApproovMessage) -> Void = { _ in }
    ) -> VectorCase {
        {
            var message = try self.minted("message-\(id)", app: app, isPost: isPost, token: token, change)
            minted(&message)
            return message.record(
                id: "message-\(id)", app: app, receivedAt: time, expect: outcome.expectation("approov"))
        }
    }

    func minted(
        _ id: String, app: String, isPost: Bool = false,
        token changeToken: (inout ApproovTokenBlueprint) -> Void = { _ in },
        _ change: (inout ApproovMessageBlueprint) throws(MintingError) -> Void
    ) throws(MintingError) -> MintedApproovMessage {
        var token = token(id)
        changeToken(&token)
        var blueprint = message(
            try token.mint().token,
            app.hasPrefix("signed-account") ? .account(current.messageKey) : .installation(current.installationKey))
        if isPost {
            blueprint.method = "POST"
            blueprint.body = Array(#"{"hello":"world"}"#.utf8)
        }
        try change(&blueprint)
        return try blueprint.mint()
    }

    /// A measurement proof that differs from a genuine one in one respect.
    ///
    /// - Parameter hasToken: whether a token carries the measurements.
    func proof(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, hasToken: Bool = false,
        changeToken: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in },
        change: @escaping (inout ApproovProofBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            let id = "proof-\(id)"
            var source: ApproovProofBlueprint.Source?
            if hasToken {
                var token = token(id)
                token.claims.measure(measurements)
                changeToken(&token)
                source = .token(try token.mint().token)
            }
            var blueprint = ApproovProofBlueprint(integrityOf: measurements, nonce: nonce(id), source: source)
            change(&blueprint)
            return blueprint.record(id: id, app: app, receivedAt: time, expect: outcome.expectation("approov"))
        }
    }
}
