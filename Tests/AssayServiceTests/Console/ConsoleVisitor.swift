import Foundation
import Testing

/// A browser of an operator, for the console of a service whose listener of operators is on TCP.
struct ConsoleVisitor {
    typealias Administered = AdministrationTests.Administered

    let site: Administered
    /// The value of `Cookie`; empty without a session.
    var cookie = ""

    init(_ site: Administered) { self.site = site }

    /// Signs in as the operator of a role.
    init(_ site: Administered, as role: String) throws {
        self.site = site
        let answer = try login(try #require(site.tokens[role]))
        try #require(answer.status == 303, "\(answer)")
        cookie = try #require(Self.cookie(answer))
    }

    /// Name and value of the cookie that an answer sets.
    static func cookie(_ answer: HTTPAnswer) -> String? {
        answer["set-cookie"]?.split(separator: ";").first.map(String.init)
    }

    func login(_ token: String, fields: [String] = ConsoleVisitor.ownPage) throws -> HTTPAnswer {
        try post("/console/login", ["token": token], fields: fields)
    }

    /// What a browser sends with a form of the same site.
    static let ownPage = ["Sec-Fetch-Site: same-origin", "Origin: http://\(host)"]
    /// A name of this machine besides `localhost`, from which the console leads away.
    static let host = "assay-test.localhost"

    func get(_ path: String, fields: [String] = [], host: String = ConsoleVisitor.host) throws -> HTTPAnswer {
        try site.service.send(
            "GET", path, type: nil, fields: fields + (cookie.isEmpty ? [] : ["Cookie: \(cookie)"]), port: site.port,
            host: host)
    }

    func post(
        _ path: String, _ values: [String: String], fields: [String] = ConsoleVisitor.ownPage,
        host: String = ConsoleVisitor.host
    ) throws -> HTTPAnswer {
        let allowed = CharacterSet.alphanumerics
        let body = values.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        return try site.service.send(
            "POST", path, type: "application/x-www-form-urlencoded", body: body,
            fields: fields + (cookie.isEmpty ? [] : ["Cookie: \(cookie)"]), port: site.port, host: host)
    }

    /// What the forms of the session carry, from a page that has one.
    func formToken() throws -> String {
        let page = try get("/console/inspect")
        return String(try #require(page.body.firstMatch(of: /name="form" value="([^"]+)"/)).1)
    }

    /// Blocks a device.
    func block(_ name: String, reason: String = "fraud", form: String? = nil) throws -> HTTPAnswer {
        let token = try form ?? formToken()
        return try post(
            "/console/subject/block", ["form": token, "kind": "device", "name": name, "reason": reason, "until": ""])
    }
}
