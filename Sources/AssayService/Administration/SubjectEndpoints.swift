import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/subjects`: what `assay ledger` does.
extension Administration {
    private static let kind: JSONFragment = #"{"enum":["key","device","account","issuer"]}"#
    /// The members of the bodies.
    static let (blockFields, unblockFields) = (["kind", "name", "reason", "until"], ["kind", "name"])
    static let (allowFields, moveFields) = (blockFields + ["checks"], ["key", "account"])
    /// The schema of an end to come.
    static let end: JSONFragment = #"{"anyOf":[{"const":"never"},\#(JSONFragment.time.json)]}"#

    var subjectEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/admin/subjects", .administration(.read), "subjects",
                "A subject with its keys and standings; a page of blocks or allowances in force; or counts.",
                parameters: [
                    .query("key", .string("A key ID, base64 of 32 bytes.")), .query("device", .text),
                    .query("account", .text), .query("issuer", .text),
                    .query("list", #"{"enum":["blocks","allowances"]}"#),
                ] + AdminPage.parameters, subjects),
            Endpoint(
                .post, "/v1/admin/subjects/block", .administration(.change), "blockSubject",
                "Blocks a subject, in place of a block or an allowance. Without until it has no end.",
                body: .json(
                    ["kind": Self.kind, "name": .text, "reason": .text, "until": Self.end], required: 3)
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, Self.blockFields)
                return .json(LedgerEntry.block(try await block(fields, by: served.calledBy?.name)).json)
            },
            Endpoint(
                .post, "/v1/admin/subjects/unblock", .administration(.change), "unblockSubject",
                "Removes the block of a subject. An allowance stays.",
                body: .json(["kind": Self.kind, "name": .text], required: 2), problems: [404]
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, Self.unblockFields)
                return .json(try await remove(.block, fields, by: served.calledBy?.name).entryJSON)
            },
            Endpoint(
                .post, "/v1/admin/subjects/disallow", .administration(.change), "disallowSubject",
                "Removes the allowance of a subject. A block stays.",
                body: .json(["kind": Self.kind, "name": .text], required: 2), problems: [404]
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, Self.unblockFields)
                return .json(try await remove(.allowance, fields, by: served.calledBy?.name).entryJSON)
            },
            Endpoint(
                .post, "/v1/admin/subjects/allow", .administration(.change), "allowSubject",
                "Annotates failures of policy checks instead of enforcing them, for 30 days without until.",
                body: .json(
                    [
                        "kind": Self.kind, "name": .text, "reason": .text, "until": Self.end,
                        "checks": #"{"type":"array","items":{"type":"string"}}"#,
                    ], required: 3), problems: [409]
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, Self.allowFields)
                return .json(LedgerEntry.allowance(try await allow(fields, by: served.calledBy?.name)).json)
            },
            Endpoint(
                .post, "/v1/admin/subjects/move", .administration(.change), "moveKey",
                "Gives an enrolled key to another account, or to none.",
                body: .json(
                    ["key": .text, "account": #"{"type":["string","null"],"minLength":1,"maxLength":255}"#],
                    required: 2), problems: [404]
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, Self.moveFields)
                let moved = try await move(fields, by: served.calledBy?.name)
                let (account, former) = (moved.account, moved.before.account)
                return .json(
                    JSONObject(["key": moved.key.name, "account": account, "formerAccount": former]).text)
            },
        ]
    }

    /// A subject with its keys and standings, a page of standings, or the counts of the ledger.
    private func subjects(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let kinds = LedgerSubject.Kind.allCases.map(\.rawValue)
        let query = try served.query(kinds + ["list"] + AdminPage.names)
        let given = kinds.filter { query[$0] != nil } + (query["list"] == nil ? [] : ["list"])
        guard given.count <= 1 else {
            throw ServiceRequest.queryProblem(given[1], "\(given.joined(separator: " and ")) exclude each other")
        }
        let page = try AdminPage(query)
        guard query["list"] != nil || query["limit"] == nil && query["cursor"] == nil else {
            throw ServiceRequest.queryProblem("limit", "limit and cursor are for list")
        }
        if let list = query["list"] { return try await standings(list, page) }
        guard let kind = given.first, let name = query[kind] else { return try await summary() }
        let subject: LedgerSubject
        do { subject = try Self.subject(kind, name) } catch { throw ServiceRequest.queryProblem(kind, error.message) }
        let (keys, standings) = try await lookUp(subject, at: Date())
        return .json(subject.json(keys: keys, standings: standings))
    }

    /// The keys of a subject, and its standing at a time.
    func lookUp(
        _ subject: LedgerSubject, at now: Date
    ) async throws(Problem) -> (keys: [EnrolledKey], standings: [LedgerStanding]) {
        try await ledger { (ledger) async throws(LedgerOutage) in
            var keys: [EnrolledKey] = []
            switch subject.kind {
            case .key:
                if let bytes = AnyBase64.decode(subject.name), let key = try await ledger.enrolledKey(withID: bytes) {
                    keys = [key]
                }
            case .account: keys = try await ledger.keys(of: subject.name)
            case .device, .issuer: break
            }
            return (keys, try await ledger.standings(of: [subject], at: now))
        }
    }

    private func summary() async throws(Problem) -> Response {
        let summary = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.summary(at: Date()) }
        var object = JSONObject()
        object.add(summary)
        return .json(object.text)
    }

    private func standings(_ list: String, _ page: AdminPage) async throws(Problem) -> Response {
        guard ["blocks", "allowances"].contains(list) else {
            throw ServiceRequest.queryProblem("list", "expected blocks or allowances, found \(list.excerpt)")
        }
        let after = try page.subject()
        let now = Date()
        let all = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.standings() }
        let rest = all.lazy.filter { standing in
            standing.isInForce(at: now) && (standing.block != nil) == (list == "blocks")
                && (after.map { $0.precedes(standing.subject) } ?? true)
        }
        let found = Array(rest.prefix(page.limit + 1))
        let shown = found.prefix(page.limit)
        let next = found.count > page.limit ? shown.last.map { AdminPage.cursor($0.subject) } : nil
        return AdminPage.response(shown.map(\.entryJSON), next: next)
    }

    /// Blocks the subject of `fields` in the name of an operator.
    func block(_ fields: AdminFields, by author: String?) async throws(Problem) -> LedgerBlock {
        let subject = try fields.subject()
        if let objection = subject.objectionToName { throw fields.problem("name", objection) }
        let now = Date()
        let block = LedgerBlock(
            subject: subject, reason: try fields.text("reason"), since: now,
            until: try fields.end("until", after: now) ?? nil, setBy: author)
        try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.block(block) }
        return block
    }

    /// Removes the block or the allowance of the subject of `fields`, and returns it.
    func remove(
        _ kind: LedgerStanding.Kind, _ fields: AdminFields, by author: String?
    ) async throws(Problem) -> LedgerStanding {
        let (subject, now) = (try fields.subject(), Date())
        let (removed, other) = try await ledger { (ledger) async throws(LedgerOutage) in
            let removed = try await ledger.removeStanding(of: subject, only: kind, by: author, at: now)
            return (removed, removed == nil ? try await ledger.standings(of: [subject], at: now).first : nil)
        }
        if let removed { return removed }
        throw Problem(
            .notFound, .noStanding,
            "there was no \(kind.rawValue) of \(subject.description.excerpt)"
                + (other.map { ": \($0.sentence)" } ?? ""))
    }

    /// Allows failures of checks for the subject of `fields`.
    func allow(_ fields: AdminFields, by author: String?) async throws(Problem) -> LedgerAllowance {
        let subject = try fields.subject()
        if let objection = subject.objectionToName { throw fields.problem("name", objection) }
        guard subject.kind != .issuer else {
            throw fields.problem("kind", "an issuer cannot be allowed: name it in the policy")
        }
        let checks: [CheckID]
        let names = try fields.texts("checks")
        do throws(LedgerAllowance.Objection) {
            checks = try LedgerAllowance.checks(named: names, of: subject.kind, among: .standard)
        } catch {
            throw fields.problem("checks", error.message(for: "checks"))
        }
        let now = Date()
        let standard = now.addingTimeInterval(LedgerAllowance.standardLifetime)
        let allowance = LedgerAllowance(
            subject: subject, checks: checks, reason: try fields.text("reason"), since: now,
            until: try fields.end("until", after: now) ?? standard, setBy: author)
        let block = try await ledger { (ledger) async throws(LedgerOutage) in try await ledger.allow(allowance) }
        if let block {
            throw Problem(
                .conflict, .subjectBlocked,
                "\(block.sentence). A subject has a block or an allowance: remove the block first")
        }
        return allowance
    }

    /// Gives the key of `fields` to their account, which is nil for none. Returns also the key before the move.
    func move(
        _ fields: AdminFields, by author: String?
    ) async throws(Problem) -> (key: LedgerSubject, account: String?, before: EnrolledKey) {
        let name = try fields.text("key")
        let subject: LedgerSubject
        do { subject = try Self.subject("key", name) } catch { throw fields.problem("key", error.message) }
        var account: String?
        // The object itself: `null`, which counts as absent elsewhere, is a value here.
        switch fields.fields.object["account"]?.content {
        case .null: break
        case nil: throw fields.problem("account", "the field is missing: a name, or null for no account")
        default:
            account = try fields.text("account")
            guard account?.utf8.count ?? 0 <= 255 else { throw fields.problem("account", "expected at most 255 bytes") }
        }
        let (target, identifier) = (account, AnyBase64.decode(name) ?? [])
        let before = try await ledger { (ledger) async throws(LedgerOutage) -> EnrolledKey? in
            guard let key = try await ledger.enrolledKey(withID: identifier) else { return nil }
            return try await ledger.move(key.identifier, to: target, by: author, at: Date())
        }
        guard let before else { throw Problem(.notFound, .unknownKey, "the ledger has no key \(subject.name)") }
        return (subject, account, before)
    }

    /// Why a kind and a name are no subject.
    struct SubjectError: Error {
        let field: String
        let message: String
    }

    /// Reads a subject. A key ID is base64 of 32 bytes, in either alphabet.
    static func subject(_ kind: String, _ name: String) throws(SubjectError) -> LedgerSubject {
        guard let known = LedgerSubject.Kind(rawValue: kind) else {
            let kinds = LedgerSubject.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw SubjectError(field: "kind", message: "expected one of \(kinds), found \(kind.excerpt)")
        }
        guard known == .key else { return LedgerSubject(known, name) }
        guard let bytes = AnyBase64.decode(name), bytes.count == 32 else {
            throw SubjectError(field: "name", message: "a key ID is base64 of 32 bytes, found \(name.excerpt)")
        }
        return LedgerSubject(keyID: bytes)
    }
}

extension AdminFields {
    /// The subject in `kind` and `name`.
    fileprivate func subject() throws(Problem) -> LedgerSubject {
        let (kind, name) = (try text("kind"), try text("name"))
        do { return try Administration.subject(kind, name) } catch { throw problem(error.field, error.message) }
    }
}
