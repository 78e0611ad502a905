import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/builds`: what `assay builds` does.
extension Administration {
    /// The most builds of one request.
    private static let buildsOfRequest = 500
    private static let buildText: JSONFragment =
        .string(min: 1, max: 512, "apple:APP-ID@BUNDLE-VERSION or android:PACKAGE@VERSION-CODE[@CERTIFICATE-SHA256].")

    var buildEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/admin/builds", .administration(.read), "builds",
                "A page of the admitted builds, with all=true also of those whose admission has ended.",
                parameters: [.query("app", .text), .query("all", #"{"type":"string","enum":["true","false"]}"#)]
                    + AdminPage.parameters, content: AdminPage.content, builds),
            Endpoint(
                .post, "/v1/admin/builds", .administration(.admit), "admitBuilds",
                "Admits builds, all or none, or renews their admission: the later of two ends holds.",
                body: .json(
                    [
                        "builds":
                            #"{"type":"array","minItems":1,"maxItems":\#(Self.buildsOfRequest),"items":\#(Self.buildText.json)}"#,
                        "reason": .text, "name": .text, "until": Self.end,
                    ], required: 2), content: AdminPage.content, problems: [409, 422]
            ) { (served) async throws(Problem) in
                let fields = try await fields(served, ["builds", "reason", "name", "until"])
                return AdminPage.response(try await admit(fields, by: served.calledBy?.name).map(\.json), next: nil)
            },
            Endpoint(
                .delete, "/v1/admin/builds", .administration(.administer), "removeBuilds",
                "Removes the builds of an app that were admitted last before a time; count says how many they are.",
                parameters: [
                    .query("app", .text), .query("admittedBefore", .time),
                    .query("count", #"{"type":"integer","minimum":1}"#),
                ], content: AdminPage.content, problems: [409], removeBuilds),
            Endpoint(
                .delete, "/v1/admin/builds/{name}", .administration(.change), "removeBuild",
                "Removes a build. Administrators also remove one that another operator has admitted without an end.",
                parameters: [.pathName], problems: [404]
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                return .json(try await removeBuild(try served.pathName(), by: served.calledBy).json)
            },
        ]
    }

    private func register<Result: Sendable>(
        _ body: (LedgerRegister<AdmittedBuilds>) async throws(LedgerOutage) -> Result
    ) async throws(Problem) -> Result {
        try await ledger { (ledger) async throws(LedgerOutage) in try await body(LedgerRegister(in: ledger)) }
    }

    private func builds(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let query = try served.query(["app", "all"] + AdminPage.names)
        guard query["all"].map({ ["true", "false"].containsBytes(of: $0) }) ?? true else {
            throw ServiceRequest.queryProblem("all", "expected true or false")
        }
        let page = try AdminPage(query)
        let (isAll, now) = (query["all"] == "true", Date())
        // The cursor is the text of the last build.
        if let cursor = page.cursor, (try? AppBuild(cursor)) == nil { throw AdminPage.unknownCursor }
        let after = page.cursor.map { Array($0.utf8) } ?? []
        let stored = try await register { (register) async throws(LedgerOutage) in try await register.content() }
        let rest = stored.all.lazy.filter { admission in
            (isAll || admission.isInForce(at: now))
                && (query["app"].map { admission.build.app.isByteEqual(to: $0) } ?? true)
                && after.lexicographicallyPrecedes(admission.build.description.utf8)
        }
        let found = Array(rest.prefix(page.limit + 1))
        let shown = found.prefix(page.limit)
        return AdminPage.response(
            shown.map(\.json), next: found.count > page.limit ? shown.last?.build.description : nil)
    }

    private func admit(_ fields: AdminFields, by author: String?) async throws(Problem) -> [AdmittedBuild] {
        let texts = try fields.texts("builds")
        guard (1...Self.buildsOfRequest).contains(texts.count) else {
            throw fields.problem("builds", "expected 1 to \(Self.buildsOfRequest) builds, found \(texts.count)")
        }
        let (reason, name, now) = (try fields.text("reason"), try fields.optionalText("name"), Date())
        for (field, text) in [("reason", reason), ("name", name)] {
            if let objection = text.flatMap(AdmittedBuild.objection) { throw fields.problem(field, objection) }
        }
        let until = try fields.end("until", after: now) ?? nil
        var admissions: [AdmittedBuild] = []
        for text in texts {
            let build: AppBuild
            do { build = try AppBuild(text) } catch { throw fields.problem("builds", error.description) }
            admissions.append(
                AdmittedBuild(build, name: name, reason: reason, admittedAt: now, admittedBy: author, until: until))
        }
        let new = admissions
        let result = try await register { (register) async throws(LedgerOutage) in
            try await register.admit(new, by: author, at: now)
        }
        do { return try result.get() } catch { throw Self.problem(error) }
    }

    private func removeBuild(_ text: String, by caller: Caller?) async throws(Problem) -> AdmittedBuild {
        let build: AppBuild
        do { build = try AppBuild(text) } catch {
            throw Problem(.notFound, .unknownBuild, "no build has this name: \(error.description)")
        }
        // On a unix socket the file's mode decides, as about everything.
        let isAdministrator = caller?.stored.map { $0.role.rights.contains(.administer) } ?? true
        let result = try await register { (register) async throws(LedgerOutage) in
            try await register.remove(build, by: caller?.name, mayRemovePermanent: isAdministrator, at: Date())
        }
        do { return try result.get() } catch { throw Self.problem(error) }
    }

    private func removeBuilds(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let query = try served.query(["app", "admittedBefore", "count"])
        func required(_ name: String) throws(Problem) -> String {
            guard let text = query[name] else { throw ServiceRequest.queryProblem(name, "the parameter is missing") }
            return text
        }
        let (app, author) = (try required("app"), served.calledBy?.name)
        guard let time = RFC3339.parse(try required("admittedBefore")) else {
            throw ServiceRequest.queryProblem("admittedBefore", "expected an RFC 3339 time")
        }
        guard let count = Int(try required("count")), count > 0 else {
            throw ServiceRequest.queryProblem("count", "expected the number of builds to remove")
        }
        let result = try await register { (register) async throws(LedgerOutage) in
            try await register.remove(of: app, admittedBefore: time, count: count, by: author, at: Date())
        }
        do { return AdminPage.response(try result.get().map(\.json), next: nil) } catch {
            throw Self.problem(error)
        }
    }

    private static func problem(_ refusal: BuildRefusal) -> Problem {
        switch refusal {
        case .endPassed: Problem(.unprocessableContent, .endPassed, refusal.description)
        case .tooMany: Problem(.conflict, .tooManyBuilds, refusal.description)
        case .unknown: Problem(.notFound, .unknownBuild, refusal.description)
        case .permanent: Problem(.forbidden, .permanentBuild, refusal.description)
        case .differ: Problem(.conflict, .buildsDiffer, refusal.description)
        }
    }
}
