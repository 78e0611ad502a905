import AssayCore
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("The configuration of a service")
struct ConfigurationTests {
    private func read(
        _ yaml: String? = nil, _ environment: [String: String] = [:], _ settings: [(String, String)] = []
    ) throws(PolicyError) -> ServiceConfiguration {
        let folder = try? TestFolder()
        let file = yaml.flatMap { try? folder?.write("service.yaml", $0) }
        return try ServiceConfiguration(
            file: file, environment: environment, settings: settings.map { (key: $0.0, value: $0.1) })
    }

    @Test("The command line overrides the environment, which overrides the file, which overrides the defaults")
    func precedence() throws {
        let yaml = "policy: p.yaml\nlimits: { body: 64KiB, requests: 7, line: 2MiB }\nadmin: none\n"
        let service = try read(
            yaml, ["ASSAY_LIMITS_REQUESTS": "8", "ASSAY_LIMITS_BODY": "65KiB", "ASSAY_LISTEN": "[::1]:1", "HOME": "/"],
            [("limits.requests", "9"), ("open", "true")])
        #expect(service.policy == "p.yaml" && service.admin == nil && service.isOpen)
        #expect(service.limits.requests == 9 && service.limits.body == 65 << 10 && service.limits.line == 2 << 20)
        #expect(service.listen == .tcp(host: "::1", port: 1))
        #expect(service.limits.headers == ServiceConfiguration().limits.headers)
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var yaml: String?
        var environment: [String: String] = [:]
        var setting: [String] = []
        let field: String
        let words: String
        var line: Int?
        var testDescription: String { "\(yaml ?? "") \(environment) \(setting)" }
    }

    static let mistakes: [Mistake] =
        [
            Mistake(field: "policy", words: "required"),
            Mistake(yaml: "policy: p\nlimit: {}\n", field: "limit", words: "did you mean limits?", line: 2),
            Mistake(
                yaml: "policy: p\nlimits:\n  bdy: 1KiB\n", field: "limits.bdy", words: "did you mean body?", line: 3),
            Mistake(
                yaml: "policy: p\nlimits: { body: 1 }\n", field: "limits.body", words: "from 1KiB to 32MiB", line: 2),
            Mistake(
                yaml: "policy: p\nlimits: { body: 2 MiB }\n", field: "limits.body", words: "such as 512KiB", line: 2),
            Mistake(yaml: "policy: p\nlimits: { body: -1 }\n", field: "limits.body", words: "found \"-1\"", line: 2),
            Mistake(
                yaml: "policy: p\nlimits: { requests: 0 }\n", field: "limits.requests", words: "from 1 to", line: 2),
            Mistake(
                yaml: "policy: p\nlimits: { bodyTime: 2h }\n", field: "limits.bodyTime", words: "up to 1h", line: 2),
            Mistake(
                yaml: "policy: p\nlimits: { idleTime: 0s }\n", field: "limits.idleTime", words: "more than none",
                line: 2),
            Mistake(yaml: "policy: p\nlisten: 8080\n", field: "listen", words: "HOST:PORT", line: 2),
            Mistake(
                yaml: "policy: p\nlisten: a:99999\n", field: "listen",
                words: "found \"a:99999\"; a port is at most 65535",
                line: 2),
            Mistake(
                yaml: "policy: p\nlisten: unix:\(String(repeating: "a", count: 108))\n", field: "listen",
                words: "the path has 108 bytes, and may have 107", line: 2),
            Mistake(yaml: "policy: p\nlisten: ::1:80\n", field: "listen", words: "[IPV6]:PORT", line: 2),
            Mistake(yaml: "policy: p\nlisten: \"unix:\"\n", field: "listen", words: "unix:PATH", line: 2),
            Mistake(yaml: "policy: p\nopen: yes\n", field: "open", words: "true, false", line: 2),
            Mistake(yaml: "policy: p\nlogLevel: loud\n", field: "logLevel", words: "expected one of", line: 2),
            Mistake(yaml: "policy: p\ntls: { certificate: c }\n", field: "tls.privateKey", words: "required"),
            Mistake(yaml: "policy: p\ntls: { clientAuthorities: c }\n", field: "tls.certificate", words: "required"),
            Mistake(
                yaml: "policy: p\nauthorize: { dialect: nginx, peers: [127.0.0.1], bodies: forwarded }\n",
                field: "authorize.bodies", words: "sends no bodies"),
            Mistake(yaml: "policy: p\nlisten: 0.0.0.0:80\nopen: true\n", field: "open", words: "loopback"),
            Mistake(
                yaml: "policy: p\nlisten: localhost:80\nadmin: 0.0.0.0:81\nopen: true\n", field: "open",
                words: "loopback"),
            Mistake(yaml: "policy: p\nlisten: h:80\nadmin: h:80\n", field: "admin", words: "choose another"),
            Mistake(
                environment: ["ASSAY_POLICY": "p", "ASSAY_LIMITS_BODI": "1KiB"], field: "ASSAY_LIMITS_BODI",
                words: "did you mean ASSAY_LIMITS_BODY?"),
            Mistake(
                environment: ["ASSAY_POLICY": "p", "ASSAY_RETRY_AFTER": "soon"], field: "ASSAY_RETRY_AFTER",
                words: "expected a number"),
            Mistake(
                setting: ["limits.bodytime", "1s"], field: "limits.bodytime", words: "did you mean limits.bodyTime?"),
        ]
        + ["0.0.0.0/0", "::/0", "0.0.0.0/7", "128.0.0.0/1", "fc00::/6"].map { range in
            Mistake(
                yaml: "policy: p\nauthorize:\n  dialect: nginx\n  peers: [127.0.0.1, \"\(range)\"]\n",
                field: "authorize.peers[1]", words: "list only gateways", line: 4)
        }

    @Test("An error names the file and line, the variable or the option, and what is allowed", arguments: mistakes)
    func mistake(_ each: Mistake) throws {
        do {
            _ = try read(each.yaml, each.environment, each.setting.isEmpty ? [] : [(each.setting[0], each.setting[1])])
            Issue.record("accepted")
        } catch {
            #expect(error.field == each.field, "\(error)")
            #expect(error.message.contains(each.words), "\(error)")
            #expect(error.line == each.line, "\(error)")
        }
    }

    @Test("Advice about an address is given only where it is right")
    func advice() {
        for address in ["::1:18080", ":18080", "[::1:18080", "localhost", "unix:", "a:x"] {
            #expect(ListenAddress.advice(on: address).isEmpty, "\(address)")
        }
        #expect(ListenAddress.advice(on: "a:65536").contains("65535"))
    }

    @Test("The policy is a path, or a path and its guard; names of hosts are a list")
    func policyGuard() throws {
        let guarded = try read("policy: { path: p.yaml, guard: refuse-weaker }\nallowedHosts: [assay.example.com, b]\n")
        #expect(guarded.policy == "p.yaml" && guarded.policyGuard == .refuseWeaker)
        #expect(guarded.allowedHosts == ["assay.example.com", "b"])
        #expect(try read("policy: { path: p.yaml }\n").policyGuard == .off)
        let other = try read(
            "policy: p\n", ["ASSAY_POLICY_GUARD": "refuse-weaker", "ASSAY_ALLOWED_HOSTS": "a.example, b"])
        #expect(other.policy == "p" && other.policyGuard == .refuseWeaker && other.allowedHosts == ["a.example", "b"])
        #expect(try read("policy: p\n", [:], [("policy.guard", "refuse-weaker")]).policyGuard == .refuseWeaker)
        for yaml in [
            "policy: { guard: refuse-weaker }\n", "policy: { path: p, guard: on }\n",
            "policy: p\nallowedHosts: [\"a:1\"]\n",
        ] {
            #expect(throws: PolicyError.self) { _ = try read(yaml) }
        }
    }

    @Test("The greatest ranges of peers are those of private networks")
    func greatestRanges() throws {
        let ranges = try read("policy: p\nauthorize: { dialect: nginx, peers: [10.0.0.0/8, \"fc00::/7\"] }\n")
        #expect(ranges.authorize.peers.count == 2)
    }

    @Test("Docs/service.md has every code of a problem, with its meaning")
    func codes() throws {
        let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Docs/service.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        for code in ProblemCode.allCases {
            #expect(rows.contains("| `\(code.rawValue)` | \(code.meaning) |"), "\(code.rawValue)")
        }
    }

    @Test("Every wrong call of the library has a code of its own, and a missing status list is a missing service")
    func codesOfCalls() {
        for reason in RequestError.Reason.allCases {
            let code = ProblemCode(RequestError(reason, ""))
            #expect(code.rawValue == (reason == .noStatusList ? "no-service" : reason.rawValue))
        }
    }

    @Test("Docs/service.md has every key, with its form, its default and its help, and an example that is read")
    func documented() throws {
        let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Docs/service.md")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let example = lines.drop { $0 != "policy: /etc/assay/policy.yaml" }.prefix { $0 != "```" }
        #expect(try read(example.joined(separator: "\n") + "\n").listen == .unix(path: "/run/assay/assay.sock"))
        for key in ServiceKey.all {
            #expect(lines.contains("| `\(key.path)` | \(key.form) | \(key.standard) | \(key.help) |"), "\(key.path)")
        }
    }

    @Test("A variable never holds a source of a secret; ASSAY_MASTER_KEY is the secret itself")
    func variables() throws {
        let names = ServiceKey.all.compactMap(\.variable)
        #expect(names.contains("ASSAY_TLS_CLIENT_AUTHORITIES") && names.contains("ASSAY_SHUTDOWN_DELAY"))
        #expect(!names.contains("ASSAY_MASTER_KEY") && Set(names).count == names.count)
        _ = try read("policy: p\n", ["ASSAY_MASTER_KEY": "x", "ASSAY_UNRELATED_THING": "y"])
    }

    @Test(
        "A source of a secret that cannot be read is named by its key, and not shown",
        arguments: ["masterKey", "serviceAccount"])
    func sources(_ key: String) throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let program = try BuiltProducts.url("assay").path
        let status = try folder.shell(
            "HOME=\"$PWD\" '\(program)' serve --create-ledger --policy policy.yaml --ledger sqlite:l --set \(key)=hunter2 2>errors"
        )
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(status == 64 || status == 2, "\(errors)")
        #expect(
            errors.contains("\(key): expected file:PATH or env:NAME") && !errors.contains("hunter2"), "\(errors)"
        )
    }
}
