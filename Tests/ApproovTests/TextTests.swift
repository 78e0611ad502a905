import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

/// A text is accepted once, if it contains the token, under the account's key that the token names.
@Suite("Texts that apps sign with the key of the Approov account")
struct TextTests {
    private static func signature(of text: String, _ key: [UInt8] = MessageFixture.accountSecret) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
            .base64EncodedString()
    }

    private static func settings(_ texts: TextSigning = TextSigning()) -> ApproovConfiguration.Settings {
        var settings = ApproovConfiguration.Settings()
        settings.textSigning = texts
        return settings
    }

    private static func verifier(
        _ texts: TextSigning = TextSigning(), ledger: any Ledger = MemoryLedger()
    ) throws -> Verifier {
        try MessageFixture.verifier(settings(texts), ledger: ledger)
    }

    private func input(
        _ change: (inout MessageFixture) -> Void = { _ in }, text: (String) -> String = { "order 7 \($0)" }
    ) throws -> ApproovTextInput {
        var fixture = MessageFixture()
        change(&fixture)
        let token = try fixture.token
        return ApproovTextInput(token: token, text: text(token), signature: Self.signature(of: text(token)))
    }

    private func failures(
        _ input: ApproovTextInput, _ verifier: Verifier? = nil, after seconds: Double = 0
    ) async throws -> [String] {
        try await (verifier ?? Self.verifier()).verify(input, at: MessageFixture.now + seconds).failures
    }

    @Test("A genuine text is accepted, and the verdict names device, key and all checks")
    func genuine() async throws {
        let verdict = try await Self.verifier().verify(input(), at: MessageFixture.now)
        #expect(verdict.outcome == .accept)
        #expect(verdict.kind == EvidenceKind.approovText)
        #expect(
            verdict.checks.map(\.check)
                == ApproovCheck.signedTokenChecks + ApproovCheck.textChecks + [CheckID.approovTextReplay])
        #expect(verdict.approov?.deviceID == "h4gubfCFzJu81j/U2BJsdg==")
        #expect(verdict.approov?.claims?.messageKeyID == "acc")
        #expect(verdict.tokenDetail(CheckID.approovTextSignature) == "with key messages")
    }

    @Test("Every changed bit of a signature, and every changed character of a text, is refused")
    func changed() async throws {
        let good = try input()
        let verifier = try Self.verifier()
        let bytes = Array(try #require(Data(base64Encoded: good.signature)))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                let input = ApproovTextInput(
                    token: good.token, text: good.text, signature: Data(changed).base64EncodedString())
                #expect(try await failures(input, verifier) == ["approov.text.signature signature-invalid"])
            }
        }
        for text in ["ordes 7 \(good.token)", "order 7  \(good.token)", "\(good.text)\u{0}", "\u{FEFF}\(good.text)"] {
            let input = ApproovTextInput(token: good.token, text: text, signature: good.signature)
            #expect(try await failures(input, verifier) == ["approov.text.signature signature-invalid"])
        }
        // These texts are canonically equivalent. The signature is valid for only one of them.
        let composed = try input(text: { "caf\u{E9} \($0)" })
        let decomposed = ApproovTextInput(
            token: composed.token, text: "cafe\u{301} \(composed.token)", signature: composed.signature)
        #expect(decomposed.text == composed.text)
        #expect(try await failures(decomposed, verifier) == ["approov.text.signature signature-invalid"])
        #expect(try await failures(composed, verifier) == [])
    }

    @Test("A malformed signature, an empty text and one beyond the limit are not decoded")
    func forms() async throws {
        let good = try input()
        let signature = good.signature
        for (text, signature, code) in [
            (good.text, "", "unexpected-length"), (good.text, String(signature.dropLast()), "unexpected-length"),
            (good.text, signature + "\n", "invalid-text"),
            (good.text, Data(count: 31).base64EncodedString(), "unexpected-length"),
            ("", Self.signature(of: ""), "missing"),
            (String(repeating: "a", count: InputLimits.signedText + 1), signature, "too-large"),
        ] {
            let verdict = try await Self.verifier().verify(
                ApproovTextInput(token: good.token, text: text, signature: signature), at: MessageFixture.now)
            #expect(verdict.failed == [CheckID.approovTextDecode], "\(code)")
            #expect(verdict.tokenCode(CheckID.approovTextDecode) == code)
            for check in ApproovCheck.textChecks.dropFirst() {
                #expect(verdict.tokenResult(check)?.because == .check(.approovTextDecode))
            }
        }
        let padding = InputLimits.signedText - good.token.utf8.count
        #expect(try await failures(input(text: { String(repeating: "a", count: padding) + $0 })) == [])
    }

    @Test("A text that does not contain its token is refused, and its signature is still verified")
    func tokens() async throws {
        let without = try input(text: { _ in "order 7" })
        #expect(try await failures(without) == ["approov.text.token token-not-in-text"])
        let other = try input({ $0.otherClaims = #","iat":1"# })
        let good = try input()
        let swapped = ApproovTextInput(token: other.token, text: good.text, signature: good.signature)
        #expect(try await failures(swapped) == ["approov.text.token token-not-in-text"])
        let forged = ApproovTextInput(
            token: other.token, text: good.text, signature: Self.signature(of: good.text, MessageFixture.secret))
        #expect(
            try await failures(forged) == [
                "approov.text.token token-not-in-text", "approov.text.signature signature-invalid",
            ])
        // The checks of the text show who signed it, even if the token has expired.
        let expired = try input({ $0.expiry = MessageFixture.seconds })
        #expect(try await failures(expired) == ["approov.token.expiry expired"])
    }

    @Test("The policy's prefix may precede the token; the text need not contain it")
    func prefix() async throws {
        var settings = Self.settings()
        settings.tokenPrefix = "Bearer "
        let verifier = try MessageFixture.verifier(settings)
        let good = try input()
        for token in [good.token, "Bearer \(good.token)"] {
            let verdict = try await verifier.verify(
                ApproovTextInput(token: token, text: good.text, signature: good.signature), at: MessageFixture.now)
            #expect(verdict.failed == (token == good.token ? [] : [CheckID.approovTextReplay]))
        }
    }

    @Test("A text is accepted once until its token expires, unless the policy leaves replays to the caller")
    func replay() async throws {
        let again = ["approov.text.replay digest-used"]
        let verifier = try Self.verifier()
        #expect(try await failures(input(), verifier) == [])
        #expect(try await failures(input(), verifier) == again)
        #expect(try await failures(input(), verifier, after: 299.9) == again)
        #expect(try await failures(input(), verifier, after: 300) == ["approov.token.expiry expired"])
        #expect(try await failures(input(text: { "\($0)." }), verifier) == [])
        let caller = try Self.verifier(TextSigning(replay: .caller))
        for _ in 0..<2 {
            let verdict = try await caller.verify(input(), at: MessageFixture.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.tokenResult(CheckID.approovTextReplay)?.because == .policy)
        }
    }

    @Test("The ledger remembers a text until its token expires, but no longer than a day")
    func memory() async throws {
        let ledger = MemoryLedger(purging: .byClock { .distantFuture })
        let verifier = try Self.verifier(ledger: ledger)
        #expect(try await failures(input(), verifier) == [])
        var uses: [UsedDigest] = []
        try await ledger.export { if case .digest(let use) = $0 { uses.append(use) } }
        let expiry = MessageFixture.now + 300
        #expect(uses.map(\.madeAt) == [expiry] && uses.map(\.usedAt) == [MessageFixture.now])
        #expect(uses.map(\.until) == [expiry + 1] && uses.map(\.app) == ["shop"])

        func lasting(_ seconds: Int64) throws -> ApproovTextInput {
            try input { $0.expiry = MessageFixture.seconds + seconds }
        }
        #expect(try await failures(lasting(86_400), verifier) == [])
        #expect(try await failures(lasting(86_401), verifier) == ["approov.text.token token-lives-too-long"])
        let endless = try input { $0.expiry = 99_999_999_999_999 }
        #expect(try await failures(endless, verifier).first == "approov.token.expiry expiry-out-of-range")
        #expect(try await failures(lasting(86_401), Self.verifier(TextSigning(replay: .caller))) == [])
    }

    @Test("A text with a token that expired before a purged one is an outage, not an acceptance")
    func forgotten() async throws {
        let ledger = MemoryLedger(purging: .byClock { .distantFuture })
        let verifier = try Self.verifier(ledger: ledger)
        #expect(try await failures(input(), verifier) == [])
        let later = MessageFixture.now + 10_000
        _ = try await ledger.purge(at: later)
        await #expect {
            try await failures(input(), verifier)
        } throws: { error in
            guard case VerificationError.outage(let outage) = error else { return false }
            return "\(outage)".contains("deleted entries")
        }
        // A token that expires after every purged one is judged, whenever it was made.
        let longer = try input { $0.expiry = MessageFixture.seconds + 20_000 }
        #expect(try await verifier.verify(longer, at: later).outcome == .accept)
    }

    @Test("A policy without textSigning, or without a live key of the account, is an error of the caller")
    func wrongCalls() async throws {
        let input = try input()
        let tokens = try MessageFixture.keys().filter { $0.name == "tokens" }
        let table: [(Verifier, String)] = [
            (try MessageFixture.verifier(ApproovConfiguration.Settings()), "textSigning"),
            (try MessageFixture.verifier(Self.settings(), keys: tokens), "approov-message"),
        ]
        for (verifier, word) in table {
            await #expect {
                try await verifier.verify(input, at: MessageFixture.now)
            } throws: { error in
                guard case VerificationError.request(let problem) = error else { return false }
                return problem.message.contains(word)
            }
        }
    }

    @Test("A status word that the policy accepts excuses the text too")
    func statusWord() async throws {
        var settings = Self.settings()
        settings.statusWords = [.noNetwork: .annotate]
        let verdict = try await MessageFixture.verifier(settings).verify(
            ApproovTextInput(token: "NO_NETWORK", text: "order 7", signature: ""), at: MessageFixture.now)
        #expect(verdict.outcome == .accept)
        #expect(verdict.annotated == [CheckID.approovTokenDecode])
        #expect(verdict.tokenResult(CheckID.approovTextSignature)?.because == .notApplicable)
    }

    @Test("No verdict contains the key, the token or the text")
    func secrecy() async throws {
        let good = try input(text: { "a private matter \($0)" })
        var dumped = "\(good)"
        dump(good, to: &dumped)
        for input in [good, ApproovTextInput(token: good.token, text: good.text, signature: Self.signature(of: ""))] {
            let verdict = try await Self.verifier().verify(input, at: MessageFixture.now)
            dump(verdict, to: &dumped)
            dumped += verdict.json(id: "x") + verdict.checks.compactMap { $0.finding?.detail }.joined()
        }
        let key = Data(MessageFixture.accountSecret)
        for text in [key.base64EncodedString(), "private", String(good.token.suffix(20)), good.signature] {
            #expect(!dumped.contains(text))
        }
    }

    @Test("A composed record is read back; an unknown or missing field is named")
    func records() throws {
        let input = ApproovTextInput(
            token: "a.b.c", text: "x", signature: "AA==", binding: [.value("y"), .missing], address: "192.0.2.1")
        let record = EvidenceRecord(input, id: "1", app: "api", receivedAt: MessageFixture.now)
        let back = try ApproovTextInput(record.evidence)
        #expect(back.token == "a.b.c" && back.text == "x" && back.signature == "AA==" && back.address == "192.0.2.1")
        #expect(back.binding == [.value("y"), .value("")])
        let sensitive = ApproovEngine.sensitiveFields.filter { $0.kind == EvidenceKind.approovText }.map(\.name)
        #expect(record.evidence.members.map(\.name).filter { !sensitive.contains($0) } == ["signature"])
        for name in ["token", "text", "signature"] {
            let members = record.evidence.members.filter { $0.name != name }.map { ($0.name, $0.value.content) }
            #expect {
                try ApproovTextInput(RecordObject(members))
            } throws: {
                ($0 as? RecordError)?.field == "evidence.\(name)"
            }
        }
        #expect(throws: RecordError.self) { try ApproovTextInput(RecordObject([("body", .text(""))])) }
    }

    @Test("Equal texts are judged in the order of the corpus")
    func order() {
        func key(_ text: String, token: String = "t") -> String? {
            let input = ApproovTextInput(token: token, text: text, signature: "")
            return ApproovEngine.orderingKey(of: EvidenceRecord(input, receivedAt: MessageFixture.now))
        }
        #expect(key("a") != nil)
        #expect(key("a") == key("a", token: "Bearer t"))
        #expect(key("a") != key("b"))
    }
}
