import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayService
import AssayTestSupport
import AssayTesting
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

/// A device that states that it has no evidence is accepted by policy alone, and never without a note.
@Suite("Devices without evidence")
struct NoEvidenceTests {
    private static let section = #"reasons: [unsupported], minimumAppVersion: "5.1", maximumSystemVersion: "15.99""#

    private static func policy(_ section: String? = section, checks: String = "", more: String = "") throws
        -> VerificationPolicy
    {
        try PolicyFile.parse(text(section, checks: checks, more: more), path: "policy.yaml")
    }

    private static func text(_ section: String?, checks: String = "", more: String = "") -> String {
        """
        version: 1
        apps:
          - name: shop
            approov: { tokenHeader: X-Token, format: jws }
        \(section.map { "    noEvidence: { \($0) }" } ?? "")
        \(more)
        \(checks)
        """
    }

    private static func input(
        _ reason: String = "unsupported", code: String? = "dc:1", app: String? = "5.1.0", system: String? = "13.7"
    ) -> DeviceStatementInput {
        DeviceStatementInput(reason: reason, code: code, appVersion: app, systemVersion: system)
    }

    private static func verify(
        _ policy: VerificationPolicy, _ input: DeviceStatementInput = input(), ledger: any Ledger = MemoryLedger(),
        account: String? = nil
    ) async throws -> Verdict {
        try await Verifier(policy: policy, ledger: ledger).verify(input, account: account, at: Fixtures.time)
    }

    // MARK: The note

    @Test("An acceptance has the note, what the device states, no identifier, and no field that claims more")
    func accepted() async throws {
        let verdict = try await Self.verify(try Self.policy())
        #expect(verdict.outcome == .accept && verdict.annotated == [.noneEvidence])
        #expect(verdict.check(.noneEvidence)?.status == .annotated)
        #expect(
            verdict.noEvidence?.fields == [
                SubjectField("reason", .text("unsupported")), SubjectField("code", .text("dc:1")),
                SubjectField("appVersion", .text("5.1.0")), SubjectField("systemVersion", .text("13.7")),
            ])
        #expect(!verdict.isProven && verdict.engineSubject?.identifier == nil && verdict.testAuthority == nil)
        #expect(verdict.json(id: nil).contains(#""annotated":["none.evidence"]"#))
    }

    @Test("No mode, and no allowance, removes the note; the mode `enforce` refuses every such device")
    func modes() async throws {
        for mode in ["annotate", "enforce"] {
            let policy = try Self.policy(checks: "checks: { none.evidence: \(mode) }")
            let verdict = try await Self.verify(policy)
            #expect(verdict.outcome == (mode == "enforce" ? .reject : .accept))
            #expect(verdict.check(.noneEvidence)?.status == (mode == "enforce" ? .failed : .annotated))
        }
        let error = #expect(throws: PolicyError.self) { try Self.policy(checks: "checks: { none.evidence: off }") }
        #expect(error?.field == "checks.none.evidence", "\(error as Any)")
        #expect(error?.message.contains("allowed are enforce and annotate, found off") == true, "\(error as Any)")
        // A policy that is composed in code cannot do it either.
        let app = PolicyApp(name: "shop", NoEvidenceConfiguration(reasons: [.unsupported]))
        for mode in CheckMode.allCases {
            guard
                let policy = try? VerificationPolicy(
                    apps: [app], modes: [.noneEvidence: mode], catalogue: Verifier.catalogue)
            else {
                #expect(mode == .off)
                continue
            }
            #expect(
                try await Self.verify(policy).check(.noneEvidence)?.status == (mode == .enforce ? .failed : .annotated))
        }
        let enforced = try Self.policy(checks: "checks: { none.evidence: enforce }")
        let ledger = MemoryLedger()
        let allowance = LedgerAllowance(
            subject: LedgerSubject(.account, "alice"), checks: [.noneEvidence, .noneReason], reason: "test",
            since: Fixtures.time, until: nil)
        #expect(try await ledger.allow(allowance) == nil)
        let verdict = try await Self.verify(enforced, Self.input("failed"), ledger: ledger, account: "alice")
        #expect(verdict.failed == [.noneEvidence], "\(verdict.failed)")
        #expect(verdict.annotated == [.noneReason], "an allowance excuses the rules about what the device states")
    }

    @Test("A mode of the other checks switches them off, and keeps the note")
    func relaxed() async throws {
        let checks = "checks: { none.reason: off, none.app-version: off, none.system-version: annotate }"
        let verdict = try await Self.verify(
            Self.policy(checks: checks), Self.input("failed", app: nil, system: "26"))
        #expect(verdict.outcome == .accept && verdict.annotated == [.noneSystemVersion, .noneEvidence])
    }

    // MARK: Who is accepted

    @Test("Without the section no app accepts a statement: it is an error of the caller")
    func withoutSection() async throws {
        let policy = try Self.policy(nil)
        let error = await #expect(throws: VerificationError.self) { try await Self.verify(policy) }
        guard case .request(let request)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(request.reason == .unknownApp && request.message.contains("noEvidence"))
    }

    @Test("A statement names its app if several accept such devices")
    func apps() async throws {
        let policy = try Self.policy(more: "  - { name: other, noEvidence: { reasons: [failed] } }")
        let error = await #expect(throws: VerificationError.self) { try await Self.verify(policy) }
        guard case .request(let request)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(request.reason == .ambiguousApp)
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
        let verdict = try await verifier.verify(Self.input(), app: "other", at: Fixtures.time)
        #expect(verdict.app == "other" && verdict.failed == [.noneReason])
    }

    @Test(
        "A blocked account is refused, and so is none where the policy demands one; an account of another changes nothing else",
        .produces("none.account", "account-blocked"))
    func accounts() async throws {
        let policy = try Self.policy()
        let ledger = MemoryLedger()
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "mallory"), reason: "fraud", since: Fixtures.time, until: nil))
        #expect(try await Self.verify(policy, ledger: ledger, account: "mallory").failed == [.noneAccount])
        #expect(try await Self.verify(policy, ledger: ledger, account: "alice").outcome == .accept)
        #expect(try await Self.verify(policy, ledger: ledger).outcome == .accept)
        let strict = try Self.policy("reasons: [unsupported], account: required")
        #expect(try await Self.verify(strict).failed == [.noneAccount])
        #expect(try await Self.verify(strict, account: "alice").outcome == .accept)
    }

    @Test("A statement leaves nothing in the ledger, and is accepted again")
    func repeated() async throws {
        let ledger = FaultyLedger()
        for _ in 0..<3 { #expect(try await Self.verify(try Self.policy(), ledger: ledger).outcome == .accept) }
        #expect(!ledger.history.contains { $0.operation == .commit })
    }

    // MARK: Records

    @Test("A record that is composed for a capture is read as the same statement, redacted or not")
    func captured() async throws {
        let record = EvidenceRecord(
            Self.input(), id: "a", app: "shop", account: "alice", receivedAt: Fixtures.time)
        for record in [record, try record.redacted()] {
            let read = try #require(RecordFile.read(Array(record.jsonLine.utf8)).first).get()
            let verdict = try await Verifier(policy: try Self.policy(), ledger: MemoryLedger())
                .verify(read, at: Fixtures.time)
            #expect(verdict.noEvidence == (try await Self.verify(try Self.policy()).noEvidence))
        }
    }

    @Test("A redacted record keeps no text that no genuine app sends")
    func redacted() throws {
        for code in ["me@example.com\n", String(repeating: "a", count: 65), "é"] {
            let record = EvidenceRecord(
                DeviceStatementInput(reason: "unsupported", code: code), receivedAt: Fixtures.time)
            #expect(try record.redacted().evidence.members.map(\.name) == ["reason"])
        }
    }

    // MARK: The policy

    @Test(
        "A share is a percentage above 0 and up to 100; anything else is refused at its field",
        arguments: [
            ("2%", 0.02), ("0.5%", 0.005), ("100%", 1), ("0.001%", 0.00001), ("\"12.25%\"", 0.1225), ("2", nil),
            ("0%", nil), ("101%", nil), ("-1%", nil), ("+1%", nil), ("1e1%", nil), ("1.%", nil), (".5%", nil),
            ("1.2.3%", nil), ("1.2345%", nil), ("\" 2%\"", nil), ("nan%", nil), ("\"%\"", nil), ("[2%]", nil),
            ("two", nil),
        ] as [(String, Double?)])
    func share(text: String, fraction: Double?) throws {
        let section = "reasons: [unsupported], plausibleShare: \(text)"
        guard let fraction else {
            let error = #expect(throws: PolicyError.self) { try Self.policy(section) }
            #expect(error?.field.hasSuffix("noEvidence.plausibleShare") == true, "\(error as Any)")
            return
        }
        let configuration = try Self.policy(section).apps.first?.configuration(NoEvidenceConfiguration.self)
        let found = try #require(configuration?.plausibleShare?.fraction)
        #expect(abs(found - fraction) < 1e-12)
    }

    @Test(
        "A section that is not as it should be is refused at its field",
        arguments: [
            ("minimumAppVersion: \"5\"", "reasons"), ("reasons: []", "reasons"), ("reasons: unsupported", "reasons"),
            ("reasons: [old]", "reasons[0]"), ("reasons: [failed, failed]", "reasons[1]"),
            ("reasons: [failed], minimumAppVersion: five", "minimumAppVersion"),
            ("reasons: [failed], minimumAppVersion: \"6\", versions: { maximum: \"5\" }", "versions.maximum"),
            ("reasons: [failed], maximumSystemVersion: iOS 15", "maximumSystemVersion"),
            ("reasons: [failed], account: match", "account"), ("reasons: [failed], enforcement: off", "enforcement"),
        ])
    func refused(section: String, field: String) throws {
        let error = #expect(throws: PolicyError.self) { try Self.policy(section) }
        #expect(error?.field.hasSuffix("noEvidence.\(field)") == true, "\(error as Any)")
    }

    @Test("`policy check` says of every section what it gives away, and `policy show` prints the same policy")
    func review() throws {
        let strict = #"""
            reasons: [unsupported], minimumAppVersion: "5", maximumSystemVersion: "15", account: required, plausibleShare: 2%
            """#
        func warnings(_ section: String) -> [String] {
            PolicyReview(text: Self.text(section), path: "policy.yaml", engines: .standard, at: Date()).findings
                .filter { $0.severity == .warning }.map(\.problem.field)
                .compactMap { $0.components(separatedBy: "noEvidence.").dropFirst().first }
        }
        #expect(warnings(strict) == ["reasons"])
        #expect(
            Set(warnings("reasons: [failed]")) == [
                "reasons", "minimumAppVersion", "maximumSystemVersion", "account", "plausibleShare",
            ])
        let shown = try PolicyFile.effectiveText(of: Self.text(strict), path: "policy.yaml", engines: .standard)
        #expect(try PolicyFile.effectiveText(of: shown, path: "policy.yaml", engines: .standard) == shown)
        #expect(shown.contains("none.evidence: annotate"), "\(shown)")
    }

    @Test(
        "A route names the kind, and none demands a statement beside other evidence",
        arguments: [
            ("any", "{ app: shop, kind: approov.token }, { app: shop, kind: none }", nil),
            ("all", "{ app: shop, kind: none }", nil), ("any", "{ app: shop }", nil),
            ("all", "{ app: shop }, { app: shop, kind: none }", "routes[0].evidence"),
            ("any", "{ app: old }", "routes[0].evidence[0].kind"),
        ] as [(String, String, String?)])
    func routes(requirement: String, evidence: String, field: String?) throws {
        let more = """
              - { name: old, noEvidence: { reasons: [failed] } }
            routes:
              - { name: pay, require: \(requirement), evidence: [\(evidence)] }
            """
        guard let field else {
            let route = try #require(try Self.policy(more: more).routes.first)
            #expect(route.evidence.contains { $0.kind == .noEvidence } == evidence.contains("none"))
            return
        }
        let error = #expect(throws: PolicyError.self) { try Self.policy(more: more) }
        #expect(error?.field == field, "\(error as Any)")
    }

    // MARK: Changes

    @Test(
        "A policy that accepts more devices without evidence is reported as weaker, one that accepts fewer is not",
        arguments: [
            (nil, "reasons: [failed]", "evidence shop.noEvidence added", true),
            ("reasons: [failed]", nil, "evidence shop.noEvidence removed", false),
            ("reasons: [failed]", "reasons: [failed, extension]", "rule shop.noEvidence.reasons weaker", true),
            ("reasons: [failed, extension]", "reasons: [failed]", "rule shop.noEvidence.reasons stricter", false),
            (
                "reasons: [failed], maximumSystemVersion: \"15.9\"",
                "reasons: [failed], maximumSystemVersion: \"15.10\"",
                "rule shop.noEvidence.maximumSystemVersion weaker", true
            ),
            (
                "reasons: [failed], maximumSystemVersion: \"15.9\"",
                "reasons: [failed], maximumSystemVersion: \"15.8\"",
                "rule shop.noEvidence.maximumSystemVersion stricter", false
            ),
            (
                "reasons: [failed], account: required", "reasons: [failed]", "rule shop.noEvidence.account weaker", true
            ),
            (
                "reasons: [failed], plausibleShare: 2%", "reasons: [failed], plausibleShare: 90%",
                "rule shop.noEvidence.plausibleShare changed", false
            ),
        ] as [(String?, String?, String, Bool)])
    func difference(old: String?, new: String?, change: String, isWeaker: Bool) throws {
        func effective(_ section: String?) throws -> String {
            try PolicyFile.effectiveText(of: Self.text(section), path: "policy.yaml", engines: .standard)
        }
        let difference = try PolicyDifference(from: effective(old), to: effective(new))
        #expect(difference.changes.contains { $0.description.hasPrefix(change) }, "\(difference.changes)")
        #expect(difference.weaker.contains { $0.description.hasPrefix(change) } == isWeaker, "\(difference.weaker)")
    }

    @Test("The plausible share of each app is a gauge: 0 without the section, 1 without a limit")
    func gauge() throws {
        let metrics = TestMetrics()
        let more = """
              - { name: any, noEvidence: { reasons: [failed] } }
              - { name: few, noEvidence: { reasons: [failed], plausibleShare: 0.5% } }
            """
        let policy = try Self.policy(nil, more: more)
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
        let shares = metrics.meters.filter { $0.label == MetricName.plausibleShare.rawValue }
            .map { "\($0.dimensions.map(\.1).joined()) \($0.lastValue ?? -1)" }
        #expect(Set(shares) == ["shop 0.0", "any 1.0", "few 0.005"])
        withExtendedLifetime(verifier) {}
    }
}
