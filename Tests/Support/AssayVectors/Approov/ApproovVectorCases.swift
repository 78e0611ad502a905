package import AssayCore
package import AssayTesting
import FoundationEssentials

/// A token that differs from a genuine one in one respect.
package struct TokenCase: VectorCase {
    let id: String
    let app: String
    let outcome: VectorOutcome
    let binding: [String]
    let address: String?
    /// Seconds from the usual time of reception to that of this one.
    let delay: TimeInterval
    let change: (inout ApproovTokenBlueprint) throws(MintingError) -> Void

    init(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, binding: [String] = [], address: String? = nil,
        delay: TimeInterval = 0, change: @escaping (inout ApproovTokenBlueprint) throws(MintingError) -> Void = { _ in }
    ) {
        self.id = "token-\(id)"
        self.app = app
        self.outcome = outcome
        self.binding = binding
        self.address = address
        self.delay = delay
        self.change = change
    }

    /// A case in which one claim has another value, or is left out.
    package init(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, _ claim: ApproovClaim, _ value: JSONItem?,
        binding: [String] = []
    ) {
        self.init(id, app: app, outcome, binding: binding) { $0.claims[claim] = value }
    }

    package func record(_ mint: ApproovVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.token(id)
        try change(&blueprint)
        return try blueprint.mint().record(
            id: id, binding: binding, address: address, app: app, receivedAt: mint.time.addingTimeInterval(delay),
            expect: outcome.expectation("approov"))
    }
}

/// A loggable token that differs from a genuine one in one respect.
package struct LoggableCase: VectorCase {
    let id: String
    let app: String
    let outcome: VectorOutcome
    let change: (inout ApproovTokenBlueprint) -> Void
    let changeText: (inout JSONItem) -> Void

    init(
        _ id: String, app: String = "api", _ outcome: VectorOutcome,
        change: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in },
        changeText: @escaping (inout JSONItem) -> Void = { _ in }
    ) {
        self.id = "loggable-\(id)"
        self.app = app
        self.outcome = outcome
        self.change = change
        self.changeText = changeText
    }

    package func record(_ mint: ApproovVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.token(id)
        change(&blueprint)
        var json = try blueprint.mint().loggable.json
        changeText(&json)
        return EvidenceRecord(
            id: id, kind: EvidenceKind("approov.token"), app: app, receivedAt: mint.time,
            evidence: RecordObject([("loggable", .text(json.text))]), expect: outcome.expectation("approov"))
    }
}

/// A signed message that differs from a genuine one in one respect.
package struct MessageCase: VectorCase {
    /// What of a message is changed, and when.
    enum Change {
        /// Before the token in it is minted.
        case token((inout ApproovTokenBlueprint) -> Void)
        /// Before it is signed.
        case blueprint((inout ApproovMessageBlueprint) throws(MintingError) -> Void)
        /// After it was signed.
        case minted((inout MintedApproovMessage) -> Void)
    }

    let id: String
    let app: String
    let outcome: VectorOutcome
    let isPost: Bool
    let changes: [Change]

    /// - Parameter isPost: whether the message has a body.
    init(_ id: String, app: String = "signed", _ outcome: VectorOutcome, isPost: Bool = false, _ changes: Change...) {
        self.id = "message-\(id)"
        self.app = app
        self.outcome = outcome
        self.isPost = isPost
        self.changes = changes
    }

    func mint(_ mint: ApproovVectorMint) throws(MintingError) -> MintedApproovMessage {
        var token = mint.token(id)
        for case .token(let change) in changes { change(&token) }
        let isAccount = app.hasPrefix("signed-account")
        var blueprint = mint.message(
            try token.mint().token,
            isAccount ? .account(mint.current.messageKey) : .installation(mint.current.installationKey))
        if isPost {
            blueprint.method = "POST"
            blueprint.body = Array(#"{"hello":"world"}"#.utf8)
        }
        for case .blueprint(let change) in changes { try change(&blueprint) }
        var message = try blueprint.mint()
        for case .minted(let change) in changes { change(&message) }
        return message
    }

    package func record(_ mint: ApproovVectorMint) throws(MintingError) -> EvidenceRecord {
        try self.mint(mint).record(
            id: id, app: app, receivedAt: mint.time, expect: outcome.expectation("approov"))
    }
}

/// A measurement proof that differs from a genuine one in one respect.
package struct ProofCase: VectorCase {
    let id: String
    let app: String
    let outcome: VectorOutcome
    /// Whether the measurements are in a token.
    let hasToken: Bool
    let changeToken: (inout ApproovTokenBlueprint) -> Void
    let change: (inout ApproovProofBlueprint) -> Void

    init(
        _ id: String, app: String = "api", _ outcome: VectorOutcome, hasToken: Bool = false,
        changeToken: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in },
        change: @escaping (inout ApproovProofBlueprint) -> Void = { _ in }
    ) {
        self.id = "proof-\(id)"
        self.app = app
        self.outcome = outcome
        self.hasToken = hasToken
        self.changeToken = changeToken
        self.change = change
    }

    package func record(_ mint: ApproovVectorMint) throws(MintingError) -> EvidenceRecord {
        var source: ApproovProofBlueprint.Source?
        if hasToken {
            var token = mint.token(id)
            token.claims.measure(mint.measurements)
            changeToken(&token)
            source = .token(try token.mint().token)
        }
        var blueprint = ApproovProofBlueprint(
            integrityOf: mint.measurements, nonce: mint.nonce(id), source: source)
        change(&blueprint)
        return blueprint.record(id: id, app: app, receivedAt: mint.time, expect: outcome.expectation("approov"))
    }
}
