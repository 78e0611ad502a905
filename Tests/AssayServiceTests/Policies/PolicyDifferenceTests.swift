import Assay
import AssayCore
import AssayHTTP
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("The difference of two policies")
struct PolicyDifferenceTests {
    private static let old = """
        version: 1
        apps:
          - name: ios
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              minimumBundleVersion: "4.2"
              versions: { maximum: "9", withdrawn: ["4.3"] }
              requests: { freshness: { past: 60s } }
          - name: android
            androidKey:
              packages: [com.example.app]
              certificateDigests: ["\(String(repeating: "a", count: 64))"]
              challenge: ledger
              statusList: service
              requests: { body: verified }
        routes:
          - { name: pay, require: all, evidence: [{ app: ios }, { app: android }] }

        """

    /// Compares two policies as a server does, with all defaults.
    private static func difference(_ from: String, _ to: String) throws -> PolicyDifference {
        func effective(_ text: String) throws -> String {
            try PolicyFile.effectiveText(of: text, path: "policy.yaml", engines: .standard)
        }
        return try PolicyDifference(from: effective(from), to: effective(to))
    }

    /// A text of the policy, what replaces it, the changes that must be among those found, and whether more may be accepted.
    static let cases: [(from: String, to: String, changes: [String], isWeaker: Bool)] = [
        ("x", "x", [], false),
        ("\"4.2\"", "\"4.10\"", ["rule ios.appAttest.minimumBundleVersion stricter (4.2 -> 4.10)"], false),
        ("\"4.2\"", "\"4.1.9\"", ["rule ios.appAttest.minimumBundleVersion weaker (4.2 -> 4.1.9)"], true),
        (
            "withdrawn: [\"4.3\"]", "withdrawn: [\"4.3\", \"4.4\"]",
            ["rule ios.appAttest.versions.withdrawn stricter (4.3 -> [4.3, 4.4])"], false
        ),
        (", withdrawn: [\"4.3\"]", "", ["rule ios.appAttest.versions.withdrawn removed"], true),
        ("past: 60s", "past: 1m", [], false),
        ("past: 60s", "past: 2m", ["rule ios.appAttest.requests.freshness.past weaker (1m -> 2m)"], true),
        ("past: 60s", "past: 30s", ["rule ios.appAttest.requests.freshness.past stricter (1m -> 30s)"], false),
        (
            "statusList: service", "statusList: none",
            ["rule android.androidKey.statusList.source changed (service -> none)"], true
        ),
        (
            "packages: [com.example.app]", "packages: [com.example.app, com.example.other]",
            ["rule android.androidKey.packages changed"], true
        ),
        // Without the second package, an app of the same user ID with any version of it is accepted.
        (
            "packages: [com.example.app]", "packages: [com.example.lite]",
            ["rule android.androidKey.packages changed"], true
        ),
        ("require: all", "require: any", ["route pay changed"], true),
        (
            "routes:\n  - { name: pay, require: all, evidence: [{ app: ios }, { app: android }] }\n", "",
            ["route pay removed"], true
        ),
        (
            "routes:", "checks: { app-attest.attestation.receipt: off }\nroutes:",
            ["check app-attest.attestation.receipt weaker (annotate -> off)"], true
        ),
        (
            "apps:\n", "apps:\n  - name: web\n    approov: {}\n",
            ["app web added", "check approov.token.issuer added"], false
        ),
        ("name: android", "name: droid", ["app android removed", "app droid added"], true),
    ]

    @Test("Each change is named, and whether more may be accepted", arguments: cases)
    func changes(_ each: (from: String, to: String, changes: [String], isWeaker: Bool)) throws {
        var to = Self.old.replacingOccurrences(of: each.from, with: each.to)
        if each.from == "name: android" { to = to.replacingOccurrences(of: "app: android", with: "app: droid") }
        let difference = try Self.difference(Self.old, to)
        let found = difference.changes.map(\.description)
        for change in each.changes {
            #expect(found.contains { $0.hasPrefix(change) }, "\(change): \(found)")
        }
        #expect(each.changes.isEmpty == found.isEmpty, "\(found)")
        #expect(difference.weaker.isEmpty == !each.isWeaker, "\(difference.weaker)")
    }

    @Test("A policy that is cut at any line, and can still be read, is weaker, or has the same rules")
    func cuts() throws {
        let lines = Self.old.components(separatedBy: "\n")
        var readable = 0
        for count in 1..<lines.count {
            let cut = lines.prefix(count).joined(separator: "\n") + "\n"
            guard let difference = try? Self.difference(Self.old, cut) else { continue }
            readable += 1
            #expect(difference.changes.isEmpty || !difference.weaker.isEmpty, "\(count): \(difference.changes)")
            #expect(!difference.changes.isEmpty || count >= lines.count - 1, "\(count)")
        }
        #expect(readable > 3, "\(readable)")
    }

    @Test("Names of keys that are new in a policy are found in every list of every app, and accept no more")
    func keys() throws {
        let policy = { (more: String) in "version: 1\napps:\n  - { name: a, approov: { keys: [one] } }\n\(more)" }
        let same = try Self.difference(policy(""), policy(""))
        #expect(same.changes.isEmpty && same.newKeys.isEmpty)
        let renamed = try Self.difference(policy(""), policy("").replacingOccurrences(of: "one", with: "two, one"))
        #expect(renamed.newKeys == ["two"] && renamed.weaker.isEmpty)
        #expect(renamed.changes.map(\.description) == ["rule a.approov.keys changed (one -> [two, one])"])
        let moved = try Self.difference(policy(""), policy("  - { name: b, approov: { keys: [one] } }\n"))
        #expect(moved.newKeys.isEmpty && moved.changes.map(\.description) == ["app b added"])
        let other = try Self.difference(
            policy(""), policy("  - { name: b, approov: { messageSigning: { signer: account, keys: [three] } } }\n"))
        #expect(other.newKeys == ["three"])
        // Only an app that stays as it is has the key, or its name.
        let known = try Self.difference(
            policy("  - { name: two, approov: {} }\n"),
            policy("  - { name: two, approov: {} }\n  - { name: b, approov: { keys: [one, two] } }\n"))
        let escaped = "  - { name: d, approov: { keys: [\"cl\u{e9}\"] } }\n"
        let listed = try Self.difference(
            policy(escaped), policy(escaped + "  - { name: b, approov: { keys: [\"cl\u{e9}\"] } }\n"))
        #expect(listed.newKeys.isEmpty && listed.changes.map(\.description) == ["app b added"])
        #expect(known.newKeys == ["two"] && known.changes.map(\.description) == ["app b added"])
    }

    @Test("Another spelling of the same letters is another name, as it is for engines and ledgers")
    func spellings() throws {
        let policy = { (app: String, issuer: String) in
            "version: 1\napps:\n  - { name: \(app), approov: { issuers: [\(issuer)] } }\n"
        }
        let (one, two) = ("caf\u{e9}", "cafe\u{301}")
        let renamed = try Self.difference(policy(one, "a"), policy(two, "a"))
        #expect(
            Set(renamed.changes.map { Array($0.description.utf8) })
                == [Array("app \(one) removed".utf8), Array("app \(two) added".utf8)])
        #expect(!renamed.weaker.isEmpty)
        let other = try Self.difference(policy("a", one), policy("a", two))
        #expect(other.changes.map(\.effect) == [.weaker], "\(other.changes)")
        // Marks in this order take a time that is quadratic in their number to be compared as letters.
        let marks = String(repeating: "\u{345}\u{301}", count: 100_000)
        let error = #expect(throws: PolicyError.self) {
            try Self.difference(policy("a", "a"), policy(one + marks, "a"))
        }
        #expect(error?.description.contains("apps[0].name: the name of an app has at most 255 bytes") == true)
    }

    @Test("A long list of changes is shortened, and says so")
    func summary() throws {
        let more = (0..<30).map { "  - { name: a\($0), approov: {} }\n" }.joined()
        let policy = "version: 1\napps:\n  - { name: z, approov: {} }\n"
        let changes = try Self.difference(policy, policy + more).changes
        #expect(changes.count == 30)
        #expect(PolicyDifference.summary(changes, atMost: 2) == "app a0 added; app a1 added; and 28 more")
        #expect(PolicyDifference.summary([]).isEmpty)
    }

    @Test("A field that is added may accept more, unless it is known to restrict")
    func added() throws {
        func isWeaker(_ field: String) throws -> Bool {
            let text = "apps:\n  - name: a\n    playIntegrity:\n      packageName: com.example\n"
            return try !PolicyDifference(from: text, to: "\(text)      \(field)\n").weaker.isEmpty
        }
        for field in ["answers: caller", "deviceRecognition: [{ minimumSDK: 1, require: MEETS_BASIC_INTEGRITY }]"] {
            #expect(try isWeaker(field), "\(field)")
        }
        for field in ["answers: google", "minimumVersionCode: 42", "licensing: [LICENSED]", "maximumAge: 1m"] {
            #expect(try !isWeaker(field), "\(field)")
        }
    }
}
