import Approov
import Assay
import AssayCore
import Foundation
import Testing

/// Every field of the policy's section is checked when it is read, and every error names its place.
@Suite("Approov policy")
struct PolicyReadingTests {
    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("no such file") }
    }

    private func parse(_ lines: String, checks: String = "") throws(PolicyError) -> ApproovConfiguration {
        let section = lines.split(separator: "\n").map { "      \($0)\n" }.joined()
        let policy = try PolicyFile.parse(
            "version: 1\napps:\n  - name: api\n    approov:\(section.isEmpty ? " {}" : "")\n\(section)\(checks)",
            file: "p.yaml", files: NoFiles())
        guard let configuration = policy.apps.first?.configuration(ApproovConfiguration.self) else {
            throw PolicyError(field: "", "no configuration")
        }
        return configuration
    }

    @Test("No field is required; the defaults follow the vendor's guidance")
    func defaults() throws {
        let configuration = try parse("")
        #expect(configuration.keys == nil)
        #expect(configuration.format == .jws)
        #expect(configuration.tokenHeader == "Approov-Token")
        #expect(configuration.tokenPrefix == nil)
        #expect(configuration.binding == [])
        #expect(configuration.failover == .accept)
        #expect(configuration.issuers == [])
        #expect(configuration.longLivedIssuers == [])
        #expect(configuration.audiences == [])
        #expect(configuration.annotations == AnnotationRules(others: .note))
        #expect(configuration.maximumLifetime == nil)
        #expect(configuration.messageSigning == nil)
        #expect(configuration.textSigning == nil)
        #expect(configuration.proof == ProofRules())
        #expect(try parse("proof: {}").proof == ProofRules())
        #expect(try parse("textSigning: {}").textSigning == TextSigning())
        #expect(configuration.enforcement == .reject)
    }

    @Test("Every field is read")
    func everything() throws {
        let configuration = try parse(
            """
            keys: [approov-2026, approov-2025]
            format: jwe
            tokenHeader: X-Approov
            tokenPrefix: "Bearer "
            binding: [Authorization, X-Device-ID]
            failover: accept
            issuers: [failover.example]
            longLivedIssuers: [billing]
            audiences: [api.example.com]
            annotations: { reject: [frida], note: [rooted], ignore: [debug], others: reject }
            maximumLifetime: 10m
            messageSigning:
              signer: account
              keys: [approov-account]
              components: ["@method", "@target-uri", x-approov, content-type]
              freshness: { past: 30s, future: 5s }
              replay: caller
              quirks: [signature-as-string, target-uri-with-fragment]
            enforcement: annotate
            """)
        #expect(configuration.keys == ["approov-2026", "approov-2025"])
        #expect(configuration.format == .jwe)
        #expect(configuration.tokenHeader == "X-Approov")
        #expect(configuration.tokenPrefix == "Bearer ")
        #expect(configuration.binding == ["Authorization", "X-Device-ID"])
        #expect(configuration.failover == .accept)
        #expect(configuration.issuers == ["failover.example"])
        #expect(configuration.longLivedIssuers == ["billing"])
        #expect(configuration.audiences == ["api.example.com"])
        #expect(
            configuration.annotations
                == AnnotationRules(reject: ["frida"], note: ["rooted"], ignore: ["debug"], others: .reject))
        #expect(configuration.maximumLifetime == 600)
        #expect(
            configuration.messageSigning
                == MessageSigning(
                    signer: .account, keys: ["approov-account"],
                    components: ["@method", "@target-uri", "x-approov", "content-type"],
                    freshness: .init(past: 30, future: 5), replay: .caller,
                    quirks: [.signatureAsString, .targetURIWithFragment]))
        #expect(configuration.enforcement == .annotate)
    }

    @Test("By default, signed messages must cover the method, the target and the token's field")
    func messageDefaults() throws {
        let signing = try parse("tokenHeader: X-Token\nmessageSigning: { signer: installation }").messageSigning
        #expect(
            signing
                == MessageSigning(
                    signer: .installation, keys: nil, components: ["@method", "@target-uri", "x-token"],
                    freshness: .init(past: 60, future: 15), replay: .ledger, quirks: []))
        #expect(try parse("messageSigning: { signer: installation }").messageSigning == .init(signer: .installation))
    }

    /// Lines of a section, the field and the line (from 0 on) that an error names, and a part of its message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let lines: String
        let field: String
        let line: Int
        let words: String
        var testDescription: String { lines }

        init(_ lines: String, _ field: String, _ words: String, line: Int = 0) {
            (self.lines, self.field, self.line, self.words) = (lines, field, line, words)
        }
    }

    private static let signing = "messageSigning:\n  signer: installation\n"

    static let mistakes: [Mistake] = [
        Mistake("failover: reject\nfailOver: accept", "failOver", "unknown field", line: 1),
        Mistake("keys: []", "keys", "at least one"), Mistake("keys: approov-2026", "keys", "expected a list"),
        Mistake("keys: [a, a]", "keys[1]", "twice"), Mistake("format: jwt", "format", "jws, jwe"),
        Mistake("format: JWS", "format", "jws, jwe"), Mistake("tokenHeader: \"\"", "tokenHeader", "expected text"),
        Mistake("tokenHeader: \"Approov Token\"", "tokenHeader", "name of an HTTP field"),
        Mistake("tokenHeader: \"Approov-Token:\"", "tokenHeader", "name of an HTTP field"),
        Mistake("tokenHeader: \"T\u{F6}ken\"", "tokenHeader", "name of an HTTP field"),
        Mistake("tokenPrefix: Bearer", "tokenPrefix", "such as a space"),
        Mistake("tokenPrefix: \" Bearer \"", "tokenPrefix", "begin with a space"),
        Mistake("tokenPrefix: \"B\\x07 \"", "tokenPrefix", "printable"),
        Mistake("tokenPrefix: \"\"", "tokenPrefix", "expected text"),
        Mistake("failover: reject\nbinding: []", "binding", "at least one", line: 1),
        Mistake("failover: reject\nbinding: [\"a b\"]", "binding", "name of an HTTP field", line: 1),
        Mistake("failover: reject\nbinding: [A, A]", "binding[1]", "twice", line: 1),
        Mistake("failover: reject\nbinding: [Cookie, cookie]", "binding", "twice", line: 1),
        Mistake("failover: reject\nbinding: [approov-token]", "binding", "cannot be bound to", line: 1),
        Mistake(
            "format: jws\nbinding: [Authorization]", "failover",
            "required field is missing beside binding; allowed are reject, and accept", line: 1),
        Mistake("failover: maybe", "failover", "reject, accept"),
        Mistake("issuers: [a, a]", "issuers[1]", "twice"), Mistake("issuers: [\"\"]", "issuers[0]", "expected text"),
        Mistake("longLivedIssuers: [a]\nissuers: [a]", "issuers", "twice", line: 1),
        Mistake("audiences: []", "audiences", "at least one"),
        Mistake("annotations: frida", "annotations", "expected a mapping"),
        Mistake("annotations: { deny: [frida] }", "annotations.deny", "unknown field"),
        Mistake("annotations: { reject: [frida, frida] }", "annotations.reject[1]", "twice"),
        Mistake("annotations: { reject: [frida], ignore: [frida] }", "annotations", "twice"),
        Mistake("annotations: { others: warn }", "annotations.others", "reject, note, ignore"),
        Mistake("maximumLifetime: 300", "maximumLifetime", "length of time"),
        Mistake("maximumLifetime: 0s", "maximumLifetime", "1 s to ten years"),
        Mistake("maximumLifetime: 4000d", "maximumLifetime", "1 s to ten years"),
        Mistake("enforcement: on", "enforcement", "reject, annotate, off"),
        Mistake("proof: encrypted", "proof", "expected a mapping"),
        Mistake("proof: { tokens: signed }", "proof.tokens", "any, encrypted"),
        Mistake("proof: { nonce: hardware }", "proof.nonce", "ledger, caller"),
        Mistake("proof: { keys: [] }", "proof.keys", "at least one"),
        Mistake("proof: { hardware: QUFB }", "proof.hardware", "P-256"),
        Mistake("proof: { life: 0s }", "proof.life", "3650d"),
        Mistake("proof: { challenge: ledger }", "proof.challenge", "unknown field"),
        Mistake("textSigning: ledger", "textSigning", "expected a mapping"),
        Mistake("textSigning: { keys: [] }", "textSigning.keys", "at least one"),
        Mistake("textSigning: { keys: [a, a] }", "textSigning.keys[1]", "twice"),
        Mistake("textSigning: { replay: nobody }", "textSigning.replay", "ledger, caller"),
        Mistake("textSigning: { signer: account }", "textSigning.signer", "unknown field"),
        Mistake("messageSigning: installation", "messageSigning", "expected a mapping"),
        Mistake("messageSigning: { replay: ledger }", "messageSigning.signer", "installation, account"),
        Mistake("messageSigning: { signer: both }", "messageSigning.signer", "installation, account"),
        Mistake(signing + "  keys: [a]", "messageSigning.keys", "come with their tokens", line: 2),
        Mistake(signing + "  algorithm: rsa", "messageSigning.algorithm", "unknown field", line: 2),
        Mistake(
            signing + "  components: [\"@method\", \"@target-uri\"]", "messageSigning.components",
            "approov-token is missing", line: 2),
        Mistake(signing + "  components: []", "messageSigning.components", "at least one", line: 2),
        Mistake(
            signing + "  components: [approov-token, Content-Type]", "messageSigning.components", "lower case", line: 2),
        Mistake(
            signing + "  components: [approov-token, \"@status\"]", "messageSigning.components", "@method", line: 2),
        Mistake(
            signing + "  components: [approov-token, approov-token]", "messageSigning.components[1]", "twice", line: 2),
        Mistake(signing + "  freshness: { past: 2d }", "messageSigning.freshness.past", "one day", line: 2),
        Mistake(signing + "  freshness: { future: 2d }", "messageSigning.freshness.future", "one day", line: 2),
        Mistake(signing + "  freshness: { age: 5s }", "messageSigning.freshness.age", "unknown field", line: 2),
        Mistake(signing + "  freshness: { past: 60 }", "messageSigning.freshness.past", "length of time", line: 2),
        Mistake(signing + "  replay: nobody", "messageSigning.replay", "ledger, caller", line: 2),
        Mistake(signing + "  quirks: [anything]", "messageSigning.quirks[0]", "signature-as-string", line: 2),
        Mistake(
            signing + "  quirks: [digest-as-string, digest-as-string]", "messageSigning.quirks[1]", "twice", line: 2),
    ]

    @Test("Contradictory fields are refused with field and line", arguments: mistakes)
    func refused(mistake: Mistake) {
        let error = #expect(throws: PolicyError.self) { try parse(mistake.lines) }
        #expect(error?.field == "apps[0].approov.\(mistake.field)", "\(error?.description ?? "")")
        #expect(error?.message.contains(mistake.words) == true, "\(error?.description ?? "")")
        #expect(error?.file == "p.yaml")
        #expect(error?.line == 5 + mistake.line, "\(error?.description ?? "")")
    }

    @Test(
        "A policy cannot enforce a signal or relax a gate; the error says which attack the gate stops",
        arguments: [
            ("approov.token.address: enforce", "only a signal"), ("approov.token.binding: annotate", "is a gate"),
            ("approov.token.signature: off", "is a gate"), ("approov.message.replay: off", "by the ledger"),
            ("approov.proof.measurement: annotate", "is a gate"), ("approov.token.colour: off", "no check"),
        ])
    func modes(line: String, words: String) throws {
        let error = #expect(throws: PolicyError.self) { try parse("", checks: "checks:\n  \(line)\n") }
        #expect(error?.message.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.line == 6)
        _ = try parse("", checks: "checks:\n  approov.token.address: off\n  approov.token.device: annotate\n")
    }

    /// Settings composed in code, with one invalid part.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout ApproovConfiguration.Settings) -> Void

        init(_ field: String, _ apply: @escaping @Sendable (inout ApproovConfiguration.Settings) -> Void) {
            (testDescription, self.apply) = (field, apply)
        }
    }

    static let changes: [Change] = [
        Change("keys") { $0.keys = [] }, Change("keys") { $0.keys = ["a", "a"] },
        Change("tokenHeader") { $0.tokenHeader = "" }, Change("tokenHeader") { $0.tokenHeader = "a\r\nb" },
        Change("tokenPrefix") { $0.tokenPrefix = "" }, Change("tokenPrefix") { $0.tokenPrefix = "Bearer" },
        Change("binding") { ($0.binding, $0.failover) = ([""], .reject) },
        Change("binding") { ($0.binding, $0.failover) = (["A", "a"], .reject) },
        Change("binding") { ($0.binding, $0.failover) = (["APPROOV-TOKEN"], .reject) },
        Change("failover") { $0.binding = ["A"] }, Change("issuers") { $0.issuers = [""] },
        Change("issuers") { ($0.issuers, $0.longLivedIssuers) = (["a"], ["a"]) },
        Change("longLivedIssuers") { $0.longLivedIssuers = ["a", "a"] },
        Change("audiences") { $0.audiences = ["a", "a"] }, Change("audiences") { $0.audiences = [""] },
        Change("annotations") { $0.annotations = AnnotationRules(note: ["a"], ignore: ["a"]) },
        Change("annotations") { $0.annotations = AnnotationRules(reject: [""]) },
        Change("maximumLifetime") { $0.maximumLifetime = .nan },
        Change("maximumLifetime") { $0.maximumLifetime = .infinity },
        Change("maximumLifetime") { $0.maximumLifetime = -1 },
        Change("proof.keys") { $0.proof = ProofRules(keys: ["a", "a"]) },
        Change("textSigning.keys") { $0.textSigning = TextSigning(keys: []) },
        Change("messageSigning.keys") { $0.messageSigning = MessageSigning(signer: .account, keys: []) },
        Change("messageSigning.components") {
            $0.messageSigning = MessageSigning(signer: .account, components: ["@method"])
        },
        Change("messageSigning.components") {
            ($0.tokenHeader, $0.messageSigning) = ("X-Token", MessageSigning(signer: .account))
        },
        Change("messageSigning.freshness.past") {
            $0.messageSigning = MessageSigning(signer: .account, freshness: .init(past: .nan))
        },
        Change("messageSigning.freshness.future") {
            $0.messageSigning = MessageSigning(signer: .account, freshness: .init(future: -1))
        },
    ]

    @Test("Settings composed in code are checked by the same rules", arguments: changes)
    func inCode(change: Change) {
        var settings = ApproovConfiguration.Settings()
        change.apply(&settings)
        let error = #expect(throws: PolicyError.self) { try ApproovConfiguration(settings) }
        #expect(error?.field == change.testDescription)
    }
}
