import AssayTestSupport
import Foundation
import Testing

@Suite("Attacks on the console", .timeLimit(.minutes(30)))
struct ConsoleAttackTests {
    static let pages = [
        "", "/app", "/refusals", "/subject", "/policy", "/inspect", "/keys", "/audit", "/audit?verify=1", "/captures",
        "/checks", "/checks?name=challenge-expired", "/checks?name=app-attest.attestation.nonce", "/login",
        "/login?ended",
    ]

    /// Markup, terminal escapes, a change of the direction of text, and an attribute's end.
    static let hostile = "<script>alert(1)</script>\u{1B}[31m\u{202E}\" onload='x' </textarea>&amp;"

    @Test("Other sites, foreign names of the host, and requests of no page change nothing and read nothing")
    func foreignPages() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let values = ["form": form, "kind": "device", "name": "d1", "reason": "fraud"]
        for fields in [
            [], ["Origin: https://evil.example"], ["Origin: null"], ["Sec-Fetch-Site: cross-site"],
            ["Sec-Fetch-Site: same-site", "Origin: http://localhost:1"],
        ] {
            for path in ["/console/subject/block", "/console/logout"] {
                let answer = try visitor.post(path, values, fields: fields)
                #expect(answer.status == 403, "\(fields) \(path): \(answer)")
            }
            let login = try visitor.login(try #require(site.tokens["admin"]), fields: fields)
            #expect(login.status == 403 && login["set-cookie"] == nil, "\(fields): \(login)")
        }
        for wrong in ["", "x", form + "x"] {
            let answer = try visitor.block("d1", form: wrong)
            #expect(answer.status == 403, "\(answer)")
        }
        let rebound = try visitor.get("/console", host: "evil.example")
        #expect(rebound.status == 403 && !rebound.body.contains("Verdicts"), "\(rebound)")
        let posted = try visitor.post("/console/subject/block", values, host: "evil.example")
        #expect(posted.status == 403, "\(posted)")
        #expect(try visitor.get("/console", fields: ["Sec-Fetch-Site: cross-site"]).status == 403)
        // JSON and a second value of a field are no form of the page.
        let json = try site.service.send(
            "POST", "/console/subject/block", body: "{}",
            fields: ConsoleVisitor.ownPage + ["Cookie: \(visitor.cookie)"],
            port: site.port, host: ConsoleVisitor.host)
        #expect(json.status == 415, "\(json)")
        #expect(try visitor.get("/console").status == 200)
        #expect(try !site.trail().contains { $0.contains(" block ") })
    }

    @Test("Every answer forbids frames, inline scripts, caches and guesses of the type")
    func fields() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        for path in Self.pages + ["/style.css", "/console.js", "/icon.svg", "/subject?kind=none&name=x"] {
            for answer in [try visitor.get("/console\(path)"), try ConsoleVisitor(site).get("/console\(path)")] {
                let policy = answer["content-security-policy"] ?? ""
                for rule in [
                    "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                    "form-action 'self'", "require-trusted-types-for 'script'",
                ] { #expect(policy.contains(rule), "\(path): \(answer)") }
                #expect(!policy.contains("unsafe"))
                #expect(answer["x-frame-options"] == "DENY" && answer["x-content-type-options"] == "nosniff", "\(path)")
                #expect(answer["cache-control"] == "no-store" && answer["referrer-policy"] == "same-origin", "\(path)")
                #expect(answer["cross-origin-opener-policy"] == "same-origin", "\(path)")
                if answer["content-type"]?.hasPrefix("text/html") ?? false {
                    #expect(
                        answer.body.firstMatch(of: /\son[a-z]+=|\sstyle=|<style|<script>|javascript:/) == nil, "\(path)"
                    )
                }
            }
        }
    }

    @Test("Hostile names, reasons, blobs and policies are text on every page")
    func stored() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let blocked = try visitor.block(Self.hostile, reason: Self.hostile, form: form)
        #expect(blocked.status == 303, "\(blocked)")
        let shown = try #require(blocked["location"])
        var answers = [try visitor.get(shown)]
        #expect(answers[0].status == 200 && answers[0].body.contains("&lt;script&gt;alert(1)"), "\(answers[0])")
        for path in Self.pages { answers.append(try visitor.get("/console\(path)")) }
        let query = Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for path in [
            "/refusals?app=\(query)&check=\(query)", "/audit?operator=\(query)", "/app?name=\(query)",
            "/checks?name=\(query)", "/subject?kind=account&name=\(query)", "/subject?kind=\(query)&name=x",
            "?\(query)=1",
        ] { answers.append(try visitor.get("/console\(path)")) }
        for (path, values) in [
            ("/inspect", ["blob": Self.hostile]), ("/inspect", ["blob": #"{"kind":"\#("<b>")","evidence":{}}"#]),
            ("/inspect", ["blob": "e30=", "policy": Self.hostile]), ("/policy/check", ["policy": Self.hostile]),
            ("/policy/check", ["policy": "\"<b>\": [*a, &a [*a]]"]),
            ("/subject/move", ["key": Self.hostile, "account": "a"]),
            ("/operators/add", ["name": Self.hostile, "role": "viewer"]),
            ("/operators/add", ["name": "x", "role": Self.hostile]),
            ("/operators/revoke", ["name": Self.hostile, "confirm": Self.hostile]),
            ("/operators/revoke", ["name": "x", "confirm": Self.hostile]),
            ("/keys/retire", ["name": Self.hostile, "confirm": Self.hostile]),
        ] { answers.append(try visitor.post("/console\(path)", values.merging(["form": form]) { $1 })) }
        for answer in answers {
            #expect([200, 400, 404, 422].contains(answer.status), "\(answer)")
            #expect(!answer.body.contains("<script>") && !answer.body.contains("<b>"), "\(answer)")
            #expect(!answer.body.contains("\u{1B}") && !answer.body.contains("\u{202E}"), "\(answer)")
            #expect(!answer.body.contains("\" onload"), "\(answer)")
        }
        let log = site.service.logText
        #expect(!log.contains("alert(1)") && site.service.isRunning)

        // What evidence says of itself is in the recent verdicts.
        let record = try JSONSerialization.data(withJSONObject: [
            "id": Self.hostile, "kind": "app-attest.assertion", "app": Self.hostile, "account": Self.hostile,
            "evidence": ["keyId": Self.hostile, "assertion": Self.hostile],
        ])
        let judged = try site.service.send(
            "POST", "/v1/verify", body: String(decoding: record, as: UTF8.self),
            fields: ["Authorization: Bearer \(try #require(site.tokens["caller"]))"])
        #expect((400..<500).contains(judged.status), "\(judged)")
        let refusals = try visitor.get("/console/refusals").body
        #expect(refusals.contains("&lt;script&gt;alert(1)") && !refusals.contains("<script>alert"), "\(refusals)")
        #expect(!refusals.contains("\u{1B}") && !refusals.contains("\u{202E}"))
    }

    @Test("A paste beyond the limit is refused, and the next request is answered")
    func longPaste() throws {
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false)
        let visitor = try ConsoleVisitor(site, as: "viewer")
        let form = try visitor.formToken()
        let long = try visitor.post(
            "/console/inspect", ["form": form, "blob": String(repeating: "A", count: 10 << 20)])
        // The service closes while the client still writes, so the answer may be lost.
        #expect([0, 413].contains(long.status), "\(long.status)")
        let blob = String(repeating: "A", count: (256 << 10) + 1)
        #expect(try visitor.post("/console/inspect", ["form": form, "blob": blob]).status == 413)
        let fits = try visitor.post("/console/inspect", ["form": form, "blob": String(blob.dropLast())])
        #expect(fits.status == 200, "\(fits.status)")
        // A form has no more fields than its page.
        let empty = try site.service.send(
            "POST", "/console/inspect", type: "application/x-www-form-urlencoded",
            body: "form=\(form)&blob=" + String(repeating: "&", count: 1 << 20),
            fields: ConsoleVisitor.ownPage + ["Cookie: \(visitor.cookie)"], port: site.port, host: ConsoleVisitor.host)
        #expect(empty.status == 400, "\(empty)")
        #expect(!site.service.logText.contains("AAAAAAAA"))
    }

    @Test("A candidate that names files of the server shows nothing that is in them, and reads no device")
    func candidateFiles() throws {
        let secret = "Tr0ub4dor3"
        let site = try ConsoleVisitor.Administered("console=on", isOpen: false) { folder in
            for (name, text) in [
                ("plain", secret), ("list.json", #"{"entries":{"00":{"status":"\#(secret)"}},"a":"\#(secret)"}"#),
                ("roots.pem", "-----BEGIN CERTIFICATE-----\n\(secret)!\n-----END CERTIFICATE-----\n"),
            ] {
                try folder.write(name, text)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
            }
        }
        let visitor = try ConsoleVisitor(site, as: "admin")
        let form = try visitor.formToken()
        let token = try #require(site.tokens["admin"])
        let digest = String(repeating: "A", count: 43)
        let app =
            "apps:\n  - name: a\n    androidKey:\n      packages: [a.b]\n      certificateDigests: [\"\(digest)\"]\n      challenge: caller\n"
        for file in ["plain", "list.json", "roots.pem", "token-admin", "/proc/self/environ", "/dev/zero", ".", "../x"] {
            for policy in [
                "version: 1\nkeys:\n  - { name: k, use: approov, secret: \"file:\(file)\" }\n\(app)",
                "version: 1\n\(app)      statusList: \"file:\(file)\"\n",
                "version: 1\n\(app)      statusList: none\n      testRoots: [\"file:\(file)\"]\n",
                "version: 1\n\(app)      statusList: none\naddresses: { hash: \"file:\(file)\" }\n",
            ] {
                for (path, values) in [
                    ("policy/check", ["policy": policy]), ("inspect", ["policy": policy, "blob": "e30="]),
                ] {
                    let answer = try visitor.post("/console/\(path)", values.merging(["form": form]) { $1 })
                    #expect([200, 422].contains(answer.status), "\(policy): \(answer)")
                    #expect(!answer.body.contains(secret) && !answer.body.contains(token), "\(policy): \(answer)")
                    #expect(!answer.body.contains("HOME="), "\(policy): \(answer)")
                }
            }
        }
        #expect(!site.service.logText.contains(secret) && site.service.isRunning)
    }

    @Test("Assets have at most 60 KB")
    func size() throws {
        let visitor = ConsoleVisitor(try ConsoleVisitor.Administered("console=on", isOpen: false))
        let all = try ["style.css", "console.js", "icon.svg"].map { try visitor.get("/console/\($0)").body.utf8.count }
        #expect(all.allSatisfy { $0 > 0 } && all.reduce(0, +) <= 60_000, "\(all)")
    }
}
