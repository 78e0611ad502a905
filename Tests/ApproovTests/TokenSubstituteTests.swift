import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Texts that apps send in place of a token, and requests before login.
@Suite("In the place of a token")
struct TokenSubstituteTests {
    private typealias Check = ApproovCheck

    private func judge(
        _ text: String, words: [ApproovStatusWord: StatusWordRule] = [:], ledger: any Ledger = MemoryLedger(),
        account: String? = nil
    ) async throws -> Verdict {
        var settings = TokenFixtures.lenient
        settings.statusWords = words
        return try await TokenFixtures.verifier(settings, ledger: ledger).verifyApproovToken(
            ApproovTokenInput(token: text), account: account, at: TokenFixtures.now)
    }

    @Test(
        "Each status word is named and rejected, unless the policy accepts exactly this word; it is then noted",
        arguments: ApproovStatusWord.allCases)
    func words(_ word: ApproovStatusWord) async throws {
        let rejected = try await judge(word.rawValue)
        #expect(rejected.failed == [Check.decode] && rejected.tokenCode(Check.decode) == "status-word")
        #expect(rejected.tokenDetail(Check.decode).contains(word.rawValue))
        let noted = try await judge(word.rawValue, words: [word: .annotate])
        #expect(noted.outcome == .accept && noted.annotated == [Check.decode])
        #expect(noted.checks.map(\.check) == ApproovCheck.signedTokenChecks)
        #expect(noted.checks.dropFirst().allSatisfy { $0.status == .skipped }, "nothing is called verified")
        #expect(noted.subject == nil && noted.remedy == nil)
        for other in ApproovStatusWord.allCases where other != word {
            #expect(try await judge(other.rawValue, words: [word: .annotate]).outcome == .reject, "\(other)")
        }
        for text in ["\(word.rawValue) ", " \(word.rawValue)", "\(word.rawValue).", word.rawValue.lowercased()] {
            let verdict = try await judge(text, words: [word: .annotate])
            #expect(verdict.outcome == .reject && verdict.tokenCode(Check.decode) != "status-word", "\(text)")
        }
    }

    @Test(
        "An accepted word is refused for a blocked account, and a policy that says reject refuses the word"
    )
    func blocked() async throws {
        let ledger = MemoryLedger()
        try await ledger.block(
            LedgerBlock(
                subject: LedgerSubject(.account, "alice"), reason: "fraud", since: TokenFixtures.now, until: nil))
        let words: [ApproovStatusWord: StatusWordRule] = [.noApproovService: .annotate, .noNetwork: .reject]
        let verdict = try await judge("NO_APPROOV_SERVICE", words: words, ledger: ledger, account: "alice")
        #expect(verdict.failed == [Check.account])
        #expect(try await judge("NO_APPROOV_SERVICE", words: words, ledger: ledger, account: "bob").outcome == .accept)
        #expect(try await judge("NO_NETWORK", words: words).outcome == .reject)
    }

    @Test("A signed message with an accepted word is accepted unsigned, noted, and never reported as verified")
    func message() async throws {
        var settings = TokenFixtures.lenient
        settings.statusWords = [.noApproovService: .annotate]
        settings.messageSigning = MessageSigning(signer: .installation)
        for (word, outcome) in [("NO_APPROOV_SERVICE", Verdict.Outcome.accept), ("NO_NETWORK", .reject)] {
            let input = ApproovMessageInput(
                method: "GET", targetURI: "https://api.example.com/stock",
                fields: [ApproovMessageInput.Field("Approov-Token", word)], body: .bytes([]))
            let verdict = try await TokenFixtures.verifier(settings, ledger: MemoryLedger())
                .verifyApproovMessage(input, at: TokenFixtures.now)
            #expect(verdict.outcome == outcome)
            #expect(!verdict.checks.contains { $0.status == .passed })
            #expect(verdict.subject == nil)
        }
    }

    @Test("Loggable texts in place of a token are named, with the ARC and the device that they claim")
    func texts() async throws {
        let error = try await judge(#"{"error":"POOR_NETWORK"}"#)
        #expect(error.failed == [Check.decode] && error.tokenCode(Check.decode) == "loggable-error")
        #expect(error.tokenDetail(Check.decode).contains("POOR_NETWORK"))
        #expect(error.approov?.claimed == nil)
        let text = #"{"arc":"ABCDEF","did":"h4gubfCFzJu81j/U2BJsdg==","exp":1,"sip":"AAAAAA"}"#
        let loggable = try await judge(text, words: [.noNetwork: .annotate])
        #expect(loggable.failed == [Check.decode] && loggable.tokenCode(Check.decode) == "loggable-text")
        #expect(loggable.approov?.claimed?.responseCode == "ABCDEF")
        #expect(loggable.approov?.claimed?.deviceID == "h4gubfCFzJu81j/U2BJsdg==")
        for other in ["{", "{}", #"{"sip":"AAAAA"}"#, #"{"error":7}"#] {
            let verdict = try await judge(other)
            #expect(verdict.failed == [Check.decode])
            #expect(!["loggable-text", "loggable-error"].contains(verdict.tokenCode(Check.decode)), "\(other)")
        }
    }

    @Test("whenAbsent: none accepts an unbound token for a request without any bound field, and nothing else")
    func absentFields() async throws {
        func judge(
            _ values: [ApproovBoundValue], pay: String?, _ rule: ApproovConfiguration.AbsenceRule
        ) async throws -> Verdict {
            var settings = TokenFixtures.lenient
            settings.binding = ["Authorization", "X-Device"]
            settings.failover = .reject
            settings.whenAbsent = rule
            var claims = TokenFixtures.claims
            claims["pay"] = pay.map { .text($0) }
            return try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verifyApproovToken(
                ApproovTokenInput(.token(TokenFixtures.token(claims)), binding: values), at: TokenFixtures.now)
        }
        let digest = TokenFixtures.digest("ab")
        for values in [[.missing, .missing], [.value(""), .value(" ")]] as [[ApproovBoundValue]] {
            let passed = try await judge(values, pay: nil, .none)
            #expect(passed.failed == [] && passed.tokenCode(Check.binding) == "unbound-request")
        }
        for (values, pay, rule, code) in [
            ([.missing, .missing], nil, .fail, "not-bound"), ([.value("a"), .missing], nil, .none, "not-bound"),
            ([.value("a"), .value("b")], nil, .none, "not-bound"), ([.missing, .repeated], nil, .none, "not-bound"),
            ([.missing, .missing], digest, .none, "binding-missing"),
            ([.value("a"), .value("c")], digest, .none, "binding-differs"),
        ] as [([ApproovBoundValue], String?, ApproovConfiguration.AbsenceRule, String)] {
            let verdict = try await judge(values, pay: pay, rule)
            #expect(verdict.failed == [Check.binding], "\(values) \(pay ?? "-")")
            #expect(verdict.tokenCode(Check.binding) == code, "\(values) \(pay ?? "-")")
        }
        #expect(try await judge([.value("a"), .value("b")], pay: digest, .none).failed == [])
    }

    @Test(
        "A property that shows tampering is refused under every policy, mode and allowance",
        arguments: AnnotationRules.floor)
    func floor(_ property: String) async throws {
        let ledger = MemoryLedger()
        try await ledger.allow(
            LedgerAllowance(
                subject: LedgerSubject(.account, "alice"), checks: [Check.annotations, Check.tampering], reason: "test",
                since: TokenFixtures.now, until: nil))
        var claims = TokenFixtures.claims
        claims["anno"] = .array([.text(property), "debug"])
        for rules in [
            AnnotationRules(others: .ignore), AnnotationRules(preset: .whitelist, others: .ignore), AnnotationRules(),
        ] {
            var settings = TokenFixtures.lenient
            settings.annotations = rules
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "api", try ApproovConfiguration(settings))],
                keys: TokenFixtures.verifier(settings, ledger: ledger).policy.keys,
                modes: [Check.annotations: .off], catalogue: Verifier.catalogue)
            let verdict = try await Verifier(policy: policy, ledger: ledger).verifyApproovToken(
                ApproovTokenInput(token: TokenFixtures.token(claims)), account: "alice", at: TokenFixtures.now)
            #expect(verdict.failed == [Check.tampering], "\(rules)")
        }
        for rules in [AnnotationRules(note: [property]), AnnotationRules(ignore: [property])] {
            var settings = ApproovConfiguration.Settings()
            settings.annotations = rules
            #expect(throws: PolicyError.self) { try ApproovConfiguration(settings) }
        }
    }

    @Test(
        "Approov's rejection policies apply by name",
        arguments: [
            (
                .standard,
                [
                    "rooted", "jailbroken", "emulator", "ios-simulator", "xposed", "xposed-unsafe", "cydia", "cycript",
                    "frida", "frida-hook", "magisk-man-hidden",
                ], ["debug", "root-risk"]
            ),
            (.allowXposed, ["rooted", "emulator", "xposed-unsafe", "frida"], ["xposed", "xposed rooted"]),
            (.allowRoot, ["jailbroken", "emulator", "cydia", "frida"], ["rooted", "xposed", "magisk-man-hidden"]),
            (.allowRootAndJailbroken, ["cydia", "cycript", "frida"], ["rooted", "jailbroken", "emulator"]),
            (.whitelist, [], ["rooted", "frida", "app-not-registered"]),
            (.blacklist, ["", "debug"], []),
        ] as [(AnnotationRules.Preset, [String], [String])])
    func presets(_ preset: AnnotationRules.Preset, _ rejected: [String], _ noted: [String]) async throws {
        for (list, status) in [(rejected, CheckResult.Status.failed), (noted, .annotated)] {
            for text in list {
                var settings = TokenFixtures.lenient
                settings.annotations = AnnotationRules(preset: preset)
                var claims = TokenFixtures.claims
                claims["anno"] = .array(text.split(separator: " ").map { .text(String($0)) })
                let verdict = try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verifyApproovToken(
                    ApproovTokenInput(token: TokenFixtures.token(claims)), at: TokenFixtures.now)
                #expect(verdict.tokenResult(Check.annotations)?.status == status, "\(preset.rawValue) \(text)")
            }
        }
        // A list overrides the preset.
        var settings = TokenFixtures.lenient
        settings.annotations = AnnotationRules(preset: .standard, note: ["frida"])
        var claims = TokenFixtures.claims
        claims["anno"] = ["frida"]
        let verdict = try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verifyApproovToken(
            ApproovTokenInput(token: TokenFixtures.token(claims)), at: TokenFixtures.now)
        #expect(verdict.annotated == [Check.annotations])
    }
}
