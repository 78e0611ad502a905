import AssayCore
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("Sessions of the console", .timeLimit(.minutes(30)))
struct ConsoleSessionTests {
    private static func site() throws -> ConsoleVisitor.Administered {
        try ConsoleVisitor.Administered("console=on", isOpen: false)
    }

    @Test("Without a session every page leads to the login, and a form does nothing")
    func noSession() throws {
        let stranger = ConsoleVisitor(try Self.site())
        for path in [
            "", "/app", "/refusals", "/subject", "/policy", "/inspect", "/keys", "/audit", "/captures", "/checks",
        ] {
            let answer = try stranger.get("/console\(path)")
            #expect(answer.status == 303 && answer["location"] == "/console/login", "\(path): \(answer)")
        }
        #expect(try stranger.get("/console/login").status == 200)
        // A token in Authorization is none of the console's.
        let token = try #require(stranger.site.tokens["admin"])
        #expect(try stranger.get("/console", fields: ["Authorization: Bearer \(token)"]).status == 303)
        let answer = try stranger.block("d1", form: "any")
        #expect(answer.status == 303 && answer["location"] == "/console/login", "\(answer)")
        #expect(try !stranger.site.trail().contains { $0.contains("block") })
    }

    @Test(
        "Roles are those of the API: callers cannot sign in, viewers read, operators change, administrators check policies"
    )
    func roles() throws {
        let site = try Self.site()
        let refused = try ConsoleVisitor(site).login(try #require(site.tokens["caller"]))
        #expect(refused.status == 403 && refused["set-cookie"] == nil, "\(refused)")
        for (role, block, check) in [("viewer", 403, 403), ("operator", 303, 403), ("admin", 303, 200)] {
            let visitor = try ConsoleVisitor(site, as: role)
            #expect(try visitor.get("/console").status == 200)
            let form = try visitor.formToken()
            #expect(try visitor.block("device of \(role)", form: form).status == block, "\(role)")
            let checked = try visitor.post("/console/policy/check", ["form": form, "policy": "apps: 1"])
            #expect(checked.status == check, "\(role): \(checked)")
            let judged = try visitor.post("/console/inspect", ["form": form, "blob": "e30=", "policy": "apps: 1"])
            // A policy that cannot be used is the administrator's to correct.
            #expect(judged.status == (role == "admin" ? 422 : 403), "\(role): \(judged)")
            let page = try visitor.get("/console/subject?kind=device&name=x")
            #expect(page.body.contains("/console/subject/block") == (block == 303), "\(role): \(page)")
        }
        let trail = try site.trail().filter { $0.contains(" block ") }
        #expect(trail == ["operator-1 block device device of operator", "admin-1 block device device of admin"])
    }

    @Test("A login makes a new session, whatever the browser sent, and ends the former one; logout ends it")
    func fixation() throws {
        let site = try Self.site()
        var planted = ConsoleVisitor(site)
        planted.cookie = "__Host-assay=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let answer = try planted.login(try #require(site.tokens["viewer"]))
        let cookie = try #require(ConsoleVisitor.cookie(answer))
        #expect(cookie != planted.cookie && cookie.hasPrefix("__Host-assay="))
        for rule in ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
            #expect(answer["set-cookie"]?.contains("; \(rule)") ?? false, "\(answer)")
        }
        #expect(try planted.get("/console").status == 303)
        var visitor = ConsoleVisitor(site)
        visitor.cookie = cookie
        #expect(try visitor.get("/console").status == 200)

        // Another login with the same browser: forms of the first tab carry the token of the former session.
        let form = try visitor.formToken()
        let second = try visitor.login(try #require(site.tokens["operator"]))
        #expect(try visitor.get("/console").status == 303)
        visitor.cookie = try #require(ConsoleVisitor.cookie(second))
        let stale = try visitor.block("d1", form: form)
        #expect(stale.status == 403 && stale.body.contains("another operator"), "\(stale)")

        // Of two cookies, none is taken.
        var both = visitor
        both.cookie = "\(cookie); \(visitor.cookie)"
        #expect(try both.get("/console").status == 303)

        let left = try visitor.post("/console/logout", ["form": try visitor.formToken()])
        #expect(left.status == 303 && left["set-cookie"]?.contains("Max-Age=0") ?? false, "\(left)")
        #expect(try visitor.get("/console").status == 303)
        #expect(try !site.trail().contains { $0.contains(" block ") })
    }

    @Test(
        "From localhost and from addresses, which other servers share, visitors are led to a name that no other visitor gets"
    )
    func ownHost() throws {
        let site = try Self.site()
        let stranger = ConsoleVisitor(site)
        var names: Set<String> = []
        for host in ["localhost:\(site.port)", "127.0.0.1:\(site.port)", "[::1]:\(site.port)"] {
            for path in ["/console", "/console/login", "/console/audit?operator=a"] {
                let answer = try stranger.get(path, host: host)
                let location = answer["location"] ?? ""
                #expect(answer.status == 303 && location.hasSuffix(".localhost:\(site.port)\(path)"), "\(answer)")
                names.insert(String(location.dropFirst("http://".count).prefix { $0 != ":" }))
            }
            let login = try stranger.post(
                "/console/login", ["token": try #require(site.tokens["viewer"])],
                fields: ["Sec-Fetch-Site: same-origin", "Origin: http://\(host)"], host: host)
            #expect(login.status == 303 && login["set-cookie"] == nil, "\(login)")
            #expect(login["location"]?.hasSuffix(".localhost:\(site.port)/console/login") ?? false, "\(login)")
        }
        let name = try #require(names.first)
        #expect(
            names.count == 9 && names.allSatisfy { $0.hasPrefix("assay-") && $0.hasSuffix(".localhost") }, "\(names)")
        #expect(try stranger.get("/console/login", host: "\(name):\(site.port)").status == 200)
        #expect(try stranger.get("/console/login", host: "evil.example").status == 403)
    }

    @Test("A console where tokens would be sent in the clear, or without a listener, is refused at the start")
    func clearText() throws {
        func read(_ settings: [(key: String, value: String)]) throws {
            _ = try ServiceConfiguration(
                file: nil, environment: [:], settings: [("policy", "policy.yaml"), ("console", "on")] + settings)
        }
        let tls = [("adminTLS.certificate", "a.pem"), ("adminTLS.privateKey", "a.key")]
        try read([])
        try read([("admin", "unix:admin.sock")])
        try read([("admin", "0.0.0.0:8081")] + tls)
        for address in ["0.0.0.0:8081", "192.0.2.1:8081"] {
            let error = #expect(throws: PolicyError.self) { try read([("admin", address)]) }
            #expect(error?.field == "console" && error?.message.contains("adminTLS") == true, "\(error as Any)")
        }
    }

    @Test("A revocation ends the session at once")
    func revocation() throws {
        let site = try Self.site()
        let visitor = try ConsoleVisitor(site, as: "operator")
        let form = try visitor.formToken()
        #expect(try site.send("DELETE", "/v1/admin/operators/operator-1", as: "admin").status == 200)
        let answer = try visitor.block("d1", form: form)
        #expect(answer.status == 303 && answer["location"] == "/console/login?ended", "\(answer)")
        #expect(try visitor.get("/console").status == 303)
        #expect(try visitor.get("/console/login?ended").body.contains("Your session has ended"))
        #expect(try !site.trail().contains { $0.contains(" block ") })
    }

    @Test("Guessed tokens are refused more slowly each time, and logged without the guess")
    func guessing() throws {
        let visitor = ConsoleVisitor(try Self.site())
        let guess = "assay_" + String(repeating: "A", count: 43)
        let begin = ContinuousClock.now
        for token in [guess, "x", guess] {
            let answer = try visitor.login(token)
            #expect(answer.status == 403 && answer["set-cookie"] == nil, "\(answer)")
        }
        // 0.25, 0.5 and 1 second.
        #expect(ContinuousClock.now - begin > .seconds(1.7))
        let entries = visitor.site.service.entries("console login refused")
        #expect(entries.allSatisfy { $0["assay.problem"] as? String != nil }, "\(entries)")
        #expect(entries.compactMap { $0["assay.failures"] as? Int } == [1, 2, 3], "\(entries)")
        #expect(!visitor.site.service.logText.contains(guess))
        // A right token is taken all the same.
        _ = try ConsoleVisitor(visitor.site, as: "viewer")
        let token = try #require(visitor.site.tokens["viewer"])
        #expect(!visitor.site.service.logText.contains(token))
        #expect(visitor.site.service.entries("console login").count == 1)
    }

    @Test("On a unix socket the login name of the peer acts, with forms of pages alone; it is off without console: on")
    func unix() throws {
        let service = try RunningService("listen=unix:public.sock", "console=on")
        let socket = service.folder.path("admin.sock")
        let page = try service.send("GET", "/console/subject?kind=device&name=d1", type: nil, unix: socket)
        #expect(page.status == 200 && !page.body.contains("Sign out"), "\(page)")
        let form = try #require(page.body.firstMatch(of: /name="form" value="([^"]+)"/)).1
        let type = "application/x-www-form-urlencoded"
        let ownPage = ["Sec-Fetch-Site: same-origin", "Origin: http://localhost"]
        for (token, fields, status) in [
            ("other", ownPage, 403), (String(form), [], 403), (String(form), ownPage, 303),
        ] {
            let answer = try service.send(
                "POST", "/console/subject/block", type: type, body: "form=\(token)&kind=device&name=d1&reason=fraud",
                fields: fields, unix: socket)
            #expect(answer.status == status, "\(answer)")
        }
        let history = try service.send("GET", "/console/audit", type: nil, unix: socket)
        #expect(history.body.contains("<td>\(NSUserName())</td>"), "\(history)")
        // It is off without the key.
        let off = try RunningService("listen=unix:public.sock")
        #expect(try off.send("GET", "/console", type: nil, unix: off.folder.path("admin.sock")).status == 404)
        let tcp = try RunningService("admin=127.0.0.1:0")
        let port = try #require(Int(tcp.admin.split(separator: ":").last ?? ""))
        #expect(try tcp.send("GET", "/console", type: nil, port: port).status == 404)
    }
}
