import AssayLedgerSQLite
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Endpoints of operators", .timeLimit(.minutes(30)))
struct AdministrationTests {
    /// A service whose listener of operators is on TCP, with one token for each role.
    struct Administered {
        let service: RunningService
        let port: Int
        let tokens: [String: String]

        init(
            _ settings: String..., isOpen: Bool = true, prepare: (TestFolder) throws -> Void = { _ in }
        ) throws {
            var tokens: [String: String] = [:]
            let started = try RunningService(["admin=127.0.0.1:0"] + settings, isOpen: isOpen) { folder in
                try prepare(folder)
                let program = try BuiltProducts.url("assay").path
                for role in ["caller", "pipeline", "viewer", "operator", "admin"] {
                    let file = folder.path("token-\(role)")
                    let status = try folder.shell(
                        "'\(program)' operators add \(role)-1 --role \(role) --for 10d --operator setup --ledger "
                            + "'sqlite:\(folder.path("ledger.sqlite"))' >'\(file)' 2>/dev/null")
                    #expect(status == 0)
                    tokens[role] = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
                }
            }
            self.tokens = tokens
            service = started
            let listen = started.entries("ready").first?["assay.listen"] as? [String] ?? []
            let ports = listen.compactMap { Int($0.split(separator: ":").last ?? "") }
            port = try #require(ports.first { $0 != started.port })
        }

        func send(
            _ method: String, _ path: String, as role: String?, _ body: String = "", type: String? = nil
        ) throws -> HTTPAnswer {
            let token = role.flatMap { tokens[$0] ?? $0 }
            return try service.send(
                method, path, type: type ?? (body.isEmpty ? nil : "application/json"), body: body,
                fields: token.map { ["Authorization: Bearer \($0)"] } ?? [], port: port)
        }

        /// Operator, action and subject of the entries of the audit trail.
        func trail() throws -> [String] {
            let items = try send("GET", "/v1/admin/audit?limit=1000", as: "viewer").json["items"] as? [[String: Any]]
            return try #require(items).compactMap { item in
                let entry = item["entry"] as? [String: Any]
                return entry.map { "\($0["operator"] ?? "") \($0["action"] ?? "") \($0["subject"] ?? "")" }
            }
        }
    }

    /// One request for each right that is needed, and the roles that have it.
    static let rights: [(method: String, path: String, body: String, roles: Set<String>)] = [
        ("GET", "/v1/admin/subjects", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/keys", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/policy", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/audit", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/audit/verify", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/operators", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/recent", "", ["viewer", "operator", "admin"]),
        ("GET", "/v1/admin/self", "", ["viewer", "operator", "admin"]),
        ("POST", "/v1/admin/subjects/block", "{}", ["operator", "admin"]),
        ("POST", "/v1/admin/subjects/unblock", "{}", ["operator", "admin"]),
        ("POST", "/v1/admin/subjects/disallow", "{}", ["operator", "admin"]),
        ("POST", "/v1/admin/subjects/allow", "{}", ["operator", "admin"]),
        ("POST", "/v1/admin/subjects/move", "{}", ["operator", "admin"]),
        ("POST", "/v1/admin/keys/x/retire", "{}", ["operator", "admin"]),
        ("GET", "/v1/admin/builds", "", ["viewer", "operator", "admin"]),
        ("POST", "/v1/admin/builds", "{}", ["pipeline", "operator", "admin"]),
        ("DELETE", "/v1/admin/builds/x", "", ["operator", "admin"]),
        ("DELETE", "/v1/admin/builds", "", ["admin"]),
        ("POST", "/v1/admin/keys", "{}", ["admin"]),
        ("DELETE", "/v1/admin/keys/x", "", ["admin"]),
        ("POST", "/v1/admin/policy/check", "{}", ["admin"]),
        ("POST", "/v1/admin/policy/reload", "", ["admin"]),
        ("POST", "/v1/admin/operators", "{}", ["admin"]),
        ("DELETE", "/v1/admin/operators/x", "", ["admin"]),
    ]

    @Test("Each endpoint demands a token, also on loopback with --open, and the role that has its right")
    func roles() throws {
        let administered = try Administered()
        for (method, path, body, roles) in Self.rights {
            #expect(try administered.send(method, path, as: nil, body).status == 401, "\(method) \(path)")
            for role in ["caller", "pipeline", "viewer", "operator", "admin"] {
                let answer = try administered.send(method, path, as: role, body)
                #expect((answer.status == 403) == !roles.contains(role), "\(role) \(method) \(path): \(answer)")
                #expect(answer.status < 500, "\(role) \(method) \(path): \(answer)")
            }
        }
        #expect(try administered.send("GET", "/livez", as: nil).status == 200)
        #expect(try administered.trail().count == 5)
    }

    @Test("A subject is blocked, shown, unblocked, allowed and moved, under the operator's name in the audit trail")
    func subjects() throws {
        let administered = try Administered()
        let service = administered.service
        func act(_ path: String, _ body: String) throws -> HTTPAnswer {
            try administered.send("POST", "/v1/admin/subjects/\(path)", as: "operator", body)
        }
        #expect(
            try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).json["outcome"] as? String
                == "accept")
        let key = Data(Evidence.key.keyID).base64EncodedString()
        let blocked = try act("block", #"{"kind":"key","name":"\#(key)","reason":"stolen"}"#)
        #expect(blocked.status == 200 && blocked.json["operator"] as? String == "operator-1", "\(blocked)")
        let rejected = try service.send("POST", "/v1/verify", body: Evidence.assertion("b", counter: 1))
        #expect(rejected.json["outcome"] as? String == "reject", "\(rejected)")
        let query = key.replacingOccurrences(of: "+", with: "%2B").replacingOccurrences(of: "/", with: "%2F")
        let shown = try administered.send("GET", "/v1/admin/subjects?key=\(query)", as: "viewer")
        #expect((shown.json["keys"] as? [[String: Any]])?.first?["app"] as? String == "shop", "\(shown)")
        #expect((shown.json["standings"] as? [[String: Any]])?.first?["reason"] as? String == "stolen")
        let refused = try act(
            "allow", #"{"kind":"key","name":"\#(key)","reason":"x","checks":["app-attest.attestation.receipt"]}"#)
        #expect(refused.status == 409 && refused.json["code"] as? String == "subject-blocked", "\(refused)")
        #expect(try act("unblock", #"{"kind":"key","name":"\#(key)"}"#).status == 200)
        #expect(try act("unblock", #"{"kind":"key","name":"\#(key)"}"#).json["code"] as? String == "no-standing")
        let moved = try act("move", #"{"key":"\#(key)","account":"alice"}"#)
        #expect(moved.status == 200 && moved.json["account"] as? String == "alice", "\(moved)")
        let account = try administered.send("GET", "/v1/admin/subjects?account=alice", as: "viewer")
        #expect((account.json["keys"] as? [Any])?.count == 1, "\(account)")
        let allowed = try act("allow", #"{"kind":"device","name":"d","reason":"test","until":"never"}"#)
        #expect(allowed.json["checks"] as? [String] == ["approov.token.annotations"], "\(allowed)")
        // Of the two kinds of standings, each is removed by its own request.
        let kept = try act("unblock", #"{"kind":"device","name":"d"}"#)
        #expect(kept.status == 404 && (kept.json["detail"] as? String)?.contains("has been allowed") == true, "\(kept)")
        #expect(try act("disallow", #"{"kind":"device","name":"d"}"#).json["reason"] as? String == "test")
        #expect(try act("disallow", #"{"kind":"device","name":"d"}"#).json["code"] as? String == "no-standing")
        let trail = try administered.trail()
        #expect(
            trail.dropFirst(5).map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "operator-1 block", "operator-1 unblock", "operator-1 move-key", "operator-1 allow",
                "operator-1 unblock",
            ], "\(trail)")
        let verified = try administered.send("GET", "/v1/admin/audit/verify", as: "viewer")
        #expect(verified.json["isSound"] as? Bool == true && verified.json["entries"] as? Int == 10, "\(verified)")
        let other = String(repeating: "ab", count: 32)
        let missing = try administered.send("GET", "/v1/admin/audit/verify?expect=\(other)", as: "viewer")
        #expect(missing.json["isSound"] as? Bool == false, "\(missing)")
    }

    @Test("Pages of blocks and of the audit trail hold each entry once, in order")
    func pages() throws {
        let administered = try Administered()
        let names = (0..<7).map { "device \($0) \u{E9}&=" }
        for name in names {
            let body = #"{"kind":"device","name":"\#(name)","reason":"r"}"#
            #expect(try administered.send("POST", "/v1/admin/subjects/block", as: "admin", body).status == 200)
        }
        func all(_ path: String, limit: Int) throws -> [[String: Any]] {
            var items: [[String: Any]] = []
            var cursor: String?
            repeat {
                let answer = try administered.send(
                    "GET", path + "limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""), as: "viewer")
                let page = try #require(answer.json["items"] as? [[String: Any]], "\(answer)")
                #expect(page.count <= limit)
                items += page
                cursor = answer.json["next"] as? String
            } while cursor != nil
            return items
        }
        for limit in [1, 3, 7, 100] {
            let blocks = try all("/v1/admin/subjects?list=blocks&", limit: limit)
            #expect(blocks.compactMap { $0["name"] as? String } == names)
            let entries = try all("/v1/admin/audit?", limit: limit).compactMap { $0["entry"] as? [String: Any] }
            #expect(entries.compactMap { $0["number"] as? Int } == Array(1...12))
        }
        #expect(try all("/v1/admin/audit?operator=admin-1&", limit: 2).count == 7)
        #expect(try all("/v1/admin/subjects?list=allowances&", limit: 2).isEmpty)
    }

    @Test("Keys are added, listed without secrets, retired and removed; no log and no answer has a secret")
    func keys() throws {
        let secret = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37) }).base64EncodedString()
        let administered = try Administered("masterKey=file:master.b64") { folder in
            try folder.write("master.b64", Data((0..<32).map { UInt8($0) }).base64EncodedString())
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("master.b64"))
        }
        func add(_ parts: String) throws -> HTTPAnswer {
            try administered.send(
                "POST", "/v1/admin/keys", as: "admin", #"{"name":"a 1","use":"approov","parts":\#(parts)}"#)
        }
        let added = try add(#"{"secret":"\#(secret)"}"#)
        #expect(added.status == 201 && added.json["state"] as? String == "live", "\(added)")
        let again = try add(#"{"secret":"\#(secret)"}"#)
        #expect(again.status == 409 && again.json["code"] as? String == "name-taken", "\(again)")
        let bad = try add(#"{"secret":"!\#(secret)"}"#)
        #expect(bad.status == 422 && bad.json["code"] as? String == "invalid-key", "\(bad)")
        let listed = try administered.send("GET", "/v1/admin/keys", as: "viewer")
        #expect((listed.json["items"] as? [[String: Any]])?.first?["name"] as? String == "a 1", "\(listed)")
        let retired = try administered.send("POST", "/v1/admin/keys/a%201/retire", as: "operator", "{}")
        #expect(retired.status == 200, "\(retired)")
        let twice = try administered.send("POST", "/v1/admin/keys/a%201/retire", as: "operator", "{}")
        #expect(twice.status == 409 && twice.json["code"] as? String == "already-retired", "\(twice)")
        #expect(try administered.send("DELETE", "/v1/admin/keys/a%201", as: "admin").status == 200)
        #expect(try administered.send("DELETE", "/v1/admin/keys/a%201", as: "admin").status == 404)
        #expect(
            try administered.trail().dropFirst(5).map { $0.split(separator: " ")[0] } == [
                "admin-1", "operator-1", "admin-1",
            ])
        for answer in [added, again, bad, listed, retired] { #expect(!answer.description.contains(secret)) }
        #expect(!administered.service.logText.contains(secret))
    }

    @Test("The policy in force is shown, a text is checked as policy check does, and a reload changes it or is refused")
    func policy() throws {
        let administered = try Administered()
        let folder = administered.service.folder
        let shown = try administered.send("GET", "/v1/admin/policy", as: "viewer")
        let printed = try administered.service.assay("policy", "show", folder.path("policy.yaml"))
        #expect(shown.body == printed.output + "\n" || shown.body == printed.output)
        let checked = try administered.send(
            "POST", "/v1/admin/policy/check", as: "admin", "version: 1\napps: []\n", type: "application/yaml")
        #expect(checked.status == 200 && checked.json["errors"] as? Int == 1, "\(checked)")
        try folder.write("policy.yaml", "version: 1\napps: []\n")
        let refused = try administered.send("POST", "/v1/admin/policy/reload", as: "admin")
        #expect(refused.status == 422 && refused.json["code"] as? String == "policy-unusable", "\(refused)")
        #expect(try administered.send("GET", "/v1/admin/policy", as: "viewer").body == shown.body)
        try Evidence.writePolicy(to: folder, shop: "1234567890.com.example.other")
        #expect(try administered.send("POST", "/v1/admin/policy/reload", as: "admin").status == 200)
        let next = try administered.send("GET", "/v1/admin/policy", as: "viewer")
        #expect(next.body.contains("com.example.other"))
    }

    @Test("An operator is added with a token that ends no later than its creator's, and is revoked")
    func operators() throws {
        let administered = try Administered()
        func add(_ name: String, _ rest: String = "") throws -> HTTPAnswer {
            try administered.send(
                "POST", "/v1/admin/operators", as: "admin", #"{"name":"\#(name)","role":"viewer"\#(rest)}"#)
        }
        let added = try add("dash board")
        let token = try #require(added.json["token"] as? String, "\(added)")
        #expect(added.status == 201 && added.json["addedBy"] as? String == "admin-1")
        #expect(try administered.send("GET", "/v1/admin/keys", as: token).status == 200)
        let late = try add("late", #","until":"2099-01-01T00:00:00Z""#)
        #expect(late.status == 422 && late.json["code"] as? String == "ends-after-creator", "\(late)")
        #expect(try add("dash board").json["code"] as? String == "name-taken")
        let listed = try administered.send("GET", "/v1/admin/operators", as: "viewer")
        #expect((listed.json["items"] as? [[String: Any]])?.count == 6 && !listed.body.contains(token))
        let revoked = try administered.send("DELETE", "/v1/admin/operators/dash%20board", as: "admin")
        #expect(revoked.json["state"] as? String == "revoked", "\(revoked)")
        #expect(try administered.send("GET", "/v1/admin/keys", as: token).status == 401)
        #expect(try administered.send("DELETE", "/v1/admin/operators/dash%20board", as: "admin").status == 404)
        #expect(!administered.service.logText.contains(token))
    }

    @Test("A revocation with descendants answers with those that the operator added, and each is in the audit trail")
    func descendants() throws {
        let administered = try Administered()
        func add(_ name: String, as token: String) throws -> String {
            let answer = try administered.send(
                "POST", "/v1/admin/operators", as: token, #"{"name":"\#(name)","role":"admin"}"#)
            return try #require(answer.json["token"] as? String, "\(answer)")
        }
        let child = try add("child", as: "admin")
        let grandchild = try add("grandchild", as: child)
        let path = "/v1/admin/operators/child?descendants="
        #expect(try administered.send("DELETE", path + "maybe", as: "admin").status == 400)
        let revoked = try administered.send("DELETE", path + "true", as: "admin")
        #expect(
            revoked.json["name"] as? String == "child" && revoked.json["state"] as? String == "revoked", "\(revoked)")
        let descendants = revoked.json["descendants"] as? [[String: Any]]
        #expect(descendants?.map { $0["name"] as? String } == ["grandchild"], "\(revoked)")
        #expect(descendants?.map { $0["state"] as? String } == ["revoked"])
        for token in [child, grandchild] {
            #expect(try administered.send("GET", "/v1/admin/keys", as: token).status == 401)
        }
        #expect(try administered.send("DELETE", path + "true", as: "admin").status == 404)
        #expect(
            try administered.trail().suffix(2)
                == ["admin-1 revoke-operator operator child", "admin-1 revoke-operator operator grandchild"])
        let reserved = try administered.send(
            "POST", "/v1/admin/operators", as: "admin", #"{"name":"root","role":"viewer"}"#)
        #expect(reserved.status == 422 && reserved.json["code"] as? String == "invalid-name", "\(reserved)")
    }

    @Test("The audit trail is compared with what the ledger has")
    func pastTheTrail() async throws {
        let administered = try Administered()
        let verify = "/v1/admin/audit/verify"
        #expect(try administered.send("GET", verify, as: "viewer").json["isSound"] as? Bool == true)
        let ledger = try SQLiteLedger.open(path: administered.service.folder.path("ledger.sqlite"))
        try ledger.executeOnWriter("UPDATE operator SET role = 'admin' WHERE name = 'viewer-1'")
        try await ledger.close()
        let found = try administered.send("GET", verify, as: "viewer")
        #expect(found.json["isSound"] as? Bool == false, "\(found)")
        #expect(
            (found.json["problems"] as? [String])?.contains { $0.contains("operator viewer-1") } == true, "\(found)")
    }

    @Test("On a unix socket no token is needed, and the audit trail has the login name of the peer")
    func unixSocket() throws {
        let service = try RunningService()
        let admin = service.folder.path("admin.sock")
        let body = #"{"kind":"account","name":"bob","reason":"fraud"}"#
        let blocked = try service.send("POST", "/v1/admin/subjects/block", body: body, unix: admin)
        let user = NSUserName()
        #expect(blocked.status == 200 && blocked.json["operator"] as? String == user, "\(blocked)")
    }

    /// A request of an administrator, and the status and code of its problem.
    static let mistakes: [(method: String, path: String, body: String, status: Int, words: String)] = [
        ("GET", "/v1/admin/keys?x=1", "", 400, "unknown parameter"),
        ("GET", "/v1/admin/subjects?key=abc", "", 400, "32 bytes"),
        ("GET", "/v1/admin/subjects?device=a&account=b", "", 400, "exclude"),
        ("GET", "/v1/admin/subjects?device=a&device=b", "", 400, "twice"),
        ("GET", "/v1/admin/subjects?device=%00", "", 400, "zero byte"),
        ("GET", "/v1/admin/subjects?device=%ff", "", 400, "UTF-8"),
        ("GET", "/v1/admin/subjects?list=keys", "", 400, "blocks or allowances"),
        ("GET", "/v1/admin/subjects?limit=5", "", 400, "for list"),
        ("GET", "/v1/admin/subjects?list=blocks&limit=0", "", 400, "1 to 1000"),
        ("GET", "/v1/admin/subjects?list=blocks&cursor=!", "", 400, "next"),
        ("GET", "/v1/admin/audit?cursor=-1", "", 400, "next"),
        ("GET", "/v1/admin/audit?since=yesterday", "", 400, "RFC 3339"),
        ("GET", "/v1/admin/audit/verify?expect=ab", "", 400, "64"),
        ("POST", "/v1/admin/subjects/block", #"{"kind":"device","name":"a"}"#, 400, "missing"),
        ("POST", "/v1/admin/subjects/block", #"{"kind":"device","name":"a ","reason":"r"}"#, 400, "white space"),
        ("POST", "/v1/admin/subjects/block", #"{"kind":"x","name":"a","reason":"r"}"#, 400, "expected one of"),
        ("POST", "/v1/admin/subjects/block", #"{"kind":"device","name":"a\u0000","reason":"r"}"#, 400, "zero byte"),
        ("POST", "/v1/admin/subjects/block", #"{"kind":"device","name":"a","reason":"r","x":1}"#, 400, "unknown field"),
        (
            "POST", "/v1/admin/subjects/block",
            #"{"kind":"device","name":"a","reason":"r","until":"2020-01-01T00:00:00Z"}"#, 400, "to come"
        ),
        (
            "POST", "/v1/admin/subjects/allow",
            #"{"kind":"key","name":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","reason":"r","checks":["app-attest.attestation.nonce"]}"#,
            400, "gate"
        ),
        ("POST", "/v1/admin/subjects/allow", #"{"kind":"issuer","name":"a","reason":"r"}"#, 400, "policy"),
        ("POST", "/v1/admin/subjects/move", #"{"key":"AAAA","account":null}"#, 400, "32 bytes"),
        ("POST", "/v1/admin/operators", #"{"name":"a","role":"root"}"#, 400, "caller, pipeline, viewer"),
        ("POST", "/v1/admin/operators", #"{"name":" a","role":"viewer"}"#, 422, "name"),
        ("POST", "/v1/admin/keys/x/retire", "{}", 422, "masterKey"),
        ("POST", "/v1/admin/keys", #"{"name":"a","use":"approov","parts":{}}"#, 422, "masterKey"),
        ("DELETE", "/v1/admin/keys/%zz", "", 400, "percent"),
        ("GET", "/v1/admin/keys/x", "", 405, "DELETE"),
        ("GET", "/v1/admin", "", 404, "openapi"),
    ]

    @Test("Wrong requests of an administrator are answered with problems that say what is allowed")
    func mistakes() throws {
        let administered = try Administered()
        for each in Self.mistakes {
            let answer = try administered.send(each.method, each.path, as: "admin", each.body)
            #expect(answer.status == each.status, "\(each) \(answer)")
            #expect(answer.fields["content-type"] == "application/problem+json", "\(each)")
            #expect((answer.json["detail"] as? String ?? "").contains(each.words), "\(each) \(answer)")
        }
    }

    @Test("The document of the listener lists its endpoints and every answer, and is valid OpenAPI 3.1")
    func openAPI() throws {
        let administered = try Administered()
        let answer = try administered.send("GET", "/openapi.json", as: nil)
        let paths = try #require(answer.json["paths"] as? [String: [String: Any]])
        let documented = Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
        let tested = Set(Self.rights.map { "\($0.method) \($0.path.replacing("/x", with: "/{name}"))" })
        #expect(
            documented
                == tested.union(["GET /livez", "GET /readyz", "GET /healthz", "GET /metrics", "GET /openapi.json"]))
        for (path, methods) in paths {
            for method in methods.keys {
                let concrete = path.replacingOccurrences(of: "{name}", with: "none")
                let found = try administered.send(
                    method.uppercased(), concrete, as: "admin", method == "post" ? "{}" : "")
                let responses = (methods[method] as? [String: Any])?["responses"] as? [String: Any]
                #expect(responses?["\(found.status)"] != nil, "\(method) \(path): \(found)")
                #expect(found.status != 405 && found.json["code"] as? String != "not-found")
            }
        }
        guard let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"], !python.isEmpty else { return }
        try administered.service.folder.write("openapi.json", answer.body)
        #expect(try administered.service.folder.shell("'\(python)' -m openapi_spec_validator openapi.json") == 0)
    }
}
