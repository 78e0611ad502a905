import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Texts that apps send in place of a token, and requests before login.
@Suite("In the place of a token")
struct TokenSubstituteTests {
    private func judge(
        _ text: String, words: [ApproovStatusWord: StatusWordRule] = [:], ledger: any Ledger = MemoryLedger(),
        account: String? = nil
    ) async throws -> Verdict {
        var settings = TokenFixtures.lenient
        settings.statusWords = words
        return try await TokenFixtures.verifier(settings, ledger: ledger).verify(
            ApproovTokenInput(token: text), account: account, at: TokenFixtures.now)
    }

    @Test(
        "Each status word is named and rejected, unless the policy accepts exactly this word; it is then noted",
        arguments: ApproovStatusWord.sent)
    func words(_ word: ApproovStatusWord) async throws {
        let rejected = try await judge(word.rawValue)
        #expect(
            rejected.failed == [CheckID.approovTokenDecode]
                && rejected.tokenCode(CheckID.approovTokenDecode) == "status-word")
        #expect(rejected.tokenDetail(CheckID.approovTokenDecode).contains(word.rawValue))
        let noted = try await judge(word.rawValue, words: [word: .annotate])
        #expect(noted.outcome == .accept && noted.annotated == [CheckID.approovTokenDecode])
        #expect(noted.checks.map(\.check) == ApproovCheck.signedTokenChecks)
        #expect(noted.checks.dropFirst().allSatisfy { $0.status == .skipped }, "nothing is called verified")
        #expect(noted.subject == nil && noted.remedy == nil)
        for other in ApproovStatusWord.sent where other != word {
            #expect(try await judge(other.rawValue, words: [word: .annotate]).outcome == .reject, "\(other)")
        }
        for text in ["\(word.rawValue) ", " \(word.rawValue)", "\(word.rawValue).", word.rawValue.lowercased()] {
            let verdict = try await judge(text, words: [word: .annotate])
            #expect(
                verdict.outcome == .reject && verdict.tokenCode(CheckID.approovTokenDecode) != "status-word", "\(text)")
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
        #expect(verdict.failed == [CheckID.approovTokenAccount])
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
                .verify(input, at: TokenFixtures.now)
            #expect(verdict.outcome == outcome)
            #expect(!verdict.checks.contains { $0.status == .passed })
            #expect(verdict.subject == nil)
        }
    }

    /// A request without a token, as each kind of evidence can have it, with the code.
    private static let absences: [(name: String, evidence: ApproovTokenInput.Evidence, code: String)] = [
        ("no field", .missing, "token-missing"), ("an empty field", .token(""), "token-empty"),
        ("spaces", .token(" \t "), "token-empty"), ("the prefix", .token("Bearer "), "token-empty"),
        ("the prefix without its space", .token("Bearer"), "token-empty"),
        ("two fields", .repeated, "token-repeated"),
    ]

    @Test("An absent and an empty token have the same codes for every kind of evidence")
    func absence() async throws {
        var settings = TokenFixtures.lenient
        settings.tokenPrefix = "Bearer "
        settings.messageSigning = MessageSigning(signer: .installation)
        settings.textSigning = TextSigning()
        let account = try ApproovMessageKey.reading([
            "secret": SecretBytes(Array(Base64.encode([UInt8](repeating: 7, count: 32), .standard).utf8)),
            "keyID": SecretBytes(Array("acc".utf8)),
        ])
        let keys = [try TokenFixtures.key(), NamedKey(name: "messages", scope: "api", material: account)]
        let verifier = try TokenFixtures.verifier(settings, keys: keys, ledger: MemoryLedger())
        for (name, evidence, code) in Self.absences {
            let token = try await verifier.verify(ApproovTokenInput(evidence), at: TokenFixtures.now)
            #expect(
                token.failed == [CheckID.approovTokenDecode] && token.tokenCode(CheckID.approovTokenDecode) == code,
                "\(name)")
            #expect(token.remedy == (code == "token-repeated" ? Remedy.nothing : .retry), "\(name)")
            var fields: [ApproovMessageInput.Field] = []
            switch evidence {
            case .token(let text): fields = [.init("Approov-Token", text)]
            case .repeated: fields = [.init("Approov-Token", "a"), .init("approov-token", "b")]
            case .missing, .loggable: break
            }
            let message = try await verifier.verify(
                ApproovMessageInput(
                    method: "GET", targetURI: "https://api.example.com/stock", fields: fields, body: .bytes([])),
                at: TokenFixtures.now)
            #expect(
                message.failed == [CheckID.approovTokenDecode] && message.tokenCode(CheckID.approovTokenDecode) == code,
                "\(name)")
            guard case .token(let text) = evidence else { continue }
            let signed = try await verifier.verify(
                ApproovTextInput(token: text, text: "order", signature: "x"), at: TokenFixtures.now)
            #expect(
                signed.failed == [CheckID.approovTokenDecode] && signed.tokenCode(CheckID.approovTokenDecode) == code,
                "\(name)")
            let proof = try await verifier.verify(
                ApproovProofInput(nonce: [], proof: [], source: .token(text)), at: TokenFixtures.now)
            #expect(
                proof.failed == [CheckID.approovTokenDecode] && proof.tokenCode(CheckID.approovTokenDecode) == code,
                "\(name)")
        }
    }

    @Test("statusWords: EMPTY lets exactly a request without a token pass, noted, and never proves anything")
    func empty() async throws {
        var settings = TokenFixtures.lenient
        settings.tokenPrefix = "Bearer "
        settings.statusWords = [.empty: .annotate]
        settings.messageSigning = MessageSigning(signer: .installation)
        let verifier = try TokenFixtures.verifier(settings, ledger: MemoryLedger())
        for (name, evidence, code) in Self.absences {
            let verdict = try await verifier.verify(ApproovTokenInput(evidence), at: TokenFixtures.now)
            #expect(verdict.outcome == (code == "token-repeated" ? .reject : .accept), "\(name)")
            #expect(verdict.tokenCode(CheckID.approovTokenDecode) == code, "\(name)")
            #expect(!verdict.checks.contains { $0.status == .passed } && verdict.subject == nil, "\(name)")
        }
        let message = ApproovMessageInput(
            method: "GET", targetURI: "https://api.example.com/stock", fields: [], body: .bytes([]))
        let noted = try await verifier.verify(message, at: TokenFixtures.now)
        #expect(noted.outcome == .accept && noted.annotated == [CheckID.approovTokenDecode])
        for other in ["EMPTY", "empty", "NO_NETWORK", ".", "..", "null", "Bearer EMPTY", #"{"error":"NO_NETWORK"}"#] {
            let verdict = try await verifier.verify(ApproovTokenInput(token: other), at: TokenFixtures.now)
            #expect(verdict.failed == [CheckID.approovTokenDecode], "\(other)")
        }
        let proof = try await verifier.verify(
            ApproovProofInput(nonce: [], proof: [], source: .token("")), at: TokenFixtures.now)
        #expect(proof.outcome == .reject)
    }

    @Test(
        "The remedy of a status word and of loggable text is that of its word",
        arguments: [
            ("NO_NETWORK", Remedy.retry), ("POOR_NETWORK", .retry), ("MITM_DETECTED", .retry),
            ("NO_APPROOV_SERVICE", .retry), ("NOTOKEN", .retry), ("REJECTED", .contactSupport),
            ("UNKNOWN_URL", .contactSupport), ("DISABLED", .contactSupport), ("INTERNAL_ERROR", .contactSupport),
            ("BAD_URL", .updateApp), ("NOT_INITIALIZED", .updateApp), ("MISSING_LIB_DEPENDENCY", .updateApp),
        ])
    func remedies(word: String, remedy: Remedy) async throws {
        for text in [word, #"{"error":"\#(word)"}"#] {
            let verdict = try await judge(text)
            #expect(verdict.failed == [CheckID.approovTokenDecode])
            #expect(verdict.remedy == remedy, "\(text)")
        }
        #expect(try await judge(#"{"error":"JWE"}"#).remedy == .updateApp)
        #expect(try await judge(#"{"error":"A_NEW_WORD"}"#).remedy == .retry)
    }

    @Test(
        "whenAbsent.value: without the bound fields, the token must be bound to this text",
        .produces("approov.token.binding", "bound-to-absence"))
    func absentValue() async throws {
        func judge(_ values: [ApproovBoundValue], boundTo text: String?) async throws -> Verdict {
            var settings = TokenFixtures.lenient
            settings.binding = ["Authorization", "X-Device"]
            settings.failover = .reject
            settings.whenAbsent = .value("none")
            var claims = TokenFixtures.claims
            claims["pay"] = text.map { .text(TokenFixtures.digest($0)) }
            return try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verify(
                ApproovTokenInput(.token(TokenFixtures.token(claims)), binding: values), at: TokenFixtures.now)
        }
        for values in [[.missing, .missing], [.value(""), .value(" ")]] as [[ApproovBoundValue]] {
            let passed = try await judge(values, boundTo: "none")
            #expect(passed.failed == [] && passed.tokenCode(CheckID.approovTokenBinding) == "bound-to-absence")
        }
        for (values, text, code) in [
            ([.missing, .missing], nil, "not-bound"), ([.missing, .missing], "", "binding-missing"),
            ([.missing, .missing], "None", "binding-missing"), ([.missing, .missing], "ab", "binding-missing"),
            ([.value("a"), .missing], "none", "binding-missing"), ([.missing, .repeated], "none", "binding-missing"),
            ([.value("a"), .value("b")], "none", "binding-differs"), ([.value("a"), .value("b")], nil, "not-bound"),
            ([], "none", "binding-missing"),
        ] as [([ApproovBoundValue], String?, String)] {
            let verdict = try await judge(values, boundTo: text)
            #expect(verdict.failed == [CheckID.approovTokenBinding], "\(values) \(text ?? "-")")
            #expect(verdict.tokenCode(CheckID.approovTokenBinding) == code, "\(values) \(text ?? "-")")
        }
        #expect(try await judge([.value("a"), .value("b")], boundTo: "ab").failed == [])
        #expect(try await judge([.value("no"), .value("ne")], boundTo: "none").failed == [], "a value like any other")
    }

    @Test(
        "Loggable texts in place of a token are named, with the ARC and the device that they claim",
        .produces("approov.token.decode", "loggable-error", "loggable-text"))
    func texts() async throws {
        let error = try await judge(#"{"error":"POOR_NETWORK"}"#)
        #expect(
            error.failed == [CheckID.approovTokenDecode]
                && error.tokenCode(CheckID.approovTokenDecode) == "loggable-error")
        #expect(error.tokenDetail(CheckID.approovTokenDecode).contains("POOR_NETWORK"))
        #expect(error.approov?.claimed == nil)
        let text = #"{"arc":"ABCDEF","did":"h4gubfCFzJu81j/U2BJsdg==","exp":1,"sip":"AAAAAA"}"#
        let loggable = try await judge(text, words: [.noNetwork: .annotate])
        #expect(
            loggable.failed == [CheckID.approovTokenDecode]
                && loggable.tokenCode(CheckID.approovTokenDecode) == "loggable-text")
        #expect(loggable.approov?.claimed?.responseCode == "ABCDEF")
        #expect(loggable.approov?.claimed?.deviceID == "h4gubfCFzJu81j/U2BJsdg==")
        for other in ["{", "{}", #"{"sip":"AAAAA"}"#, #"{"error":7}"#] {
            let verdict = try await judge(other)
            #expect(verdict.failed == [CheckID.approovTokenDecode])
            #expect(
                !["loggable-text", "loggable-error"].contains(verdict.tokenCode(CheckID.approovTokenDecode)), "\(other)"
            )
        }
    }

    @Test(
        "whenAbsent: none accepts an unbound token for a request without any bound field, and nothing else",
        .produces("approov.token.binding", "unbound-request"))
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
            return try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verify(
                ApproovTokenInput(.token(TokenFixtures.token(claims)), binding: values), at: TokenFixtures.now)
        }
        let digest = TokenFixtures.digest("ab")
        for values in [[.missing, .missing], [.value(""), .value(" ")]] as [[ApproovBoundValue]] {
            let passed = try await judge(values, pay: nil, .none)
            #expect(passed.failed == [] && passed.tokenCode(CheckID.approovTokenBinding) == "unbound-request")
        }
        for (values, pay, rule, code) in [
            ([.missing, .missing], nil, .fail, "not-bound"), ([.value("a"), .missing], nil, .none, "not-bound"),
            ([.value("a"), .value("b")], nil, .none, "not-bound"), ([.missing, .repeated], nil, .none, "not-bound"),
            ([.missing, .missing], digest, .none, "binding-missing"),
            ([.value("a"), .value("c")], digest, .none, "binding-differs"),
        ] as [([ApproovBoundValue], String?, ApproovConfiguration.AbsenceRule, String)] {
            let verdict = try await judge(values, pay: pay, rule)
            #expect(verdict.failed == [CheckID.approovTokenBinding], "\(values) \(pay ?? "-")")
            #expect(verdict.tokenCode(CheckID.approovTokenBinding) == code, "\(values) \(pay ?? "-")")
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
                subject: LedgerSubject(.account, "alice"),
                checks: [CheckID.approovTokenAnnotations, CheckID.approovTokenTampering], reason: "test",
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
                modes: [CheckID.approovTokenAnnotations: .off], catalogue: Verifier.catalogue)
            let verdict = try await Verifier(policy: policy, ledger: ledger).verify(
                ApproovTokenInput(token: TokenFixtures.token(claims)), account: "alice", at: TokenFixtures.now)
            #expect(verdict.failed == [CheckID.approovTokenTampering], "\(rules)")
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
                let verdict = try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verify(
                    ApproovTokenInput(token: TokenFixtures.token(claims)), at: TokenFixtures.now)
                #expect(
                    verdict.tokenResult(CheckID.approovTokenAnnotations)?.status == status, "\(preset.rawValue) \(text)"
                )
            }
        }
        // A list overrides the preset.
        var settings = TokenFixtures.lenient
        settings.annotations = AnnotationRules(preset: .standard, note: ["frida"])
        var claims = TokenFixtures.claims
        claims["anno"] = ["frida"]
        let verdict = try await TokenFixtures.verifier(settings, ledger: MemoryLedger()).verify(
            ApproovTokenInput(token: TokenFixtures.token(claims)), at: TokenFixtures.now)
        #expect(verdict.annotated == [CheckID.approovTokenAnnotations])
    }
}
