import AssayTesting
import Foundation
import Testing

/// `assay policy` finds every error and weak setting, shows the policy in force, and writes a usable policy.
@Suite("assay policy")
struct PolicyCommandTests {
    private static let broken = """
        version: 1
        apps:
          - name: api
            approov: { keys: [stored], binding: [Authorization], failovr: reject, maximumLifetime: 10m }
          - name: other
            approov: { keys: [stored], failover: reject, maximumLifetime: x, annotations: { reject: [frda] } }

        """
    private static let weak = broken.replacing("failovr", with: "failover").replacing("maximumLifetime: x, ", with: "")
    private static let strong = """
        version: 1
        apps:
          - name: api
            approov: { keys: [stored], binding: [Authorization], failover: reject, maximumLifetime: 10m }

        """

    @Test("check prints one line per finding, and its status says whether the policy is usable")
    func check() throws {
        let scratch = try Scratch()
        try scratch.write("broken.yaml", Data(Self.broken.utf8))
        try scratch.write("weak.yaml", Data(Self.weak.utf8))
        try scratch.write("strong.yaml", Data(Self.strong.utf8))
        let run = try scratch.assay("policy", "check", "broken.yaml")
        #expect(run.status == 2, "\(run)")
        #expect(run.lines.count == 5, "\(run.output)")
        for beginning in [
            "broken.yaml:4: error: apps[0].approov.failovr: unknown field;",
            "broken.yaml:4: error: apps[0].approov.failover: required field is missing",
            "broken.yaml:6: error: apps[1].approov.maximumLifetime: expected a length of time",
            "broken.yaml:6: warning: apps[1].approov.binding: not set",
            "broken.yaml:6: warning: apps[1].approov.annotations.reject[0]: Assay does not know \"frda\"; did you mean frida?",
        ] {
            #expect(run.lines.count { $0.hasPrefix(beginning) } == 1, "\(beginning): \(run.output)")
        }
        #expect(run.errors == "note: broken.yaml: 3 errors, 2 warnings\n")
        let table: [(arguments: [String], status: Int32, lines: Int)] = [
            (["weak.yaml"], 0, 3), (["weak.yaml", "--strict"], 1, 3), (["strong.yaml", "--strict"], 0, 0),
            (["broken.yaml", "--strict"], 2, 5), (["nosuch.yaml"], 2, 1), ([], 64, 0),
        ]
        for entry in table {
            let run = try scratch.run(["policy", "check"] + entry.arguments)
            #expect(run.status == entry.status && run.lines.count == entry.lines, "\(entry.arguments): \(run)")
        }
        let json = try scratch.assay("policy", "check", "broken.yaml", "--json").json()
        #expect(json.map { $0["severity"] as? String } == ["error", "error", "error", "warning", "warning"])
        #expect(
            json.allSatisfy { $0["file"] as? String == "broken.yaml" && $0["line"] is Int && $0["message"] is String })
        #expect(json.last?["field"] as? String == "apps[1].approov.annotations.reject[0]")
    }

    @Test("An unknown name is noted whenever the policy is read, in the same words")
    func notes() throws {
        let scratch = try Scratch()
        try scratch.write("weak.yaml", Data(Self.weak.utf8))
        try scratch.write(
            "token.json", Data(#"{"id":"a","kind":"approov.token","app":"api","evidence":{"token":""}}"#.utf8))
        let finding = try #require(
            try scratch.assay("policy", "check", "weak.yaml").lines.last { $0.contains("frda") })
        let words = finding.replacing(": warning: ", with: ": ")
        for command in [
            ["verify", "--policy", "weak.yaml", "token.json"], ["replay", "--policy", "weak.yaml", "token.json"],
        ] {
            let run = try scratch.run(command)
            #expect(run.errors.contains("note: \(words)\n"), "\(run.errors)")
        }
    }

    @Test("The output of show is a policy with the same output, and contains no secret")
    func show() throws {
        let scratch = try Scratch()
        try scratch.writeApproov("token.txt", "")
        try scratch.write(
            "policy.yaml",
            Data(
                """
                version: 1
                keys: [{ name: k, use: approov, secret: "file:secret.b64" }]
                apps: [{ name: api, approov: { keys: [k], binding: [Authorization], failover: reject } }]

                """.utf8))
        let run = try scratch.assay("policy", "show", "policy.yaml")
        #expect(run.status == 0 && run.output.contains("secret: \"file:secret.b64\""), "\(run)")
        let secret = try String(contentsOfFile: scratch.path("secret.b64"), encoding: .utf8)
        #expect(!run.output.contains(secret.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(run.output.contains("  approov.token.annotations: enforce\n"))
        try scratch.write("shown.yaml", Data(run.output.utf8))
        #expect(try scratch.assay("policy", "show", "shown.yaml").output == run.output)
        try scratch.write("broken.yaml", Data(Self.broken.utf8))
        let broken = try scratch.assay("policy", "show", "broken.yaml")
        #expect(broken.status == 2 && broken.output.isEmpty && broken.errors.hasPrefix("error: broken.yaml:4: "))
    }

    @Test("init writes a policy without errors for each kind of evidence and for all, and overwrites nothing")
    func start() throws {
        let scratch = try Scratch()
        try scratch.writeApproov("token.txt", "")
        let parts = [
            ["--app-id", "1234567890.com.example.shop"],
            ["--package-name", "com.example.shop", "--certificate-digest", String(repeating: "a1", count: 32)],
            ["--android-key-package", "com.example.shop", "--android-key-package", "com.example.clip"],
            ["--approov-binding", "Authorization"], ["--approov-secret", "file:secret.b64"],
        ]
        let digest = ["--certificate-digest", String(repeating: "a1", count: 32)]
        for (index, part) in (parts + [parts.flatMap(\.self)]).enumerated() {
            let options = part.first == "--android-key-package" ? part + digest : part
            let run = try scratch.run(["policy", "init"] + options + ["--output", "p\(index).yaml"])
            #expect(run.status == 0 && run.output.isEmpty, "\(run)")
            let check = try scratch.assay("policy", "check", "p\(index).yaml")
            #expect(check.status == 0, "\(check.output)")
            let text = try String(contentsOfFile: scratch.path("p\(index).yaml"), encoding: .utf8)
            #expect(
                text.contains("\n      # ") && options.allSatisfy { $0.hasPrefix("--") || text.contains($0) }, "\(text)"
            )
            #expect(try scratch.run(["policy", "init"] + options).output == text)
        }
        // Without `requests`, what the kits send gets 422; without a window, requests that overtake each other are refused.
        let signed = try scratch.run(["policy", "init"] + parts[0]).output
        #expect(signed.contains("      requests: {}\n      counter: window(64)\n"), "\(signed)")
        // The App ID contains characters that end a text in YAML.
        let odd = try scratch.assay("policy", "init", "--app-id", #"1234567890.a"b] #\"#, "--output", "odd.yaml")
        #expect(odd.status == 64 && odd.errors.contains("white space"), "\(odd)")
        #expect(
            try scratch.assay("policy", "init", "--app-id", #"1234567890.a"b]\"#, "--output", "odd.yaml").status == 0)
        let shown = try scratch.assay("policy", "show", "odd.yaml").output
        #expect(shown.contains(#"appIDs: ["1234567890.a\"b]\\"]"#), "\(shown)")
        try scratch.write("mine.yaml", Data("mine".utf8))
        let again = try scratch.run(["policy", "init"] + parts[0] + ["--output", "mine.yaml"])
        #expect(again.status == 74 && again.errors.contains("it exists already"), "\(again)")
        #expect(try String(contentsOfFile: scratch.path("mine.yaml"), encoding: .utf8) == "mine")
    }

    @Test(
        "The policy of init accepts what a new app in the Play Console gets, and init, check and explain say what to turn on"
    )
    func playConsole() throws {
        let scratch = try Scratch()
        let run = try scratch.assay(
            "policy", "init", "--package-name", "com.example.shop", "--certificate-digest",
            String(repeating: "6a", count: 32), "--output", "p.yaml")
        #expect(run.status == 0, "\(run)")
        func record(_ device: String) -> Data {
            Data(
                """
                {"id": "first-day", "kind": "play-integrity.standard", "evidence": {"packageName": "com.example.shop",
                 "requestHash": "aGVsbG8", "decoded": {"tokenPayloadExternal": {
                 "requestDetails": {"requestPackageName": "com.example.shop", "requestHash": "aGVsbG8",
                  "timestampMillis": "1795644000000"},
                 "appIntegrity": {"appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": "com.example.shop",
                  "certificateSha256Digest": ["ampqampqampqampqampqampqampqampqampqampqamo"], "versionCode": "1"},
                 "deviceIntegrity": \(device), "accountDetails": {"appLicensingVerdict": "LICENSED"}}}}}
                """.utf8)
        }
        func verify() throws -> (status: Int32, text: String) {
            let run = try scratch.assay(
                "verify", "--policy", "p.yaml", "--at", "2026-11-25T22:00:30Z", "--json", "record.json")
            return (run.status, run.output + run.errors)
        }
        try scratch.write("record.json", record(#"{"deviceRecognitionVerdict": ["MEETS_DEVICE_INTEGRITY"]}"#))
        let first = try verify()
        #expect(first.status == 0 && first.text.contains("sdk-version-unknown"), "\(first)")
        try scratch.write("record.json", record(#"{"deviceRecognitionVerdict": ["MEETS_BASIC_INTEGRITY"]}"#))
        #expect(try verify().status == 1)
        let text = try String(contentsOfFile: scratch.path("p.yaml"), encoding: .utf8)
        let check = try scratch.assay("policy", "check", "p.yaml")
        let note = check.lines.first { $0.contains(": note: apps[0].playIntegrity.deviceRecognition: ") }
        let explained = try scratch.assay("explain", "play-integrity.device-recognition").output
        let texts = [text, note.map(String.init) ?? "", explained]
        for said in texts {
            #expect(said.contains("Play Console") && said.contains("MEETS_STRONG_INTEGRITY"), "\(said)")
        }
        // The rules that init shows as comments: a token without a version of Android is then rejected, with the code.
        let rules = text.replacing("# deviceRecognition:", with: "deviceRecognition:")
            .replacing("#   - { minimumSDK", with: "  - { minimumSDK")
        try scratch.write("p.yaml", Data(rules.utf8))
        try scratch.write("record.json", record(#"{"deviceRecognitionVerdict": ["MEETS_DEVICE_INTEGRITY"]}"#))
        let later = try verify()
        #expect(later.status == 1 && later.text.contains("sdk-version-unknown"), "\(later)")
    }

    @Test("init refuses values that no policy can have, naming the option, and writes nothing")
    func wrongStart() throws {
        let scratch = try Scratch()
        let table: [(arguments: [String], status: Int32, words: String)] = [
            ([], 64, "needs a terminal"), (["--output", "p.yaml"], 64, "needs a terminal"),
            (["--app-id", "shop"], 64, "error: --app-id: an App ID is"),
            (["--package-name", "com.example.shop"], 64, "--package-name needs --certificate-digest"),
            (["--certificate-digest", "00"], 64, "--certificate-digest needs --package-name or --android-key-package"),
            (["--android-key-package", "com.example.shop"], 64, "--android-key-package needs --certificate-digest"),
            (
                ["--android-key-package", "shop:", "--certificate-digest", String(repeating: "a1", count: 32)], 64,
                "error: --android-key-package: "
            ),
            (
                ["--package-name", "com.example.shop", "--certificate-digest", "00"], 64,
                "error: --certificate-digest: "
            ),
            (
                ["--package-name", "shop:", "--certificate-digest", String(repeating: "a1", count: 32)], 64,
                "--package-name: "
            ),
            (["--approov-binding", "a b"], 64, "error: --approov-binding: "),
            (["--approov-secret", "c2VjcmV0"], 64, "--approov-secret: expected file:PATH or env:NAME"),
            (["--approov-secret", "file:nosuch"], 2, "error: --approov-secret: "),
            (["--name", "shop"], 64, "needs a terminal"),
            (["--name", "", "--app-id", "1234567890.a"], 64, "error: --name: "),
            (["--app-id", "1234567890.a", "--token-issuer", "https://a.example"], 64, "--token-audience"),
            (["--app-id", "1234567890.a", "--token-audience", "orders"], 64, "--token-issuer"),
            (
                ["--app-id", "1234567890.a", "--token-issuer", "http://a.example", "--token-audience", "orders"], 64,
                "error: --token-issuer: expected an https URL"
            ),
            (
                ["--app-id", "1234567890.a", "--token-issuer", "http://127.0.0.1:1", "--token-audience", "orders"], 64,
                "error: --token-issuer: an issuer on this machine"
            ),
            (
                ["--app-id", "1234567890.a", "--token-issuer", "https://a.example", "--token-audience", "a b"], 64,
                "error: --token-audience: "
            ),
            (
                ["--approov-binding", "A", "--token-issuer", "https://a.example", "--token-audience", "orders"], 64,
                "--token-issuer needs --app-id"
            ),
            (["--app-id", "1234567890.a", "--test-roots", "nosuch.pem"], 2, "error: --test-roots: "),
            (["--approov-binding", "A", "--test-roots", "nosuch.pem"], 64, "--test-roots needs --app-id"),
            (["--app-id", "1234567890.a", "--test-responses"], 64, "--test-responses needs --package-name"),
        ]
        for entry in table {
            let run = try scratch.run(
                ["policy", "init"] + entry.arguments
                    + ["--output", "p.yaml"].dropFirst(entry.arguments.contains("--output") ? 2 : 0))
            #expect(run.status == entry.status && run.errors.contains(entry.words), "\(entry.arguments): \(run)")
            #expect(!run.errors.contains("c2VjcmV0") && !scratch.exists("p.yaml"))
        }
    }

    @Test("init asks on a terminal when it has no options")
    func questions() throws {
        let scratch = try Scratch()
        guard try scratch.shell("command -v script").status == 0 else { return }
        let answers =
            "1234567890.com.example.shop, 1234567890.com.example.clip\\n\\n\\nAuthorization\\n\\n"
            + "shop\\nhttps://a.example\\norders api\\n\\n\\n"
        let run = try scratch.shell("printf '\(answers)' | script -qec '\"$ASSAY\" policy init' /dev/null")
        #expect(run.status == 0 && run.output.contains("App Attest: App IDs"), "\(run)")
        let shown = try scratch.assay("policy", "show", "policy.yaml").output
        #expect(shown.contains("appIDs: [1234567890.com.example.shop, 1234567890.com.example.clip]"), "\(shown)")
        #expect(shown.contains("binding: [Authorization]") && !shown.contains("playIntegrity"), "\(shown)")
        #expect(!shown.contains("androidKey"), "\(shown)")
        #expect(shown.contains("name: shop-ios") && shown.contains("name: shop-api"), "\(shown)")
        #expect(
            shown.contains("issuer: \"https://a.example\"") && shown.contains("audiences: [orders, api]"), "\(shown)")
        // What is given is not asked for.
        let given = try scratch.shell(
            "printf '1234567890.a\\n\\n\\n\\n\\n\\n\\ngiven.yaml\\n' | script -qec '\"$ASSAY\" policy init --name shop' /dev/null"
        )
        #expect(given.status == 0 && !given.output.contains("The name of the app"), "\(given)")
        #expect(try scratch.assay("policy", "show", "given.yaml").output.contains("name: shop\n"))
    }

    @Test("init names the apps, adds tokens to those with evidence for them, and test authorities on demand alone")
    func others() throws {
        let scratch = try Scratch()
        for (command, roots) in [("app-attest", "ios.pem"), ("android-key", "android.pem")] {
            #expect(try scratch.run(["mint", command, "device", "\(command).json", "--root", roots]).status == 0)
        }
        let digest = ["--certificate-digest", String(repeating: "a1", count: 32)]
        let all =
            [
                "--app-id", "1234567890.com.example.shop", "--package-name", "com.example.shop",
                "--android-key-package",
                "com.example.shop", "--approov-binding", "Authorization", "--name", "shop",
            ] + digest
        let tokens = ["--token-audience", "orders", "--token-audience", "https://api.example.com", "--token-issuer"]
        let tests = ["--test-roots", "ios.pem", "--test-roots", "android.pem", "--test-responses"]
        for (index, options) in [
            all, all + tokens + ["https://a.example"], all + tokens + ["http://127.0.0.1:8080"] + tests,
        ].enumerated() {
            let path = "p\(index).yaml"
            let run = try scratch.run(["policy", "init", "--output", path] + options)
            #expect(run.status == 0, "\(run)")
            #expect(run.errors.contains("for tests only") == (index == 2), "\(run)")
            let check = try scratch.assay("policy", "check", path)
            #expect(check.status == 0, "\(check)")
            let shown = try scratch.assay("policy", "show", path).output
            for name in ["shop-ios", "shop-android", "shop-android-key", "shop-api"] {
                #expect(shown.contains("name: \(name)\n"), "\(shown)")
            }
            #expect(shown.components(separatedBy: "tokens:\n").count - 1 == (index == 0 ? 0 : 3), "\(shown)")
            #expect(shown.contains("testResponses: allow") == (index == 2))
            #expect(shown.components(separatedBy: "testAuthorities: allow").count - 1 == (index == 2 ? 3 : 0))
            let text = try String(contentsOfFile: scratch.path(path), encoding: .utf8)
            #expect(text.components(separatedBy: "testRoots: ").count - 1 == (index == 2 ? 2 : 0), "\(text)")
        }
    }

    @Test("Misspelt names are answered with a suggestion, and every error begins with error:")
    func suggestions() throws {
        let scratch = try Scratch()
        try scratch.write("x.json", Data("{}".utf8))
        try scratch.write("ledger", Data("x".utf8))
        func policy(_ text: String) throws -> [String] {
            let path = "p\(UUID().uuidString).yaml"
            try scratch.write(path, Data(text.utf8))
            return ["verify", "--policy", path, "x.json"]
        }
        let app = "version: 1\napps: [{ name: api, approov: { binding: [A], failover: reject } }]\n"
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (["help", "nosuch"], 64, "assay has no command \"nosuch\""),
            (["help", "verfy"], 64, "did you mean verify?"),
            (["help", "ledger", "shwo"], 64, "did you mean show?"),
            (["ledger", "check", "--ledger", "foo.sqlite"], 64, "did you mean sqlite:foo.sqlite?"),
            (["ledger", "check", "--ledger", "ledger"], 64, "did you mean sqlite:ledger?"),
            (["ledger", "check", "--ledger", "sqlit:a"], 64, "did you mean sqlite:a?"),
            (["ledger", "check", "--ledger", "sqlite:"], 64, "did you mean sqlite:PATH?"),
            (["challenge", "issue", "--app", "a", "--ledger", "memory"], 64, "did you mean memory:?"),
            (["verify", "--kind", "app-attest.atestation", "x.json"], 64, "did you mean app-attest.attestation?"),
            (["challenge", "issue", "--app", "a", "--for", "assertoin"], 64, "did you mean app-attest.assertion?"),
            (
                ["challenge", "issue", "--app", "a", "--for", "attestation"], 64,
                "write app-attest.attestation or android-key.attestation"
            ),
            (["explain", "app-attest.atestation.nonce"], 64, "did you mean app-attest.attestation.nonce?"),
            (["verify", "--policy", "p", "--at", "now", "x.json"], 64, "expected an RFC 3339 time"),
            (try policy(app.replacing("binding", with: "bindng")), 2, "did you mean binding?"),
            (try policy(app.replacing("approov:", with: "aproov:")), 2, "did you mean approov?"),
            (try policy(app.replacing("reject", with: "rejct")), 2, "did you mean reject?"),
            (try policy(app + "checks: { approov.token.isuer: off }\n"), 2, "did you mean approov.token.issuer?"),
            (try policy(app + "checks: { approov.token.issuer: anotate }\n"), 2, "did you mean annotate?"),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run)")
            #expect(
                run.errors.hasPrefix("error: ") && run.errors.contains(entry.words), "\(entry.arguments): \(run.errors)"
            )
            #expect(!run.errors.contains("Error:"), "\(entry.arguments): \(run.errors)")
        }
        #expect(try scratch.assay("help", "ledger", "show").status == 0)
    }
}
