import Assay
import AssayCore
import AssayReplay
import FoundationEssentials
import HTTPTypes
import Logging

/// Where operators sign in with their token.
extension Console {
    /// How long the form of a login may take, in seconds.
    private static let loginTime = 5.0

    func toLogin(_ served: ServiceRequest) -> Response {
        let had = Self.sessionID(served.request) != nil
        var response = ConsoleLayout.redirect(Self.path + "/login" + (had ? "?ended" : ""))
        response.isLast = served.request.method == .post
        return response
    }

    func loginPage(
        _ isEnded: Bool, problem: String? = nil, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) -> Response {
        let text =
            problem ?? (isEnded ? "Your session has ended: it was idle, or your token has ended or was revoked." : nil)
        let notice: Markup = text.map { "<p class=\"alert\" role=\"alert\">\($0)</p>" } ?? ""
        let page = ConsolePage(
            title: "Sign in",
            content: """
                \(notice)<form method="post" action="/console/login">\
                <input type="text" name="user" value="operator" autocomplete="username" aria-label="Operator" hidden="hidden"/><label>Token of an operator \
                <input type="password" name="token" autocomplete="current-password" required="required" maxlength="200"/></label>\
                <button>Sign in</button></form>
                <p class="muted">An administrator makes one with <code>assay operators add NAME --role viewer</code>.</p>
                """)
        return response(page, nil, "", status, fields)
    }

    func logIn(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        if isUnix {
            var response = ConsoleLayout.redirect(Self.path)
            response.isLast = true
            return response
        }
        try Self.requireOwnPage(served.request)
        // Nobody is known yet, so a body may not hold its place for long.
        let values = try await served.form(
            ["user", "token"], upTo: 4096, within: min(Self.loginTime, administration.configuration.limits.bodyTime))
        let text = (values["token"] ?? "").trimmingPrefix { $0 == " " }.prefix { $0 != " " }
        let found = try await administration.ledger { (ledger) async throws(LedgerOutage) in
            try await ledger.authenticate(String(text), at: Date())
        }
        guard let found, let token = OperatorToken(String(text)) else {
            // A right token is 256 random bits: only wrong ones wait, and no guess keeps an operator out.
            let (failures, hasWaited) = await delay.wait()
            logger.warning(
                "console login refused",
                metadata: [
                    "assay.requestId": "\(served.id)", "assay.failures": .stringConvertible(failures),
                    "assay.problem": "the token is not that of an active operator",
                ])
            served.note.problem = ProblemCode.tokenRequired.rawValue
            guard hasWaited else {
                return loginPage(
                    false, problem: "Too many logins fail at present. Try again later.", .tooManyRequests,
                    [.retryAfter: "5"])
            }
            return loginPage(
                false,
                problem: "The token is not that of an active operator: it is mistyped, has ended or was revoked.",
                .forbidden)
        }
        // No right of the console goes with the role of callers.
        guard found.role.rights.contains(.read) else {
            throw Problem(
                .forbidden, .roleNotAllowed, "the token has the role \(found.role.rawValue), which reads nothing")
        }
        if let former = Self.sessionID(served.request) { sessions.end(former) }
        served.note.caller = found.name
        logger.notice("console login", metadata: ["assay.requestId": "\(served.id)", "assay.caller": "\(found.name)"])
        let id = sessions.begin(token.hash)
        return ConsoleLayout.redirect(Self.path, [.setCookie: "\(Self.cookie)=\(id)\(Self.cookieRules)"])
    }
}
