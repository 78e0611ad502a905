import Assay
import AssayCore
import FoundationEssentials
import Hummingbird

/// `/v1/admin/operators`: what `assay operators` does.
extension Administration {
    var operatorEndpoints: [Endpoint] {
        [
            Endpoint(.get, "/v1/admin/operators", .administration(.read)) { (served) async throws(Problem) in
                try await served.demandNoQuery()
                let now = Date()
                let all = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.operators() }
                return AdminPage.response(all.map { $0.json(at: now) }, next: nil)
            },
            Endpoint(.post, "/v1/admin/operators", .administration(.administer)) { (served) async throws(Problem) in
                try await addOperator(served)
            },
            Endpoint(.delete, "/v1/admin/operators/{name}", .administration(.administer)) {
                (served) async throws(Problem) in
                try await served.demandNoQuery()
                let (name, author, now) = (try served.pathName(), served.calledBy?.name, Date())
                let revoked = try await ledger { (ledger) async throws(LedgerOutage) in
                    try await ledger.revokeOperator(named: name, by: author, at: now)
                }
                guard let revoked else {
                    throw Problem(
                        .notFound, .unknownOperator,
                        "there is no operator \(name.excerpt), or it was revoked before")
                }
                return .json(revoked.revoked(by: author, at: now).json(at: now))
            },
        ]
    }

    /// Adds an operator. The answer has its token, which cannot be shown again.
    private func addOperator(_ served: ServiceRequest) async throws(Problem) -> Response {
        let fields = try await fields(served, ["name", "role", "until"])
        let (name, roleName) = (try fields.text("name"), try fields.text("role"))
        guard let role = OperatorRole(rawValue: roleName) else {
            let roles = OperatorRole.allCases.map(\.rawValue)
            throw fields.problem(
                "role", "expected one of \(roles.joined(separator: ", ")), found \(roleName.excerpt)")
        }
        let (now, creator, token) = (Date(), served.calledBy?.stored, OperatorToken.random())
        // Without an end, a token ends at the latest with that of its creator.
        let standard = now.addingTimeInterval(LedgerRules.operatorLifetime)
        let end = try fields.time("until") ?? min(standard, creator?.until ?? standard)
        let new = LedgerOperator(name: name, role: role, addedAt: now, addedBy: served.calledBy?.name, until: end)
        if let creator, let refusal = LedgerRules.refusal(adding: new, creator: creator) { throw Self.problem(refusal) }
        let refusal = try await ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.addOperator(new, tokenHash: token.hash)
        }
        if let refusal { throw Self.problem(refusal) }
        var object = JSONObject()
        object.add(new)
        object.add("state", text: new.state(at: now).rawValue)
        object.add("token", text: token.text)
        return .json(object.text, .created)
    }

    private static func problem(_ refusal: OperatorRefusal) -> Problem {
        switch refusal {
        case .invalidName: Problem(.unprocessableContent, .invalidName, refusal.description)
        case .endPassed: Problem(.unprocessableContent, .endPassed, refusal.description)
        case .endsAfterCreator: Problem(.unprocessableContent, .endsAfterCreator, refusal.description)
        case .nameTaken: Problem(.conflict, .nameTaken, refusal.description)
        case .tokenTaken: Problem(.conflict, .tokenTaken, refusal.description)
        }
    }
}
