import AssayCore
import AssayPrimitives
import AssayReplay
import FoundationEssentials
import HTTPTypes
import Logging

/// A site for operators with a browser, in the listener of operators: what the API of administration does, for people.
///
/// On TCP addresses operators sign in with their token. On a unix socket the mode of its file decides, as for the API.
struct Console: Sendable {
    static let path = "/console"
    /// The longest form, in bytes: a blob and a policy with each byte in percent-encoding.
    private static let formLimit = 2 << 20
    /// `__Host-`: sent to this host alone, and set by no other. Browsers take it from loopback addresses without TLS, too.
    static let cookie = "__Host-assay"
    static let cookieRules = "; Path=/; Secure; HttpOnly; SameSite=Strict"

    let administration: Administration
    let isUnix: Bool
    /// Whether visitors of `localhost` get a name of their own: not on a unix socket, and not with TLS.
    private let givesNames: Bool
    let logger: Logger
    let sessions = ConsoleSessions()
    let delay = LoginDelay()
    /// Runs inspections and replays.
    let executor = ConsoleExecutor()
    /// What forms carry on a unix socket, where there is no session.
    private let formToken = ConsoleSessions.random()

    private init(_ administration: Administration, isUnix: Bool, logger: Logger) {
        (self.administration, self.isUnix, self.logger) = (administration, isUnix, logger)
        givesNames = !isUnix && administration.configuration.adminCertificate == nil
    }

    // MARK: Endpoints

    /// The endpoints that a configuration asks for, none if it wants no console. They are for people, and in no document of the
    /// API.
    static func endpoints(of administration: Administration, _ logger: Logger) -> [Endpoint] {
        let isUnix = administration.configuration.admin?.path != nil
        guard administration.configuration.console else { return [] }
        return Console(administration, isUnix: isUnix, logger: logger).endpoints
    }

    /// A page that shows something.
    struct Page: Sendable {
        let path: String
        /// The name in the navigation.
        let name: String
        let right: OperatorRight
        let parameters: [String]
        let make: @Sendable (ConsoleVisit) async throws(Problem) -> ConsolePage
    }

    /// A form that changes something, or whose content is too long or too secret for an address.
    struct Form: Sendable {
        let path: String
        let right: OperatorRight
        let fields: [String]
        let act: @Sendable (ConsoleVisit) async throws(Problem) -> FormAnswer
    }

    /// What follows on a form.
    enum FormAnswer: Sendable {
        case page(ConsolePage)
        case redirect(String)
    }

    /// All pages, in the order of the navigation.
    var pages: [Page] {
        [
            overviewPage, appPage, refusalsPage, subjectPage, policyPage, inspectPage, keysPage, auditPage,
            capturesPage,
            checksPage,
        ]
    }

    private var forms: [Form] { subjectForms + policyForms + keyForms + [inspectForm] }

    private var endpoints: [Endpoint] {
        let assets = [
            (ConsoleAssets.style, "text/css", "/style.css"), (ConsoleAssets.script, "text/javascript", "/console.js"),
            (ConsoleAssets.icon, "image/svg+xml", "/icon.svg"),
        ].map { text, type, name in
            Endpoint(.get, Self.path + name, .all, "console", "A file of the console.") { (_) throws(Problem) in
                ConsoleLayout.response(text, type)
            }
        }
        return pages.map { endpoint($0) } + forms.map { endpoint($0) } + assets + [
            Endpoint(.get, Self.path + "/login", .all, "console", "Where operators sign in.") {
                (served) throws(Problem) in
                if isUnix { return ConsoleLayout.redirect(Self.path) }
                return toOwnHost(served.request) ?? loginPage(served.request.head.target.hasSuffix("?ended"))
            },
            Endpoint(.post, Self.path + "/login", .all, "console", "Begins a session.") {
                (served) async throws(Problem) in try await orProblem(&served, logIn)
            },
            Endpoint(.post, Self.path + "/logout", .all, "console", "Ends a session.") {
                (served) async throws(Problem) in
                try await orProblem(&served) { (served) async throws(Problem) in
                    _ = try await form(&served, [])
                    if let id = Self.sessionID(served.request) { sessions.end(id) }
                    return ConsoleLayout.redirect(
                        Self.path + "/login", [.setCookie: "\(Self.cookie)=; Max-Age=0\(Self.cookieRules)"])
                }
            },
        ]
    }

    private func endpoint(_ page: Page) -> Endpoint {
        Endpoint(.get, page.path, .all, "console", page.name) {
            (served) async throws(Problem) in
            try await orProblem(&served) { (served) async throws(Problem) in
                guard var visit = try await visit(&served) else { return toLogin(served) }
                try require(page.right, visit)
                visit.values = try served.query(page.parameters, mayBeEmpty: true)
                return response(try await page.make(visit), visit, page.path)
            }
        }
    }

    private func endpoint(_ form: Form) -> Endpoint {
        Endpoint(.post, form.path, .all, "console", "A form of the console.") { (served) async throws(Problem) in
            try await orProblem(&served) { (served) async throws(Problem) in
                guard let visit = try await self.form(&served, form.fields) else { return toLogin(served) }
                try require(form.right, visit)
                switch try await form.act(visit) {
                case .page(let page): return response(page, visit, form.path)
                case .redirect(let path): return ConsoleLayout.redirect(path)
                }
            }
        }
    }

    func response(
        _ page: ConsolePage, _ visit: ConsoleVisit?, _ path: String, _ status: HTTPResponse.Status = .ok,
        _ fields: HTTPFields = [:]
    ) -> Response {
        let links = pages.compactMap { page in
            visit?.rights.contains(page.right) ?? false ? (page.path, page.name) : nil
        }
        return ConsoleLayout.response(page, visit, path: path, links: links, status, fields)
    }

    /// A part of a page that needs the ledger or the key store; in an outage, what the outage is.
    func orOutage(_ part: () async throws(Problem) -> Markup) async throws(Problem) -> Markup {
        do throws(Problem) { return try await part() } catch {
            guard let outage = error.uncounted else { throw error }
            administration.dependencies.metrics.count(outage)
            return "<p class=\"alert\" role=\"alert\">\(error.detail)</p>"
        }
    }

    /// Answers a problem with a page.
    private func orProblem(
        _ served: inout ServiceRequest, _ answer: (inout ServiceRequest) async throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        if let response = toOwnHost(served.request) { return response }
        do throws(Problem) { return try await answer(&served) } catch {
            if let outage = error.uncounted { administration.dependencies.metrics.count(outage) }
            served.note.problem = error.code.rawValue
            if error.status.code >= 500 { served.note.detail = error.logDetail ?? error.detail }
            // In an outage of the ledger, the operator of a session is not known.
            let visitor = isUnix || error.status.code < 500 ? try? await visit(&served) : nil
            let place = error.place.map { $0.field.isEmpty ? "" : "\($0.field): " } ?? ""
            let page = ConsolePage(
                title: error.status.reasonPhrase,
                content: """
                    <p class="alert" role="alert">\(place)\(error.detail)</p><p>\(error.code.meaning)</p>\
                    <p><a href="/console">Overview</a></p>
                    """)
            var response = response(page, visitor, "", error.status, error.headers)
            // The rest of a form that was refused unread is no request.
            response.isLast = served.request.method == .post
            return response
        }
    }

    // MARK: Who asks

    /// Leads a browser from `localhost` and from addresses to a name that only it knows; nil for other names.
    ///
    /// Browsers send cookies to every port of a host, whoever listens there: a program of this machine that knows the name could lead
    /// the browser to a port of its own. All names below `localhost` are this machine.
    private func toOwnHost(_ request: Request) -> Response? {
        guard givesNames, let authority = request.head.authority else { return nil }
        let host = SiteRules.host(of: authority)
        guard host == "localhost" || IPAddress(host) != nil else { return nil }
        let port = authority.hasPrefix("[") ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
        let isForm = request.method == .post
        let target = isForm ? Self.path + "/login" : request.head.target
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        var response = ConsoleLayout.redirect("http://assay-\(number).localhost\(port)\(target)")
        response.isLast = isForm
        return response
    }

    /// The visitor; nil without a session, or after the operator was revoked.
    private func visit(_ served: inout ServiceRequest) async throws(Problem) -> ConsoleVisit? {
        if isUnix {
            let name = await UnixSocket.peerName(served.channel)
            served.note.caller = name
            return ConsoleVisit(
                caller: Caller(name: name, stored: nil), rights: Set(OperatorRight.allCases), formToken: formToken,
                hasSession: false)
        }
        // The script loads open pages again, which is no use of the session.
        let isUse = served.request.headers[values: .secFetchDest].first != "empty"
        guard let id = Self.sessionID(served.request), let session = sessions.session(id, isUse: isUse) else {
            return nil
        }
        let found = try await administration.ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.liveOperator(tokenHash: session.tokenHash, at: Date())
        }
        guard let found else {
            sessions.end(id)
            return nil
        }
        served.note.caller = found.name
        return ConsoleVisit(
            caller: Caller(name: found.name, stored: found), rights: found.role.rights, formToken: session.formToken,
            hasSession: true)
    }

    private func require(_ right: OperatorRight, _ visit: ConsoleVisit) throws(Problem) {
        guard !visit.rights.contains(right) else { return }
        let roles = OperatorRole.allCases.filter { $0.rights.contains(right) }.map(\.rawValue)
        throw Problem(
            .forbidden, .roleNotAllowed,
            "your role does not have this right; allowed are \(roles.joined(separator: ", "))")
    }

    /// The visitor with the values of a form; nil without a session. The form must be one of a page of the session.
    private func form(_ served: inout ServiceRequest, _ names: [String]) async throws(Problem) -> ConsoleVisit? {
        try Self.requireOwnPage(served.request)
        guard try await visit(&served) != nil else { return nil }
        let values = try await served.form(
            ["form"] + names, upTo: Self.formLimit, within: administration.configuration.limits.bodyTime)
        // The session or the operator's token may have ended while the form arrived.
        guard var visit = try await visit(&served) else { return nil }
        visit.values = values
        guard Self.isEqual(visit.values["form"] ?? "", visit.formToken) else {
            throw Problem(
                .forbidden, .crossSite,
                "the form is not one of your session: another operator has signed in with this browser, or the session has ended; open the page again"
            )
        }
        return visit
    }

    /// Demands that a browser says which page sends a form. `SiteRules` has compared what it says.
    static func requireOwnPage(_ request: Request) throws(Problem) {
        guard request.headers[values: .origin].isEmpty, request.headers[values: .secFetchSite].isEmpty else { return }
        throw Problem(
            .forbidden, .crossSite,
            "the request has neither Origin nor Sec-Fetch-Site: forms are for browsers, and programs use /v1/admin")
    }

    /// Compares digests, whose comparison says nothing about the texts.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        Digest.sha256(Array(left.utf8)) == Digest.sha256(Array(right.utf8))
    }

    /// Nil for none, and for several: another program of the host may have set one of them.
    static func sessionID(_ request: Request) -> String? {
        let all = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.trimmingPrefix { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookie ? String(parts[1]) : nil
        }
        return all.count == 1 ? all[0] : nil
    }
}

extension ServiceRequest {
    /// Reads a form of a page (`application/x-www-form-urlencoded`): each of these fields at most once, and no others. The line
    /// breaks of browsers become line feeds.
    func form(_ names: [String], upTo limit: Int, within seconds: Double) async throws(Problem) -> [String: String] {
        let type = "application/x-www-form-urlencoded"
        guard request.mediaType == type else { throw Problem.mediaType(request.mediaType, type) }
        let bytes = try await wholeBody(upTo: limit, within: seconds)
        // A million fields would take many times the memory of their text.
        guard bytes.count(where: { $0 == UInt8(ascii: "&") }) <= names.count else { throw Self.foreignForm }
        var found: [String: String] = [:]
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String(decoding: $0.map { $0 == 0x2B ? 0x20 : $0 }, as: UTF8.self).percentDecoded }
            guard let first = texts.first, let name = first, names.containsBytes(of: name),
                let value = texts.count > 1 ? texts[1] : "", !value.utf8.contains(0),
                found.updateValue(value.replacing("\r\n", with: "\n"), forKey: name) == nil
            else { throw Self.foreignForm }
        }
        return found
    }

    private static var foreignForm: Problem {
        Problem(.badRequest, .unreadableRequest, "the form is not that of the page: open it again")
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest") ?? .origin
}
