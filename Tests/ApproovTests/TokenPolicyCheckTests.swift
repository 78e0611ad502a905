import Approov
import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The decisions of the policy and the ledger on authentic tokens.
@Suite("Policy checks of Approov tokens")
struct TokenPolicyCheckTests {
    private func judge(
        _ settings: ApproovConfiguration.Settings, ledger: any Ledger = MemoryLedger(), address: String? = nil,
        at now: Date = TokenFixtures.now, change: (inout JSONItem) -> Void
    ) async throws -> Verdict {
        var claims = TokenFixtures.claims
        change(&claims)
        return try await TokenFixtures.verifier(settings, ledger: ledger).verify(
            ApproovTokenInput(token: TokenFixtures.token(claims), address: address), at: now)
    }

    // MARK: Annotations

    /// Annotations, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        let found: [String]
        let others: AnnotationRules.Rule
        let status: CheckResult.Status
        var testDescription: String { "\(found), others \(others)" }
    }

    static let cases: [Case] = [
        Case(found: [], others: .reject, status: .skipped),
        Case(found: ["frida"], others: .ignore, status: .failed),
        Case(found: ["debug", "rooted", "frida"], others: .ignore, status: .failed),
        Case(found: ["rooted"], others: .reject, status: .annotated),
        Case(found: ["debug"], others: .reject, status: .passed),
        Case(found: ["debug", "rooted"], others: .reject, status: .annotated),
        Case(found: ["something-new"], others: .reject, status: .failed),
        Case(found: ["something-new"], others: .note, status: .annotated),
        Case(found: ["something-new"], others: .ignore, status: .passed),
        Case(found: ["Frida", "frida ", "frid\u{430}", ""], others: .ignore, status: .passed),
    ]

    @Test("Each annotation is treated by its list; unlisted ones are treated by `others`", arguments: cases)
    func annotations(_ each: Case) async throws {
        var settings = TokenFixtures.lenient
        settings.annotations = AnnotationRules(
            reject: ["frida"], note: ["rooted"], ignore: ["debug"], others: each.others)
        let verdict = try await judge(settings) { $0["anno"] = .array(each.found.map { .text($0) }) }
        #expect(verdict.tokenResult(CheckID.approovTokenAnnotations)?.status == each.status)
        #expect(verdict.outcome == (each.status == .failed ? .reject : .accept))
        if each.status == .failed || each.status == .annotated {
            #expect(verdict.tokenDetail(CheckID.approovTokenAnnotations).contains(each.found.last ?? ""))
        }
    }

    @Test("Without rules, every annotation is noted, with control characters escaped")
    func standardRules() async throws {
        let verdict = try await judge(TokenFixtures.lenient) { $0["anno"] = ["root\u{1B}[2J\u{202E}ed"] }
        #expect(verdict.annotated == [CheckID.approovTokenAnnotations])
        #expect(
            !verdict.tokenDetail(CheckID.approovTokenAnnotations).unicodeScalars.contains {
                [0x1B, 0x202E].contains($0.value)
            })
    }

    // MARK: Issuers and audiences

    @Test("Issuers are allowed by name, separately for apps and for servers")
    func issuers() async throws {
        var settings = TokenFixtures.lenient
        settings.issuers = ["failover.example"]
        settings.longLivedIssuers = ["billing"]
        let cases: [(iss: String, hasDevice: Bool, failed: [CheckID], source: ApproovClaims.Source)] = [
            ("failover.example", true, [], .app), ("failover.example", false, [], .failover),
            ("billing", false, [], .longLived), ("billing", true, [CheckID.approovTokenIssuer], .app),
            ("Billing", false, [CheckID.approovTokenIssuer], .failover),
            ("other", false, [CheckID.approovTokenIssuer], .failover),
        ]
        for each in cases {
            let verdict = try await judge(settings) {
                $0["iss"] = .text(each.iss)
                if !each.hasDevice { $0["did"] = nil }
            }
            #expect(verdict.failed == each.failed, "\(each.iss)")
            #expect(verdict.approov?.source == each.source)
        }
    }

    @Test("A long-lived token is valid until its exp, with or without an audience")
    func longLived() async throws {
        var settings = TokenFixtures.strict
        settings.binding = []
        settings.longLivedIssuers = ["billing"]
        let year = Double(TokenFixtures.seconds) + 365 * 86_400
        for aud in [nil, JSONItem.text(TokenFixtures.audience)] {
            let verdict = try await judge(settings) {
                $0 = ["iss": "billing", "exp": .number("\(year)")]
                $0["aud"] = aud
            }
            #expect(verdict.outcome == .accept)
            #expect(verdict.annotated == [])
            #expect(verdict.tokenResult(CheckID.approovTokenDevice)?.because == .notApplicable)
        }
        let other = try await judge(settings) { $0 = ["iss": "billing", "exp": .number("\(year)"), "aud": "bank"] }
        #expect(other.failed == [CheckID.approovTokenAudience])
    }

    @Test("One matching audience suffices; a token with an audience is refused if the policy names none")
    func audiences() async throws {
        var settings = TokenFixtures.lenient
        settings.audiences = ["a.example.com", TokenFixtures.audience]
        let several = try await judge(settings) { $0["aud"] = ["x", .text(TokenFixtures.audience)] }
        #expect(several.failed == [])
        settings.audiences = []
        #expect(try await judge(settings) { _ in }.failed == [CheckID.approovTokenAudience])
        let none = try await judge(settings) { $0["aud"] = nil }
        #expect(none.outcome == .accept)
        #expect(none.tokenResult(CheckID.approovTokenAudience)?.because == .policy)
    }

    // MARK: Failover

    @Test(
        "A failover token may have only exp; the policy accepts or rejects it, and the verdict notes it only with bindings"
    )
    func failover() async throws {
        for (rule, binding, status) in [
            (ApproovConfiguration.FailoverRule.accept, [String](), CheckResult.Status.passed),
            (.reject, [], .failed), (.accept, ["Authorization"], .annotated), (.reject, ["Authorization"], .failed),
        ] {
            var settings = TokenFixtures.lenient
            settings.failover = rule
            settings.binding = binding
            let verdict = try await judge(settings) { $0 = ["exp": .integer(TokenFixtures.seconds + 240)] }
            #expect(verdict.tokenResult(CheckID.approovTokenFailover)?.status == status)
            #expect((verdict.outcome == .accept) == (rule == .accept))
            #expect(verdict.approov?.source == .failover)
        }
    }

    // MARK: Addresses

    @Test(
        "Addresses are compared by their bytes; a different one is noted and never rejects",
        .produces("approov.token.address", "address-missing"),
        arguments: [
            ("203.0.113.7", "203.0.113.7", CheckResult.Status.passed), ("203.0.113.7", "203.0.113.8", .annotated),
            ("2001:db8::1", "2001:0DB8:0:0:0:0:0:1", .passed), ("2001:db8::1", "2001:db8::2", .annotated),
            ("203.0.113.7", "::ffff:203.0.113.7", .passed), ("::ffff:cb00:7107", "203.0.113.7", .passed),
            ("203.0.113.7", "::203.0.113.7", .annotated), ("", "203.0.113.7", .skipped),
            ("203.0.113.7", "", .annotated), ("203.0.113.7", "203.0.113.007", .annotated),
            ("203.0.113.7", "3405803783", .annotated), ("nowhere", "203.0.113.7", .annotated),
            ("203.0.113.7", "203.0.113.7\u{0}", .annotated), ("fe80::1", "fe80::1%eth0", .annotated),
            ("203.0.113.7", String(repeating: "1", count: 100), .annotated), ("nowhere", "nowhere", .annotated),
            ("203.0.113.007", "203.0.113.007", .annotated), ("2001:db8::1", "2001:db8::1", .passed),
        ])
    func addresses(seen: String, from: String, status: CheckResult.Status) async throws {
        let verdict = try await judge(TokenFixtures.lenient, address: from) { $0["ip"] = .text(seen) }
        #expect(verdict.tokenResult(CheckID.approovTokenAddress)?.status == status)
        #expect((verdict.tokenCode(CheckID.approovTokenAddress) == "address-missing") == (status == .skipped))
        #expect(verdict.outcome == .accept)
    }

    /// The policy's `addresses`, the result for two different addresses, and the token's address in the verdict.
    struct AddressCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: AddressRule
        let field: String?
        let from: String
        let code: String?
        let hidden: [String]

        init(
            _ name: String, _ rule: AddressRule, field: String?, from: String = "203.0.113.8",
            code: String? = "address-differs",
            hidden: [String] = ["203.0.113"]
        ) {
            (testDescription, self.rule, self.field, self.from, self.code, self.hidden) = (
                name, rule, field, from, code, hidden
            )
        }
    }

    private static let addressKey = SecretBytes([UInt8](repeating: 7, count: 32))
    // HMAC-SHA-256 of the bytes CB 00 71 07 under that key; computed with Python's hmac.
    private static let pseudonym = "hmac-sha256:VcvgmGxoV7oiPrlYnD-mvg"
    static let addressCases = [
        AddressCase("keep", .keep, field: "203.0.113.7", hidden: []),
        AddressCase("drop", .drop, field: nil),
        AddressCase("hash", .hash(key: addressKey), field: pseudonym),
        AddressCase(
            "hash, another text form", .hash(key: addressKey), field: pseudonym, from: "::ffff:203.0.113.7", code: nil),
        AddressCase(
            "hash, no address", .hash(key: addressKey), field: pseudonym, from: "proxy 203.0.113.8",
            code: "address-malformed"),
        AddressCase("hash, captured under it", .hash(key: addressKey), field: pseudonym, from: pseudonym, code: nil),
        AddressCase("hash, captured under another", .hash(key: SecretBytes([1])), field: nil, from: pseudonym),
        AddressCase(
            "captured under hash, judged without it", .keep, field: "203.0.113.7", from: pseudonym,
            code: "address-hashed", hidden: []),
    ]

    @Test(
        "A verdict shows addresses as the policy says, and compares them in any case",
        .produces("approov.token.address", "address-hashed"), arguments: addressCases)
    func addressesShown(_ each: AddressCase) async throws {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "api", try ApproovConfiguration(TokenFixtures.lenient))],
            keys: [try TokenFixtures.key()],
            catalogue: Verifier.catalogue, addresses: each.rule)
        var claims = TokenFixtures.claims
        claims["ip"] = .text("203.0.113.7")
        let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
            ApproovTokenInput(token: TokenFixtures.token(claims), address: each.from), at: TokenFixtures.now)
        #expect(verdict.outcome == .accept)
        #expect(verdict.tokenCode(CheckID.approovTokenAddress) == each.code)
        let json = verdict.json(id: nil)
        for text in each.hidden { #expect(!json.contains(text), "\(json)") }
        let field = verdict.approov?.fields.first { $0.name == "address" }?.value
        if let expected = each.field { #expect(field == .text(expected)) }
        if case .drop = each.rule.form { #expect(field == nil) }
    }

    @Test("An address is a signal also for an assessor without modes")
    func addressByItself() throws {
        let assessment = ApproovTokenAssessor.assess(
            ApproovTokenInput(token: try TokenFixtures.token(), address: "192.0.2.1"), keys: [try TokenFixtures.key()],
            standings: { _ in [] }, expectations: try TokenFixtures.expectations(TokenFixtures.lenient),
            now: TokenFixtures.now)
        #expect(assessment.isAcceptable)
        #expect(assessment.checks.last?.status == .annotated)
    }

    // MARK: Ledger

    private static let device = LedgerSubject(.device, TokenFixtures.deviceID)

    private func onEveryLedger(_ body: (any LedgerAdministration) async throws -> Void) async throws {
        try await body(MemoryLedger())
        let folder = try TestFolder()
        try await body(SQLiteLedger.open(path: folder.path("ledger.sqlite")))
    }

    @Test(
        "A blocked device is refused until the block ends, with the operator's reason",
        .produces("approov.token.device", "device-blocked"))
    func blockedDevice() async throws {
        let end = TokenFixtures.now.addingTimeInterval(60)
        try await onEveryLedger { ledger in
            try await ledger.block(
                LedgerBlock(subject: Self.device, reason: "sold in lots", since: TokenFixtures.now, until: end))
            let blocked = try await judge(TokenFixtures.lenient, ledger: ledger) { _ in }
            #expect(blocked.failed == [CheckID.approovTokenDevice])
            #expect(blocked.tokenCode(CheckID.approovTokenDevice) == "device-blocked")
            #expect(blocked.tokenDetail(CheckID.approovTokenDevice).contains("sold in lots"))
            #expect(try await judge(TokenFixtures.lenient, ledger: ledger, at: end) { _ in }.failed == [])
            let other = try await judge(TokenFixtures.lenient, ledger: ledger) {
                $0["did"] = "ExampleApproovTokenDID=="
            }
            #expect(other.failed == [])
        }
    }

    @Test(
        "An allowance excuses policy failures of a device until it ends; gates still fail",
        .produces("approov.token.device", "device-allowed"))
    func allowedDevice() async throws {
        var settings = TokenFixtures.lenient
        settings.annotations = AnnotationRules(reject: ["rooted"])
        let end = TokenFixtures.now.addingTimeInterval(60)
        try await onEveryLedger { ledger in
            try await ledger.allow(
                LedgerAllowance(
                    subject: Self.device, checks: [CheckID("approov.token.annotations")], reason: "pen test",
                    since: TokenFixtures.now, until: end))
            let allowed = try await judge(settings, ledger: ledger) { $0["anno"] = ["rooted"] }
            #expect(allowed.outcome == .accept)
            #expect(allowed.annotated == [CheckID.approovTokenAnnotations])
            #expect(allowed.tokenCode(CheckID.approovTokenDevice) == "device-allowed")
            #expect(allowed.tokenCode(CheckID.approovTokenAnnotations) == "annotations-rejected")
            #expect(allowed.tokenDetail(CheckID.approovTokenAnnotations).contains("pen test"))
            let late = try await judge(settings, ledger: ledger, at: end) { $0["anno"] = ["rooted"] }
            #expect(late.failed == [CheckID.approovTokenAnnotations])
            let expired = try await judge(settings, ledger: ledger) {
                ($0["anno"], $0["exp"]) = (["rooted"], .integer(TokenFixtures.seconds))
            }
            #expect(expired.failed == [CheckID.approovTokenExpiry])
            let foreign = try await judge(settings, ledger: ledger) {
                ($0["anno"], $0["did"]) = (["rooted"], "ExampleApproovTokenDID==")
            }
            #expect(foreign.failed == [CheckID.approovTokenAnnotations])
        }
    }

    @Test(
        "An issuer that the ledger blocks is revoked, even if the policy names it",
        .produces("approov.token.issuer", "issuer-revoked"))
    func revokedIssuer() async throws {
        var settings = TokenFixtures.lenient
        settings.longLivedIssuers = ["billing", "reports"]
        try await onEveryLedger { ledger in
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.issuer, "billing"), reason: "laptop lost", since: TokenFixtures.now,
                    until: nil))
            for (issuer, failed) in [("billing", [CheckID.approovTokenIssuer]), ("reports", [])] {
                let verdict = try await judge(settings, ledger: ledger) {
                    $0 = ["iss": .text(issuer), "exp": .integer(TokenFixtures.seconds + 86_400)]
                }
                #expect(verdict.failed == failed)
            }
            let token = try TokenFixtures.token(["iss": "billing", "exp": .integer(TokenFixtures.seconds + 9)])
            let verdict = try await TokenFixtures.judge(token, settings, ledger: ledger)
            #expect(verdict.tokenCode(CheckID.approovTokenIssuer) == "issuer-revoked")
            #expect(verdict.tokenDetail(CheckID.approovTokenIssuer).contains("laptop lost"))
        }
    }

    @Test("Unauthentic tokens cause no ledger lookup; an unreachable ledger is an outage")
    func outage() async throws {
        let ledger = FaultyLedger.unreachable()
        let foreign = try TokenFixtures.jws(
            TokenFixtures.claims.text, by: TokenFixtures.hs256(TokenFixtures.otherSecret))
        let verdict = try await TokenFixtures.judge(foreign, ledger: ledger)
        #expect(verdict.failed == [CheckID.approovTokenSignature])
        let token = try TokenFixtures.token()
        let error = await #expect(throws: VerificationError.self) {
            try await TokenFixtures.judge(token, ledger: ledger)
        }
        guard case .outage(let outage)? = error else {
            Issue.record("expected an outage")
            return
        }
        #expect(outage.code.name == "unreachable")
    }
}
