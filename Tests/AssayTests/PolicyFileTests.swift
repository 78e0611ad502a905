import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Everything in a policy is checked when it is read; an error names line, field, finding and what is allowed.
@Suite("Policy files")
struct PolicyFileTests {
    /// A policy of one app whose App Attest fields are these, from line 5 on.
    private func app(_ fields: String...) -> String {
        "version: 1\napps:\n  - name: shop\n    appAttest:\n" + fields.map { "      \($0)\n" }.joined()
    }

    private let required = [
        "appIDs: [1234567890.com.example.shop]", "environments: [production]", "challenge: caller", "clientData: raw",
    ]

    /// A policy whose required fields are there, with one more on line 9.
    private func with(_ field: String) -> String {
        "version: 1\napps:\n  - name: shop\n    appAttest:\n" + (required + [field]).map { "      \($0)\n" }.joined()
    }

    /// A policy in which one required field, on line 5 + index, is replaced.
    private func replacing(_ index: Int, _ field: String) -> String {
        var fields = required
        fields[index] = field
        return "version: 1\napps:\n  - name: shop\n    appAttest:\n" + fields.map { "      \($0)\n" }.joined()
    }

    private func parse(_ text: String) throws(PolicyError) -> VerificationPolicy {
        try PolicyFile.parse(text, file: "p.yaml", files: MemoryFiles(["file:short": "short"]))
    }

    private func check(_ text: String, _ line: Int?, _ field: String, _ words: String, startsWith: Bool = false) {
        do {
            _ = try parse(text)
            Issue.record("accepted: \(text.prefix(300))")
        } catch {
            #expect(error.file == "p.yaml")
            #expect(error.line == line, "\(error)")
            #expect(
                startsWith ? error.field.utf8.starts(with: field.utf8) : error.field == field, "\(error)")
            #expect(error.message.contains(words), "\(error)")
        }
    }

    private let base = "apps[0].appAttest"

    @Test("addresses are kept, dropped, or hashed with a key of at least 16 bytes")
    func addresses() throws {
        let app = app(required[0], required[1], required[2], required[3])
        guard case .keep = try parse(app).addresses.form,
            case .keep = try parse(app + "addresses: keep\n").addresses.form,
            case .drop = try parse(app + "addresses: drop\n").addresses.form,
            case .hash(let first) = try parse(app + "addresses: hash\n").addresses.form,
            case .hash(let second) = try parse(app + "addresses: hash\n").addresses.form
        else {
            Issue.record("another form")
            return
        }
        #expect(first === second && first.count == 32)
        check(app + "addresses: none\n", 9, "addresses", "allowed are keep, drop, hash")
        check(app + "addresses: {}\n", 9, "addresses.hash", "file:PATH or env:NAME")
        check(app + "addresses: { hash: \"file:short\" }\n", 9, "addresses.hash", "at least 16 random bytes, found 5")
        check(app + "addresses: { key: x }\n", 9, "addresses.key", "allowed are hash")
    }

    @Test(
        "Logs have pseudonyms of accounts, unless the policy keeps or drops accounts; the key may be one of the policy")
    func logAccounts() throws {
        let app = app(required[0], required[1], required[2], required[3])
        func account(_ log: String) throws -> String? { try parse(app + log).logAccounts.shown(account: "al\nice") }
        #expect(try account("log: { account: keep }\n") == #"al\nice"#)
        #expect(try account("log: { account: drop }\n") == nil)
        let pseudonym = try #require(try account(""))
        #expect(pseudonym.hasPrefix("hmac-sha256:") && pseudonym.utf8.count == 34)
        #expect(try account("log: { account: hash }\n") == pseudonym && account("log: {}\n") == pseudonym)
        let keyed = AddressRule.hash(key: SecretBytes([UInt8](repeating: 7, count: 32)))
        #expect(
            keyed.shown(account: "al\nice") != pseudonym && keyed.shown(account: "bob") != keyed.shown(account: "Bob"))
        #expect(keyed.shown(account: pseudonym) != pseudonym, "an account in the form of a pseudonym")
        check(app + "log: { account: none }\n", 9, "log.account", "allowed are keep, drop, hash")
        check(app + "log: { accounts: drop }\n", 9, "log.accounts", "allowed are account")
        check(app + "log: drop\n", 9, "log", "expected a mapping of account")
    }

    @Test("Metrics count verdicts by facts that exist, each once")
    func countedFacts() throws {
        let app = app(required[0], required[1], required[2], required[3])
        #expect(try parse(app).countedFacts == [] && parse(app + "metrics: {}\n").countedFacts == [])
        #expect(
            try parse(app + "metrics: { by: [bundleVersion, osVersion] }\n").countedFacts == [
                "bundleVersion", "osVersion",
            ])
        check(app + "metrics: { by: [osVersions] }\n", 9, "metrics.by[0]", "did you mean osVersion?")
        check(app + "metrics: { by: [keyId] }\n", 9, "metrics.by[0]", "unknown fact keyId; allowed are platform, ")
        check(app + "metrics: { by: [platform, platform] }\n", 9, "metrics.by[1]", "platform is in the list twice")
        check(app + "metrics: { by: [] }\n", 9, "metrics.by", "a list of at least one value")
        check(app + "metrics: { for: [platform] }\n", 9, "metrics.for", "allowed are by")
    }

    @Test("Metrics count listed properties of apps; a header names where requests have them")
    func properties() throws {
        let app = app(required[0], required[1], required[2], required[3])
        let policy = try parse(app + "metrics: { property: [beta, \"b 2\"] }\npropertyHeader: X-Property\n")
        #expect(policy.countedProperties == ["beta", "b 2"] && policy.propertyHeader == "X-Property")
        check(app + "metrics: { property: [bêta] }\n", 9, "metrics.property[0]", "printable ASCII")
        check(app + "metrics: { property: \(Array(0...50)) }\n", 9, "metrics.property", "at most 50 values, found 51")
        check(app + "propertyHeader: \"X Y\"\n", 9, "propertyHeader", "the name of a field such as X-Client-Property")
    }

    @Test("Routes name apps that expect evidence with their requests")
    func routes() throws {
        let apps = """
            version: 1
            apps:
              - name: phone
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  challenge: caller
                  clientData: raw
                  requests: {}
                approov: {}
              - name: api
                approov: {}
              - name: bare
                playIntegrity: { packageName: com.example.shop, platform: pc }
            routes:

            """
        let policy = try parse(
            apps + "  - { name: shop, require: any, evidence: [{ app: phone, kind: approov.token }, { app: api }] }\n")
        #expect(
            policy.routes == [
                PolicyRoute(
                    name: "shop", requirement: .any,
                    evidence: [
                        PolicyRoute.Evidence(app: "phone", kind: .approovToken),
                        PolicyRoute.Evidence(app: "api", kind: .approovToken),
                    ])
            ])
        func refuse(_ route: String, _ field: String, _ words: String, line: Int = 16) {
            check(apps + "  - \(route)\n", line, "routes[0]" + field, words)
        }
        let api = "evidence: [{ app: api }]"
        refuse("{ require: any, \(api) }", ".name", "a name that no app has")
        refuse("{ name: api, require: any, \(api) }", ".name", "an app has the name api")
        refuse("{ name: a/b, require: any, \(api) }", ".name", "letters, digits")
        refuse("{ name: a%2Fb, require: any, \(api) }", ".name", "letters, digits")
        refuse("{ name: shop, \(api) }", ".require", "allowed are any, all")
        refuse("{ name: shop, require: some, \(api) }", ".require", "any, all")
        refuse("{ name: shop, require: any }", ".evidence", "a list of apps")
        refuse("{ name: shop, require: any, evidence: [] }", ".evidence", "at least one value")
        refuse("{ name: shop, require: any, evidence: [{ app: ap }] }", ".evidence[0].app", "did you mean api")
        refuse("{ name: shop, require: any, evidence: [{ app: bare }] }", ".evidence[0].app", "expects no evidence")
        refuse("{ name: shop, require: any, evidence: [{ app: phone }] }", ".evidence[0].kind", "several kinds")
        refuse(
            "{ name: shop, require: any, evidence: [{ app: phone, kind: approov.message }] }", ".evidence[0].kind",
            "app-attest.request, approov.token")
        refuse("{ name: shop, require: all, evidence: [{ app: api }, { app: api }] }", ".evidence[1]", "twice")
        check(
            apps + "  - { name: shop, require: any, \(api) }\n  - { name: shop, require: any, \(api) }\n", 17,
            "routes[1].name", "two routes")
    }

    @Test("A document that is no policy is refused")
    func documents() {
        check("", 1, "", "the file is empty")
        check("# nothing\n", 1, "", "the file is empty")
        check("---\n", 2, "", "found nothing")
        check(
            "just text", 1, "",
            "expected a mapping of version, keys, apps, routes, checks, addresses, log, metrics, propertyHeader, found \"just text\""
        )
        check("- 1\n", 1, "", "found a list")
        check("version: 1\napps: [", 3, "", "not YAML")
        check("\u{FEFF}version: 1\n", 1, "", "byte order mark")
        check("version: 1\n\tapps: []\n", 2, "", "not YAML")
        check(with("counter: increasing") + "---\nversion: 1\n", 10, "", "another document")
        check("version: 1\u{0}\n", nil, "", "not YAML")
        check("? [a]\n: 1\n", 1, "", "expected text as a key")
    }

    @Test("The version is 1, and there are apps")
    func head() {
        check("apps: []\n", 1, "version", "required field is missing; allowed is 1")
        check("version: 2\n", 1, "version", "expected 1, found \"2\"")
        check("version: 1.0\n", 1, "version", "expected 1")
        check("version:\n", 1, "version", "found nothing")
        check("version: 1\n", 1, "apps", "required field is missing")
        check("version: 1\napps: []\n", 2, "apps", "a list of at least one value")
        check("version: 1\napps: {}\n", 2, "apps", "found a mapping")
        check(
            "version: 1\nunknown: 2\n", 2, "unknown",
            "unknown field; allowed are version, keys, apps, routes, checks, addresses, log, metrics, propertyHeader")
        check("version: 1\n<<: {apps: []}\n", 2, "<<", "unknown field")
        check("version: 1\napps:\n  - shop\n", 3, "apps[0]", "expected a mapping of name, appAttest")
        check("version: 1\napps:\n  - appAttest: {}\n", 3, "apps[0].name", "required field is missing")
        check(
            "version: 1\napps:\n  - name: shop\n", 3, "apps[0]",
            "has no section for any evidence; allowed are appAttest")
        check("version: 1\napps:\n  - name: ~\n", 3, "apps[0].name", "found nothing")
        check("version: 1\napps:\n  - name: shop\n    ios: 1\n", 4, "apps[0].ios", "unknown field; allowed are name")
    }

    @Test("Duplicate keys are refused in every quotation, and names are unique")
    func duplicates() {
        check("version: 1\nversion: 1\n", 1, "version", "twice")
        check("version: 1\n\"version\": 1\n", 1, "version", "twice")
        check(with("counter: increasing\n      counter: successor"), 9, "counter", "twice")
        check(with("counter: increasing\n      !x counter: successor"), 10, "counter", "twice")
        let second = with("counter: increasing").split(separator: "\n").dropFirst(2).joined(separator: "\n")
        check(with("counter: increasing") + second, 10, "apps[1]", "two apps are named shop")
        let named = (with("counter: increasing") + second).split(separator: "name: shop")
        check("\(named[0])name: caf\u{E9}\(named[1])name: cafe\u{301}\(named[2])", 10, "apps[1]", "two apps are named")
    }

    @Test("Every missing required field is reported")
    func missing() {
        for (index, field) in ["appIDs", "environments", "challenge", "clientData"].enumerated() {
            check(replacing(index, "receipt: {}"), 5, "\(base).\(field)", "required field is missing")
        }
    }

    @Test("App IDs have a prefix and no wildcard, and are unique")
    func appIDs() {
        for appID in ["shop", "1234567890.", ".com.example", "\"1234567890.com example\"", "1234567890.com.éxample"] {
            check(replacing(0, "appIDs: [\(appID)]"), 5, "\(base).appIDs[0]", "App ID")
        }
        check(replacing(0, "appIDs: [1234567890.b, \"1234567890.*\"]"), 5, "\(base).appIDs[1]", "wildcard")
        check(
            replacing(0, "appIDs: [1234567890.b, 1234567890.b]"), 5, "\(base).appIDs[1]",
            "1234567890.b is in the list twice")
        check(replacing(0, "appIDs: []"), 5, "\(base).appIDs", "at least one")
        check(replacing(0, "appIDs: a.b"), 5, "\(base).appIDs", "found \"a.b\"")
        check(replacing(0, "appIDs: [~]"), 5, "\(base).appIDs[0]", "found nothing")
    }

    @Test("Words are those that are allowed, in their one spelling")
    func words() {
        check(replacing(1, "environments: [sandbox]"), 6, "\(base).environments[0]", "production, development")
        check(replacing(1, "environments: [production, production]"), 6, "\(base).environments[1]", "twice")
        check(replacing(1, "environments: production"), 6, "\(base).environments", "a list")
        check(replacing(2, "challenge: Ledger"), 7, "\(base).challenge", "ledger, caller, found \"Ledger\"")
        check(replacing(3, "clientData: json"), 8, "\(base).clientData", "raw, none or { challengeAt")
        check(replacing(3, "clientData: {}"), 8, "\(base).clientData.challengeAt", "required")
        check(replacing(3, "clientData: { at: /c }"), 8, "\(base).clientData.at", "allowed are challengeAt")
        check(replacing(3, "clientData: { challengeAt: c }"), 8, "\(base).clientData.challengeAt", "RFC 6901")
        check(
            with("counter: any"), 9, "\(base).counter",
            "increasing, successor or window(N) with N from 1 to 1024, found \"any\"")
        for window in [
            "window", "window()", "window(0)", "window(1025)", "window(+5)", "window(05)", "window(5) ", "Window(5)",
        ] {
            check(with("counter: \"\(window)\""), 9, "\(base).counter", "window(N)")
        }
        check(with("reattestation: maybe"), 9, "\(base).reattestation", "refresh, refuse")
        check(with("versions: { minimum: \"2\" }"), 9, "\(base).versions.minimum", "allowed are maximum, withdrawn")
        check(
            with("minimumBundleVersion: \"2\"\n      versions: { maximum: \"1\" }"), 10, "\(base).versions.maximum",
            "below the minimum")
        check(with("receipt: { maximumAge: 4294967295y }"), 9, "\(base).receipt.maximumAge", "at most ten years")
        check(with("account: maybe"), 9, "\(base).account", "none, match, required")
        check(with("maximumKeys: 0"), 9, "\(base).maximumKeys", "from 1 to 1000")
        check(with("keysExceeded: refuse"), 9, "\(base).keysExceeded", "maximumKeys, which is missing")
        check(with("counter: yes"), 9, "\(base).counter", "found \"yes\"")
        check(with("validationCategories: []"), 9, "\(base).validationCategories", "at least one")
        check(with("validationCategories: [store]"), 9, "\(base).validationCategories[0]", "appStore")
        check(with("unknown: 1"), 9, "\(base).unknown", "unknown field; allowed are appIDs")
    }

    @Test("Versions and lengths of time have one form")
    func values() {
        check(with("minimumOSVersion: iOS16"), 9, "\(base).minimumOSVersion", "numbers and periods")
        check(with("minimumOSVersion: 16."), 9, "\(base).minimumOSVersion", "numbers and periods")
        check(with("minimumOSVersion: {}"), 9, "\(base).minimumOSVersion", "empty mapping")
        check(with("minimumOSVersion: { iOS: x }"), 9, "\(base).minimumOSVersion.iOS", "numbers and periods")
        check(with("minimumOSVersion: { watchOS: 1 }"), 9, "\(base).minimumOSVersion.watchOS", "iOS, macOS")
        check(with("minimumBundleVersion: [1]"), 9, "\(base).minimumBundleVersion", "found a list")
        check(with("receipt: { maximumAge: 5 }"), 9, "\(base).receipt.maximumAge", "such as 90s, 5m")
        check(with("receipt: { maximumAge: -0s }"), 9, "\(base).receipt.maximumAge", "such as 90s, 5m")
        check(with("receipt: { maximumRiskMetric: -1 }"), 9, "\(base).receipt.maximumRiskMetric", "whole number")
        check(with("receipt: { age: 5m }"), 9, "\(base).receipt.age", "maximumAge, maximumRiskMetric")
    }

    @Test("Modes are for policy checks that there are; relaxing a gate is refused at its line with the reason")
    func modes() {
        let policy = with("counter: increasing")
        check(
            policy + "checks:\n  app-attest.attestation.chain: annotate\n", 11,
            "checks.app-attest.attestation.chain", "is a gate and is always enforced, found annotate. It stops this: ")
        check(
            policy + "checks:\n  app-attest.assertion.counter: off\n", 11,
            "checks.app-attest.assertion.counter", "decided by the ledger")
        check(policy + "checks:\n  app-attest.nonsense: off\n", 11, "checks.app-attest.nonsense", "there is no check")
        check(
            policy + "checks:\n  app-attest.attestation.receipt: maybe\n", 11,
            "checks.app-attest.attestation.receipt", "enforce, annotate, off, found \"maybe\"")
        check(
            policy + "checks:\n  app-attest.attestation.receipt: false\n", 11,
            "checks.app-attest.attestation.receipt", "found \"false\"")
        check(policy + "checks: [a]\n", 10, "checks", "expected a mapping of check names")
    }

    @Test("Deep nesting and exponential aliases are refused quickly")
    func bombs() {
        let structureTime = ProcessorTime.measure {
            check("version: " + String(repeating: "[", count: 900_000), 1, "", "nesting level")
            check(
                "version: " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40), 1,
                "version" + String(repeating: "[0]", count: 31), "nested deeper than 32")
            check(String(repeating: "- ", count: 500_000) + "a", 1, "", "nesting level")
            for key in ["", "? "] {
                var bomb = "version: 1\n\(key)&a0 [x, x, x, x, x, x, x, x, x, x]\n"
                for level in 1...20 {
                    bomb += "\(key)&a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
                }
                check(bomb, 2, "", "not allowed")
            }
            check(
                "version: [" + String(repeating: "0, ", count: 100_000) + "0]", 1, "version[99997]", "more than 100000")
        }
        #expect(structureTime < .seconds(5) * Sanitizer.slowdown)
        // A simple key has at most 1024 characters.
        let keyMarks = String(repeating: "\u{301}\u{323}", count: 200)
        let marks = String(repeating: "\u{301}\u{323}", count: 100_000)
        let time = ProcessorTime.measure {
            check("version: a\(marks)\n", 1, "version", "expected 1")
            check("version: 1\napps:\n  - na\(keyMarks): x\n", 3, "apps[0].na", "unknown field", startsWith: true)
            check(
                with("counter: successor") + "checks: { a\(keyMarks): off }\n", 10, "checks.a", "there is no check",
                startsWith: true)
            check(with("counter: successor\(marks)"), 9, "\(base).counter", "expected increasing")
        }
        #expect(time < .seconds(10) * Sanitizer.slowdown)
    }

    @Test("Anchors and aliases are refused with their line; similar text passes")
    func aliases() {
        let refused = [
            ("a: *b\n", 1), ("a: &b c\n", 1), ("- *b", 1), ("\n? &b\n", 2), ("\r\n[x,*b]", 2), ("{a: 1,&b c: d}", 1),
            ("\"a # b\": &c d\n", 1), ("'a # b': &c d\n", 1), ("'it''s # b': &c d\n", 1), ("a: \"\n # \" , &b", 2),
            ("{\"a\":&b c}", 1), ("# c\r\n&b d", 2), ("!!str &b c", 1),
            ("--- &b\n", 1), ("\t&b", 1), ("a: |\n  text\n*b : c", 3), ("[[a]&b c]", 1), ("a: x # y\nb: *x", 2),
        ]
        for (text, line) in refused { check(text, line, "", "an anchor or an alias") }
        for text in ["R&D", "a & b", "a*b", "\"a & b\"", "\"*.pem\" # don't use *all* of &them", "a&b # it's *b"] {
            check("# *x\nversion: \(text)\n", 2, "version", "expected 1")
        }
    }

    @Test(
        "A line that ends for the parser and not in an editor is refused, so that nothing hides and lines are counted alike"
    )
    func lineBreaks() {
        for (mark, name) in [
            ("\r", "carriage return"), ("\u{85}", "next line"), ("\u{2028}", "line separator"),
            ("\u{2029}", "paragraph separator"),
        ] {
            check(with("counter: increasing # or\(mark)      receipt: {}"), 9, "", name)
            check("version: 1\r\n# c\(mark)&b d\r\n", 2, "", name)
            check("version: 1\n\(String(repeating: mark, count: 40))a: [", 2, "", name)
        }
        check("version: 1\n\r", 2, "", "carriage return")
    }

    @Test("The ledger's challenge needs a place in the client data: otherwise no assertion consumes one")
    func challengeWithoutPlace() {
        let text = app(required[0], required[1], "challenge: ledger", "clientData: none")
        check(
            text, 8, "apps[0].appAttest.clientData", "none and challenge: ledger exclude each other", startsWith: true)
    }

    @Test("A value is the same with and without quotes, and every form of a field is read")
    func accepted() throws {
        let policies = [
            with("counter: successor"), with("\"counter\": \"increasing\""), with("minimumOSVersion: 16.0"),
            with("minimumOSVersion: \"16.0\""), with("minimumOSVersion: { iOS: 16, macOS: \"14.2\" }"),
            with("minimumBundleVersion: 1.2.3"), with("validationCategories: [appStore, testFlight]"),
            with("receipt: { maximumAge: 12h, maximumRiskMetric: 4 }"), with("receipt: {}"),
            replacing(3, "clientData: none"), replacing(3, "clientData: { challengeAt: /a/0/b~1c }"),
            replacing(2, "challenge: 'ledger'"),
            with("counter: successor").replacingOccurrences(of: "\n", with: "\r\n"),
            with("counter: successor") + "checks:\n  app-attest.attestation.receipt: \"off\"\n",
        ]
        for text in policies {
            let policy = try parse(text)
            #expect(policy.apps.map(\.name) == ["shop"])
            #expect(policy.apps.first?.configuration(AppAttestConfiguration.self) != nil)
        }
        let policy = try parse(
            with("receipt: { maximumAge: 12h }") + "checks: { app-attest.attestation.receipt: enforce }")
        #expect(policy.apps.first?.configuration(AppAttestConfiguration.self)?.receipt.maximumAge == 43_200)
        #expect(policy.modes[CheckID("app-attest.attestation.receipt")] == .enforce)
    }
}
