import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("What a new policy of a running service changes", .timeLimit(.minutes(30)))
struct PolicyChangeTests {
    /// The policy of the tests, with the check `counter` demanded in words.
    private static let modes = "checks:\n  app-attest.attestation.receipt: enforce\n"

    private static func policy(_ folder: TestFolder) throws -> String {
        try String(contentsOfFile: folder.path("policy.yaml"), encoding: .utf8)
    }

    private static func write(_ text: String, _ folder: TestFolder) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("policy.yaml")), options: .atomic)
    }

    /// What the file had, cut before a text.
    private static func cut(_ text: String, before mark: String) throws -> String {
        String(text[..<(try #require(text.range(of: mark)).lowerBound)])
    }

    private static func digest(_ text: String) -> String { Digest.sha256(Array(text.utf8)).hexadecimal }

    private static func reload(_ service: RunningService) throws -> HTTPAnswer {
        try service.send(
            "POST", "/v1/admin/policy/reload", type: nil, unix: service.folder.path("admin.sock"))
    }

    private static func metrics(_ service: RunningService) throws -> [Substring] {
        let answer = try service.send("GET", "/metrics", type: nil, unix: service.folder.path("admin.sock"))
        return answer.body.split(separator: "\n")
    }

    private static func trail(_ service: RunningService) throws -> [[String: Any]] {
        let answer = try service.send("GET", "/v1/admin/audit", type: nil, unix: service.folder.path("admin.sock"))
        let items = try #require(answer.json["items"] as? [[String: Any]])
        return items.compactMap { $0["entry"] as? [String: Any] }
    }

    @Test("A file that was cut and can be read drops an app and a check: log, metrics and audit trail name them")
    func cutFile() throws {
        let service = try RunningService { folder in
            try Self.write(try Self.policy(folder) + Self.modes, folder)
        }
        let whole = try Self.policy(service.folder)
        let started = service.entries("ready").first?["assay.policyDigest"] as? String
        #expect(started == Self.digest(whole))
        let cut = try Self.cut(whole, before: "  - name: bank")
        try Self.write(cut, service.folder)
        #expect(try Self.reload(service).status == 200)
        let reloads = service.entries("reloaded")
        let entry = try #require(
            reloads.first { $0["assay.appsRemoved"] as? [String] == ["bank"] }, "\(reloads)")
        #expect(entry["assay.policyDigest"] as? String == Self.digest(cut))
        #expect(entry["assay.previousDigest"] as? String == Self.digest(whole))
        let warning = try #require(service.entries("the policy may accept more than before").first)
        let words = warning["assay.changes"] as? String ?? ""
        #expect(words.contains("app bank removed"), "\(words)")
        #expect(words.contains("check app-attest.attestation.receipt weaker (enforce -> "), "\(words)")
        let metrics = try Self.metrics(service)
        for line in [
            #"assay_policy_changes_total{subject="app",effect="removed"} 1"#,
            #"assay_policy_changes_total{subject="check",effect="weaker"} 1"#, "assay_policy_apps 1.0",
            #"assay_policy_info{digest="\#(Self.digest(cut))"} 1.0"#,
        ] {
            let isThere = metrics.contains(Substring(line))
            #expect(isThere, "\(line)")
        }
        #expect(!metrics.contains { $0.contains(Self.digest(whole)) })
        let change = try #require(try Self.trail(service).last)
        // The service looks at its files every two seconds, and may be faster than the operator, who then finds nothing to change.
        #expect(change["action"] as? String == "change-policy", "\(change)")
        #expect([NSUserName(), ""].contains(change["operator"] as? String), "\(change)")
        #expect(change["subject"] as? String == "policy sha256:\(Self.digest(cut))")
        let detail = change["detail"] as? String ?? ""
        #expect(detail.contains(Self.digest(whole)) && detail.contains("app bank removed"), "\(detail)")
        // The same file again changes nothing, and is no entry.
        #expect(try Self.reload(service).status == 200)
        #expect(try Self.trail(service).count == 1)
        // Back by a changed file: nobody asked for it.
        try Self.write(whole, service.folder)
        try service.waitUntil("bank added") {
            service.entries("reloaded").contains { $0["assay.appsAdded"] as? [String] == ["bank"] }
        }
        #expect(service.entries("the policy may accept more than before").count == 1)
        try service.waitUntil("recorded") { (try? Self.trail(service).count) == 2 }
        let entries = try Self.trail(service)
        #expect(entries.last?["operator"] as? String == "" && "\(entries)".contains("the file changed"))
        let verified = try service.send(
            "GET", "/v1/admin/audit/verify", type: nil, unix: service.folder.path("admin.sock"))
        #expect(verified.json["isSound"] as? Bool == true)
    }

    @Test("A policy that names a key that does not exist is refused; one that brings the key along is not")
    func unknownKey() throws {
        let service = try GuardedService.start("nginx")
        let policy = try Self.policy(service.folder)
        let renamed = policy.replacingOccurrences(of: "keys: [now]", with: "keys: [now, then]")
        try Self.write(renamed, service.folder)
        let refused = try Self.reload(service)
        #expect(refused.status != 200 && refused.body.contains("has a key named then"), "\(refused)")
        #expect(service.entries("reloaded").isEmpty)
        try Self.write(
            renamed.replacingOccurrences(
                of: "keys:\n  -",
                with:
                    "keys:\n  - { name: then, use: approov, secret: \"file:approov.b64\", notBefore: \"2020-01-01T00:00:00Z\", notAfter: \"2021-01-01T00:00:00Z\" }\n  -"
            ), service.folder)
        let answer = try Self.reload(service)
        #expect(answer.status == 200, "\(answer)")
        // The service may have read the file by itself before.
        let changes = service.entries("reloaded").compactMap { $0["assay.changes"] as? String }
        #expect(changes.contains { $0.contains("api.approov.keys changed (now -> [now, then])") }, "\(changes)")
    }

    /// A change of the policy file, whether `refuse-weaker` refuses it, and words of the reason.
    static let changes: [(from: String, to: String, isRefused: Bool, words: String)] = [
        ("environments: [production]", "environments: [production, development]", true, "environments weaker"),
        ("challenge: ledger", "challenge: caller", true, "bank.appAttest.challenge weaker (ledger -> caller)"),
        ("      testRoots: [\"file:root.pem\"]\n", "", false, ""),
        ("receipt: enforce", "receipt: off", true, "app-attest.attestation.receipt weaker (enforce -> off)"),
        ("receipt: enforce", "receipt: annotate", true, "receipt weaker"), ("\(modes)", "", true, "receipt weaker"),
        ("minimumOSVersion: \"16.0\"", "minimumOSVersion: \"15.4\"", true, "minimumOSVersion"),
        ("      minimumOSVersion: \"16.0\"\n", "", true, "shop.appAttest.minimumOSVersion"),
        ("minimumOSVersion: \"16.0\"", "minimumOSVersion: \"16.4\"", false, ""),
        ("minimumOSVersion: \"16.0\"", "minimumOSVersion: \"17\"", false, ""),
        ("      counter: successor\n", "", true, "shop.appAttest.counter"),
        ("name: bank", "name: bench", true, "app bank removed"),
        ("apps:\n", "apps:\n  - name: new\n    approov: {}\n", false, ""),
        ("maximumKeys: 3", "maximumKeys: 4", true, "maximumKeys weaker (3 -> 4)"),
        ("maximumKeys: 3", "maximumKeys: 2", false, ""),
    ]

    @Test(
        "With policy.guard: refuse-weaker, a policy that may accept more is refused, and one that accepts less is not",
        arguments: changes)
    func guarded(_ each: (from: String, to: String, isRefused: Bool, words: String)) throws {
        let service = try RunningService(["policy.guard=refuse-weaker"]) { folder in
            let text = try Self.policy(folder).replacingOccurrences(
                of: "  - name: shop\n    appAttest:\n",
                with: "  - name: shop\n    appAttest:\n      minimumOSVersion: \"16.0\"\n      counter: successor\n"
                    + "      maximumKeys: 3\n")
            try Self.write(text + Self.modes, folder)
        }
        func shown() throws -> String {
            try service.send("GET", "/v1/admin/policy", type: nil, unix: service.folder.path("admin.sock")).body
        }
        let before = try shown()
        let whole = try Self.policy(service.folder)
        let changed = whole.replacingOccurrences(of: each.from, with: each.to)
        try #require(changed != whole)
        try Self.write(changed, service.folder)
        let answer = try Self.reload(service)
        #expect(answer.status == (each.isRefused ? 422 : 200), "\(answer)")
        #expect(try (shown() == before) == each.isRefused)
        guard each.isRefused else { return }
        #expect(answer.body.contains("policy.guard is refuse-weaker") && answer.body.contains(each.words), "\(answer)")
        #expect(answer.body.contains("restart the service"))
    }

    @Test("A reload that fails is an error of the command, with the reason, and a missing service is another one")
    func command() throws {
        let service = try RunningService()
        let program = try BuiltProducts.url("assay").path
        func run(_ options: String) throws -> (status: Int32, text: String) {
            let status = try service.folder.shell("'\(program)' policy reload \(options) >out 2>errors")
            return (status, service.folder.read(status == 0 ? "out" : "errors"))
        }
        try service.folder.write("serve.yaml", "policy: { path: policy.yaml }\nadmin: unix:admin.sock\n")
        #expect(try run("--config serve.yaml") == (0, "reloaded\n"))
        // As `systemctl reload` runs it.
        #expect(try run("--quiet --config serve.yaml") == (0, ""))
        let whole = try Self.policy(service.folder)
        try Self.write("version: 1\napps: []\n", service.folder)
        let failed = try run("--config serve.yaml")
        #expect(failed.status == 2 && failed.text.contains("policy.yaml:2: apps: "), "\(failed)")
        #expect(failed.text.contains("the policy before stays in force"))
        try Self.write(whole, service.folder)
        let missing = try run("--address unix:none.sock")
        #expect(missing.status == 3 && missing.text.contains("cannot connect") && !missing.text.contains("may"))
        // A service that answers too late may reload; a proxy does not know what is in force.
        for (answer, timeout, words) in [
            ("silent", "1s", "no answer within 1s; the request may have taken effect, or may still: see"),
            ("HTTP/1.1 504 x\r\n\r\n", "10m", "answered 504; its log says which policy is in force"),
        ] {
            let peer = try UnixPeer(service.folder.path("\(timeout).sock"), answer: answer, in: service.folder)
            let unknown = try run("--address unix:\(timeout).sock --timeout \(timeout)")
            #expect(unknown.status == 3 && unknown.text.contains(words), "\(unknown)")
            #expect(!unknown.text.contains("stays in force"), "\(unknown)")
            withExtendedLifetime(peer) {}
        }
        #expect(try run("--set admin=none").status == 2)
        let administered = try AdministrationTests.Administered()
        let address = "--address 127.0.0.1:\(administered.port)"
        let refused = try run(address)
        #expect(refused.status == 2 && refused.text.contains("--token"), "\(refused)")
        try service.folder.write("token", administered.tokens["admin"] ?? "")
        try #require(chmod(service.folder.path("token"), 0o600) == 0)
        #expect(try run("\(address) --token file:token") == (0, "reloaded\n"))
    }

    @Test("A policy under review cannot stop the service: pipes and open descriptors are refused without waiting")
    func review() throws {
        let service = try RunningService { folder in try #require(mkfifo(folder.path("pipe"), 0o600) == 0) }
        let policy = try Self.policy(service.folder)
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let answers = (0...processors).flatMap { _ in ["pipe", "/proc/self/fd/2", "/dev/stderr", "/dev/zero"] }.map {
            file in
            let text = policy.replacingOccurrences(of: "root.pem", with: file)
            return Result {
                try service.send(
                    "POST", "/v1/admin/policy/check", type: "application/yaml", body: text,
                    unix: service.folder.path("admin.sock"))
            }
        }
        for answer in answers {
            let answer = try answer.get()
            #expect(answer.status == 200 && answer.json["errors"] as? Int == 2, "\(answer)")
        }
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
        // The policy itself: the watch goes on, and the policy before stays in force.
        try FileManager.default.removeItem(atPath: service.folder.path("policy.yaml"))
        try #require(mkfifo(service.folder.path("policy.yaml"), 0o600) == 0)
        service.signal(SIGHUP)
        let failed = "reload failed: the policy and certificates before stay in use"
        try service.waitUntil("refused") { !service.entries(failed).isEmpty }
        try FileManager.default.removeItem(atPath: service.folder.path("policy.yaml"))
        try Self.write(policy, service.folder)
        try service.waitUntil("reloaded") { !service.entries("reloaded").isEmpty }
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
    }

    @Test("Certificates, keys and authorities of TLS that others may write or read are refused at the start")
    func certificates() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        #expect(
            try folder.shell(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=localhost' "
                    + "-keyout one.key -out one.pem 2>errors; cp one.pem ca.pem; mkfifo pipe") == 0)
        let program = try BuiltProducts.url("assay").path
        for (change, words) in [
            ("chmod 644 one.key", "others may read or replace one.key"), ("chmod 666 one.pem", "may write the file"),
            ("chmod 666 ca.pem", "may write the file"), ("mv pipe ca.pem", "no regular file"),
            (": >ca.pem", "no certificate in PEM"), ("rm ca.pem", "ca.pem: the file cannot be read: it does not exist"),
        ] {
            let status = try folder.shell(
                "rm -rf case; mkdir case; cp -a policy.yaml root.pem one.key one.pem ca.pem pipe case; cd case; chmod 600 one.key; \(change); "
                    + "'\(program)' serve --open --create-ledger --policy policy.yaml --ledger sqlite:l.sqlite --listen 127.0.0.1:0 "
                    + "--set admin=none "
                    + "--set tls.certificate=one.pem --set tls.privateKey=one.key --set tls.clientAuthorities=ca.pem 2>../errors"
            )
            let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
            #expect(status == 2 && errors.contains(words), "\(change): \(errors)")
        }
    }
}
