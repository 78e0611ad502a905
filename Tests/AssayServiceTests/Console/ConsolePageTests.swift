import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Pages of the console", .timeLimit(.minutes(30)))
struct ConsolePageTests {
    /// Verifies an attestation and an assertion, which are accepted, and the assertion again, which is not.
    private static func verify(_ service: RunningService) throws {
        for (record, outcome) in [
            (try Evidence.attestation("first"), "accept"), (try Evidence.assertion("second", counter: 1), "accept"),
            (try Evidence.assertion("third", counter: 1), "reject"),
        ] {
            let answer = try service.send("POST", "/v1/verify", body: record)
            #expect(answer.json["outcome"] as? String == outcome, "\(answer)")
        }
    }

    @Test("Charts show outcomes over time and by app, and reasons, with the numbers as tables")
    func charts() throws {
        let site = try ConsoleVisitor.Administered("console=on")
        let visitor = try ConsoleVisitor(site, as: "viewer")
        let empty = try visitor.get("/console")
        #expect(empty.body.contains("Nothing was judged yet.") && !empty.body.contains("<figure"), "\(empty)")
        try Self.verify(site.service)
        for path in ["", "/app?name=shop"] {
            let page = try visitor.get("/console\(path)")
            for part in [
                "<title id=\"time-title\">Outcome over time</title>", "Failures by check</title>",
                "<rect class=\"accepted\"",
                "<rect class=\"rejected\"", "<summary>Numbers: ",
            ] { #expect(page.body.contains(part), "\(path) \(part): \(page)") }
        }
        let overview = try visitor.get("/console").body
        #expect(overview.contains("Outcome by app</title>") && overview.contains("<th scope=\"row\">shop</th>"))
        let bank = try visitor.get("/console/app?name=bank").body
        #expect(bank.contains("Nothing was judged yet.") && !bank.contains("<figure"))
    }

    @Test("A candidate's cost is judged on the last captured records, whose evidence no page shows")
    func cost() throws {
        let site = try ConsoleVisitor.Administered(
            "console=on", "capture.folder=captures", "capture.key=public.key", "capture.share=100%"
        ) { folder in try folder.write("public.key", CapturePrivateKey.make().publicKey.text + "\n") }
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let policy = try String(contentsOfFile: site.service.folder.path("policy.yaml"), encoding: .utf8)
        func check(_ policy: String) throws -> String {
            let page = try visitor.post("/console/policy/check", ["form": form, "policy": policy])
            #expect(page.status == 200 && page.body.contains("Cost on recent captures"), "\(page)")
            return page.body
        }
        #expect(try check(policy).contains("has captured no evidence"))
        try Self.verify(site.service)
        try waitFor("three records") {
            try visitor.get("/console/captures").body.contains("<dt>In memory</dt><dd>3 records</dd>") ? () : nil
        }
        let captures = try visitor.get("/console/captures").body
        for part in [
            "<dt>State</dt><dd>writing</dd>", "<dd>1 file, ", "<th scope=\"row\">written</th><td>3</td>",
            "<dt>Lost since the start</dt><dd>0</dd>", "<code>assay replay ", " --against candidate.yaml",
        ] { #expect(captures.contains(part), "\(part): \(captures)") }
        let same = try check(policy)
        #expect(same.contains("No outcome differs."), "\(same)")
        let other = try check(policy.replacing("[production]", with: "[development]"))
        #expect(other.contains("2 records have another outcome: 2 are no longer accepted"), "\(other)")
        #expect(
            other.contains("app-attest.attestation.environment") && other.contains("no longer accepted</td>"),
            "\(other)")
        let key = Data(Evidence.key.keyID).base64EncodedString()
        for page in [captures, same, other] { #expect(!page.contains(key)) }
        #expect(try check("apps: 1").contains("It cannot be used."))
        // Nothing of it has changed the ledger or the recent verdicts.
        #expect(try !site.trail().contains { $0.contains("change-policy") })
    }

    @Test("Without captures the page says how to have them")
    func noCaptures() throws {
        let visitor = try ConsoleVisitor(try ConsoleVisitor.Administered("console=on", isOpen: false), as: "viewer")
        #expect(try visitor.get("/console/captures").body.contains("<code>capture.folder</code>"))
    }

    @Test("A key is retired by its name, typed again, by operators and not by viewers")
    func keys() throws {
        let secret = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37) }).base64EncodedString()
        let site = try ConsoleVisitor.Administered("console=on", "masterKey=file:master.b64", isOpen: false) { folder in
            try folder.write("master.b64", Data((0..<32).map { UInt8($0) }).base64EncodedString())
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("master.b64"))
        }
        let added = try site.send(
            "POST", "/v1/admin/keys", as: "admin", #"{"name":"k1","use":"approov","parts":{"secret":"\#(secret)"}}"#)
        #expect(added.status == 201, "\(added)")
        let viewer = try ConsoleVisitor(site, as: "viewer")
        #expect(try !viewer.get("/console/keys").body.contains("/console/keys/retire"))
        let denied = try viewer.post(
            "/console/keys/retire", ["form": try viewer.formToken(), "name": "k1", "confirm": "k1"])
        #expect(denied.status == 403, "\(denied)")
        let visitor = try ConsoleVisitor(site, as: "operator")
        #expect(try visitor.get("/console/keys").body.contains("<option value=\"k1\">k1</option>"))
        let form = try visitor.formToken()
        let later = try visitor.post(
            "/console/keys/retire", ["form": form, "name": "k1", "confirm": "k1", "at": "2999-01-01T00:00:00Z"])
        #expect(later.status == 303, "\(later)")
        // A retirement can be moved to an earlier time.
        #expect(try visitor.get("/console/keys").body.contains("<option value=\"k1\">k1</option>"))
        for (confirm, status) in [("", 400), ("k2", 400), ("k1", 303), ("k1", 409)] {
            let answer = try visitor.post(
                "/console/keys/retire", ["form": form, "name": "k1", "confirm": confirm, "at": ""])
            #expect(answer.status == status, "\(confirm): \(answer)")
        }
        let page = try visitor.get("/console/keys?done=retire").body
        #expect(page.contains("Done;") && page.contains("<td>retired</td>") && !page.contains(secret))
        #expect(
            try site.trail().filter { $0.contains("retire-key") }
                == ["operator-1 retire-key key k1", "operator-1 retire-key key k1"])
    }

    @Test("An operator is added with a token that one page shows, and revoked by its name, typed again")
    func operators() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let fields = ["form": form, "name": "eve", "role": "operator", "until": ""]
        let page = try visitor.post("/console/operators/add", fields)
        let token = String(try #require(page.body.firstMatch(of: /assay_[A-Za-z0-9_-]{43}/), "\(page)").0)
        #expect(page.status == 200 && page["cache-control"] == "no-store")
        #expect(try visitor.post("/console/operators/add", fields).status == 409)
        let late = try visitor.post(
            "/console/operators/add", fields.merging(["name": "late", "until": "2999-01-01T00:00:00Z"]) { $1 })
        #expect(late.status == 422, "\(late)")
        let keys = try visitor.get("/console/keys").body
        #expect(keys.contains("eve") && !keys.contains(token) && !site.service.logText.contains(token))

        var eve = ConsoleVisitor(site)
        eve.cookie = try #require(ConsoleVisitor.cookie(try eve.login(token)))
        let own = try eve.formToken()
        for (path, values) in [
            ("add", ["name": "x", "role": "viewer"]), ("revoke", ["name": "eve", "confirm": "eve"]),
        ] {
            let answer = try eve.post("/console/operators/\(path)", values.merging(["form": own]) { $1 })
            #expect(answer.status == 403, "\(path): \(answer)")
        }
        for (confirm, status) in [("Eve", 400), ("eve", 303), ("eve", 404)] {
            let answer = try visitor.post(
                "/console/operators/revoke", ["form": form, "name": "eve", "confirm": confirm, "descendants": "no"])
            #expect(answer.status == status, "\(confirm): \(answer)")
        }
        let ended = try eve.block("d1", form: own)
        #expect(ended.status == 303 && ended["location"] == "/console/login?ended", "\(ended)")
        let changes = try site.trail().filter { $0.hasPrefix("admin-1 ") }
        #expect(changes == ["admin-1 add-operator operator eve", "admin-1 revoke-operator operator eve"])
    }

    @Test("The policy is read again on demand; one that cannot be used changes nothing")
    func reload() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let reloaded = try visitor.post("/console/policy/reload", ["form": form])
        #expect(reloaded.status == 303 && reloaded["location"] == "/console/policy?done=reload", "\(reloaded)")
        try site.service.folder.write("policy.yaml", "version: 1\napps: []\n")
        let refused = try visitor.post("/console/policy/reload", ["form": form])
        #expect(refused.status == 422 && refused.body.contains("apps"), "\(refused)")
        let other = try ConsoleVisitor(site, as: "operator")
        #expect(try other.post("/console/policy/reload", ["form": try other.formToken()]).status == 403)
        #expect(try !other.get("/console/policy").body.contains("/console/policy/reload"))
    }

    @Test("The audit trail is shown in pages from its end, by operator too")
    func trail() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        for number in 1...205 {
            let body = #"{"kind":"device","name":"d\#(number)","reason":"fraud"}"#
            let role = number == 3 ? "admin" : "operator"
            let answer = try site.send("POST", "/v1/admin/subjects/block", as: role, body)
            #expect(answer.status == 200, "\(answer)")
        }
        let visitor = try ConsoleVisitor(site, as: "viewer")
        func numbers(_ path: String) throws -> [Int] {
            let page = try visitor.get(path).body
            return page.matches(of: /<tr><th scope="row">([0-9]+)<\/th>/).compactMap { Int($0.1) }
        }
        // Five operators were added before.
        #expect(try numbers("/console/audit") == Array((11...210).reversed()))
        #expect(try visitor.get("/console/audit").body.contains("\"/console/audit?before=11\""))
        #expect(try numbers("/console/audit?before=11") == Array((1...10).reversed()))
        #expect(try numbers("/console/audit?operator=admin-1") == [8])
        for wrong in ["0", "-1", "x"] { #expect(try visitor.get("/console/audit?before=\(wrong)").status == 400) }
        #expect(try numbers("/console/subject?kind=device&name=d3") == [8])
        let sound = try visitor.get("/console/audit?verify=1").body
        #expect(sound.contains("210 entries are sound."), "\(sound)")
    }

    @Test("A policy of a hundred apps has a page for each, and charts that stay small")
    func manyApps() throws {
        let site = try ConsoleVisitor.Administered("console=on") { folder in
            let policy = try String(contentsOfFile: folder.path("policy.yaml"), encoding: .utf8)
            let shop = try #require(policy.components(separatedBy: "  - name: ").dropFirst().first)
            let others = (1..<100).map { "  - name: \(shop.replacing("shop", with: "app\($0)"))" }
            try folder.write("policy.yaml", "version: 1\napps:\n  - name: \(shop)\(others.joined())")
        }
        try Self.verify(site.service)
        let visitor = try ConsoleVisitor(site, as: "viewer")
        let apps = try visitor.get("/console/app").body
        #expect(apps.matches(of: /<a href="\/console\/app\?name=/).count == 100, "\(apps)")
        #expect(apps.contains("\">shop</a></th><td>3</td><td>1</td>"), "\(apps)")
        #expect(try visitor.get("/console/app?name=app99").body.contains("Nothing was judged yet."))
        let overview = try visitor.get("/console")
        #expect(overview.status == 200 && overview.body.utf8.count < 40_000, "\(overview.body.utf8.count)")
        #expect(try visitor.get("/console/policy").status == 200)
    }

    @Test("In an outage of the ledger, pages say so and show what they know without it")
    func outage() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "viewer")
        let local = try RunningService("listen=unix:public.sock", "console=on")
        func ask(_ path: String) throws -> HTTPAnswer {
            try local.send("GET", path, type: nil, unix: local.folder.path("admin.sock"))
        }
        for service in [site.service, local] {
            try #require(try service.folder.shell("rm ledger.sqlite") == 0)
            try service.waitUntil("unready") { !service.entries("the service is not ready").isEmpty }
        }
        try site.service.waitUntil("outage") { (try? visitor.get("/console").status) == 503 }
        try local.waitUntil("outage") { (try? ask("/console/audit").status) == 503 }
        // Without the ledger the operator of a session is not known.
        let unknown = try visitor.get("/console")
        #expect(unknown.status == 503 && unknown.body.contains("ledger outage"), "\(unknown)")
        #expect(unknown["content-type"]?.hasPrefix("text/html") ?? false && unknown["retry-after"] != nil)
        for path in ["", "/keys", "/policy"] {
            let page = try ask("/console\(path)")
            #expect(page.status == 200 && page.body.contains("role=\"alert\">"), "\(path): \(page)")
            #expect(page.body.contains("ledger outage"), "\(path): \(page)")
        }
        for path in ["/subject?kind=device&name=d1", "/audit"] {
            let page = try ask("/console\(path)")
            #expect(page.status == 503 && page.body.contains("ledger outage"), "\(path): \(page)")
        }
        for path in ["/app", "/refusals", "/inspect", "/checks", "/captures"] {
            #expect(try ask("/console\(path)").status == 200, "\(path)")
        }
    }
}
