import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/operators`: what `assay operators` does.
extension Administration {
    /// The members of the body that adds an operator.
    static let operatorFields = ["name", "role", "until"]

    var operatorEndpoints: [Endpoint] {
        let roles = JSONText.array(OperatorRole.allCases.map { JSONText.string($0.rawValue) })
        return [
            Endpoint(
                .get, "/v1/admin/self", .administration(.read), "self",
                "Who asks: the operator whose token was sent, with its role; on a unix socket the peer, which has all rights.",
                content: .json(["name": .text, "role": #"{"enum":\#(roles)}"#], required: 1)
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                let caller = served.calledBy
                return .json(JSONObject(["name": caller?.name ?? "", "role": caller?.stored?.role.rawValue]).text)
            },
            Endpoint(
                .get, "/v1/admin/operators", .administration(.read), "operators", "The operators, in any state.",
                content: AdminPage.content
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                let now = Date()
                let all = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.operators() }
                return AdminPage.response(all.map { $0.json(at: now) }, next: nil)
            },
            Endpoint(
                .post, "/v1/admin/operators", .administration(.administer), "addOperator",
                "Adds an operator. The answer has its token, once. It ends no later than that of its creator.",
                body: .json(
                    [
                        "name": .text, "role": #"{"enum":["caller","pipeline","viewer","operator","admin"]}"#,
                        "until": .time,
                    ],
                    required: 2), success: 201, problems: [409, 422], addOperator),
            Endpoint(
                .delete, "/v1/admin/operators/{name}", .administration(.administer), "revokeOperator",
                "Revokes the token of an operator, and with descendants=true those of the operators that it added.",
                parameters: [.query("descendants", #"{"type":"string","enum":["true","false"]}"#), .pathName],
                problems: [404], revokeOperator),
        ]
    }

    /// Revokes an operator. With `descendants=true` the answer has also the operators that it added, as `descendants`.
    private func revokeOperator(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let given = try served.query(["descendants"])["descendants"]
        guard given.map({ ["true", "false"].containsBytes(of: $0) }) ?? true else {
            throw ServiceRequest.queryProblem("descendants", "expected true or false")
        }
        let (name, author, now) = (try served.pathName(), served.calledBy?.name, Date())
        let withDescendants = given?.isByteEqual(to: "true") ?? false
        let revoked = try await revokeOperator(name, withDescendants: withDescendants, by: author, at: now)
        var object = JSONObject()
        let own = revoked.first { $0.name.isByteEqual(to: name) }
        if let own {
            let shown = own.revoked(by: author, at: now)
            object.add(shown)
            object.add("state", text: shown.state(at: now).rawValue)
        }
        if withDescendants {
            let descendants = revoked.dropFirst(own == nil ? 0 : 1)
            object.add(
                "descendants",
                raw: JSONText.array(descendants.map { $0.revoked(by: author, at: now).json(at: now) }))
        }
        return .json(object.text)
    }

    /// Revokes an operator, and with `withDescendants` those that it added. Returns them as they were.
    func revokeOperator(
        _ name: String, withDescendants: Bool, by author: String?, at now: Date
    ) async throws(Problem) -> [LedgerOperator] {
        let revoked = try await ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.revokeOperator(named: name, withDescendants: withDescendants, by: author, at: now)
        }
        guard revoked.isEmpty else { return revoked }
        let others = withDescendants ? ", and so was every operator that it added" : ""
        throw Problem(
            .notFound, .unknownOperator, "there is no operator \(name.excerpt), or it was revoked before\(others)")
    }

    /// Adds an operator. The answer has its token, which cannot be shown again.
    private func addOperator(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let (new, token) = try await addOperator(fields(served, Self.operatorFields), by: served.calledBy)
        var object = JSONObject()
        object.add(new)
        object.add("state", text: new.state(at: new.addedAt).rawValue)
        object.add("token", text: token.text)
        return .json(object.text, .created)
    }

    /// Adds the operator of `fields`, which ends no later than its creator. Returns it with its token, which cannot be read again.
    func addOperator(
        _ fields: AdminFields, by caller: Caller?
    ) async throws(Problem) -> (LedgerOperator, OperatorToken) {
        let (name, roleName) = (try fields.text("name"), try fields.text("role"))
        guard let role = OperatorRole(rawValue: roleName) else {
            let roles = OperatorRole.allCases.map(\.rawValue)
            throw fields.problem(
                "role", "expected one of \(roles.joined(separator: ", ")), found \(roleName.excerpt)")
        }
        let (now, creator, token) = (Date(), caller?.stored, OperatorToken.random())
        // Without an end, a token ends at the latest with that of its creator.
        let standard = now.addingTimeInterval(LedgerRules.operatorLifetime)
        let end = try fields.time("until") ?? min(standard, creator?.until ?? standard)
        let new = LedgerOperator(name: name, role: role, addedAt: now, addedBy: caller?.name, until: end)
        if let creator, let refusal = LedgerRules.refusal(adding: new, creator: creator) { throw Self.problem(refusal) }
        let refusal = try await ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.addOperator(new, tokenHash: token.hash)
        }
        if let refusal { throw Self.problem(refusal) }
        if let creator { try await requireLive(creator, afterAdding: new) }
        return (new, token)
    }

    /// Revokes a new operator whose creator was revoked before it was stored: a revocation with descendants has not seen it.
    private func requireLive(_ creator: LedgerOperator, afterAdding new: LedgerOperator) async throws(Problem) {
        let all = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.operators() }
        let isLive = all.contains {
            $0.name.isByteEqual(to: creator.name) && $0.addedAt == creator.addedAt && $0.state(at: Date()) == .live
        }
        guard !isLive else { return }
        _ = try await revokeOperator(new.name, withDescendants: false, by: new.addedBy, at: Date())
        throw Problem(
            .unauthorized, .tokenRequired,
            "your token has ended or was revoked while the operator was added, and the new one is revoked too")
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
