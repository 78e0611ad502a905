import AssayTestSupport
import Foundation
import Testing

/// An operator's token or session ends while the body of a change still arrives.
@Suite("Ends of tokens and sessions between the first and the last byte of a change", .timeLimit(.minutes(30)))
struct LateRevocationTests {
    /// A request whose last bytes are not sent yet.
    private struct Held {
        private let connection: Connection
        private let rest: String

        init(_ site: ConsoleVisitor.Administered, _ path: String, _ body: String, type: String, _ fields: [String])
            throws
        {
            connection = try Connection(port: site.port)
            let head = [
                "POST \(path) HTTP/1.1", "Host: \(ConsoleVisitor.host)", "Connection: close", "Content-Type: \(type)",
                "Content-Length: \(body.utf8.count)",
            ]
            let begun = String(body.prefix(body.count / 2))
            rest = String(body.dropFirst(begun.count))
            connection.write((head + fields).joined(separator: "\r\n") + "\r\n\r\n" + begun)
        }

        /// A form of the console.
        init(_ visitor: ConsoleVisitor, _ path: String, form: String) throws {
            try self.init(
                visitor.site, "/console\(path)", form, type: "application/x-www-form-urlencoded",
                ConsoleVisitor.ownPage + ["Cookie: \(visitor.cookie)"])
        }

        func sendRest() { connection.write(rest) }

        func answer() -> HTTPAnswer { HTTPAnswer(connection.readToEnd()) }

        func finish() -> HTTPAnswer {
            sendRest()
            return answer()
        }
    }

    @Test("An operator who is revoked meanwhile, with its descendants, leaves no operator, block or retirement behind")
    func revocation() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let forms = [
            try Held(visitor, "/operators/add", form: "form=\(form)&name=eve&role=admin&until="),
            try Held(visitor, "/operators/revoke", form: "form=\(form)&name=viewer-1&confirm=viewer-1"),
            try Held(visitor, "/subject/block", form: "form=\(form)&kind=device&name=d1&reason=fraud"),
        ]
        let token = try #require(site.tokens["admin"])
        let calls = try [
            ("/v1/admin/operators", #"{"name":"mallory","role":"admin"}"#),
            ("/v1/admin/subjects/block", #"{"kind":"device","name":"d2","reason":"fraud"}"#),
        ].map { try Held(site, $0.0, $0.1, type: "application/json", ["Authorization: Bearer \(token)"]) }
        // The heads are read, and their operator is found.
        usleep(300_000)
        let revoked = try site.send("DELETE", "/v1/admin/operators/admin-1?descendants=true", as: "admin")
        #expect(revoked.status == 200, "\(revoked)")
        for form in forms {
            let answer = form.finish()
            #expect(answer.status == 303 && answer["location"] == "/console/login?ended", "\(answer)")
            #expect(!answer.body.contains("assay_"))
        }
        for call in calls {
            let answer = call.finish()
            #expect(answer.status == 401 && answer.json["token"] == nil, "\(answer)")
        }
        #expect(try site.trail().filter { $0.hasPrefix("admin-1 ") } == ["admin-1 revoke-operator operator admin-1"])
    }

    @Test("Of the operators that one adds while it is revoked, with its descendants, none is left")
    func concurrentAdditions() throws {
        let site = try ConsoleVisitor.Administered(isOpen: false)
        let token = try #require(site.tokens["admin"])
        let calls = try (0..<32).map { number in
            try Held(
                site, "/v1/admin/operators", #"{"name":"heir-\#(number)","role":"admin"}"#, type: "application/json",
                ["Authorization: Bearer \(token)"])
        }
        usleep(300_000)
        // The first ones are stored while the revocation is.
        for call in calls.prefix(16) { call.sendRest() }
        let revoked = try site.send("DELETE", "/v1/admin/operators/admin-1?descendants=true", as: "admin")
        #expect(revoked.status == 200, "\(revoked)")
        for call in calls.dropFirst(16) { call.sendRest() }
        for call in calls { _ = call.answer() }
        let operators = try site.send("GET", "/v1/admin/operators", as: "viewer").json["items"] as? [[String: Any]]
        let heirs = try #require(operators).filter { $0["addedBy"] as? String == "admin-1" }
        #expect(heirs.allSatisfy { $0["state"] as? String == "revoked" }, "\(heirs)")
        #expect(try site.send("GET", "/v1/admin/operators", as: "admin").status == 401)
    }

    @Test("A form of a session that is left meanwhile changes nothing")
    func logout() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "operator")
        let form = try visitor.formToken()
        let held = try Held(visitor, "/subject/block", form: "form=\(form)&kind=device&name=d1&reason=fraud")
        usleep(300_000)
        #expect(try visitor.post("/console/logout", ["form": form]).status == 303)
        let answer = held.finish()
        #expect(answer.status == 303 && answer["location"] == "/console/login?ended", "\(answer)")
        #expect(try !site.trail().contains { $0.contains(" block ") })
    }
}
