import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials
import Testing

@Suite("Tokens of operators")
struct OperatorTokenTests {
    private static let now = Date(timeIntervalSince1970: 1_776_795_192)
    /// The token of the bytes 0 to 31.
    private static let text = "assay_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test("A token is 32 random bytes after its prefix, and its hash is that of the bytes")
    func form() throws {
        let token = try #require(OperatorToken(Self.text))
        #expect(token.text == Self.text)
        #expect(token.hash == Digest.sha256((UInt8(0)..<32).map { $0 }))
        let drawn = (0..<100).map { _ in OperatorToken.random() }
        #expect(Set(drawn.map(\.text)).count == 100 && drawn.allSatisfy { $0.text.utf8.count == 49 })
        for token in drawn { #expect(OperatorToken(token.text)?.hash == token.hash) }
    }

    @Test(
        "A text that differs from a token in any way is none",
        arguments: [
            "", "assay_", String(text.dropFirst(6)), String(text.dropLast()), text + "A", text + "=", " " + text,
            text + "\n", text.replacing("assay_", with: "Assay_"), text.replacing("assay_", with: "assay-"),
            text.replacing("AAEC", with: "AA+C"), text.replacing("AAEC", with: "A EC"),
            // Another spelling of the same bytes: the last character has two bits that no byte needs.
            text.dropLast() + "9", "Bearer " + text, text.replacing("A", with: "\u{0410}"),
        ] as [String])
    func strict(text: String) async throws {
        #expect(OperatorToken(text) == nil)
        let ledger = MemoryLedger()
        try await add(to: ledger, Self.text)
        #expect(try await ledger.authenticate(text, at: Self.now) == nil)
    }

    @Test("No description of a token contains it")
    func descriptions() throws {
        let token = try #require(OperatorToken(Self.text))
        var dumped = ""
        dump(token, to: &dumped)
        for shown in ["\(token)", String(reflecting: token), dumped] {
            #expect(!shown.contains("AAEC") && !shown.contains("AwQF"), "\(shown)")
        }
    }

    @Test("A token is the key to its operator until its end or its revocation; an outage is no answer")
    func authentication() async throws {
        let base = MemoryLedger()
        let ledger = FaultyLedger(base)
        let alice = try await add(to: ledger, Self.text)
        #expect(try await ledger.authenticate(Self.text, at: Self.now) == alice)
        #expect(try await ledger.authenticate(OperatorToken.random().text, at: Self.now) == nil)
        #expect(try await ledger.authenticate(Self.text, at: alice.until) == nil)
        ledger.follow { operation, _ in operation == .liveOperator ? .outage() : nil }
        await #expect(throws: LedgerOutage.planned) { try await ledger.authenticate(Self.text, at: Self.now) }
        // What is no token needs no ledger.
        #expect(try await ledger.authenticate("x", at: Self.now) == nil)
        // The answer of the revocation is lost; it counts all the same.
        ledger.follow { operation, _ in operation == .revokeOperator ? .answerLost() : nil }
        await #expect(throws: LedgerOutage.planned) {
            try await ledger.revokeOperator(named: "alice", by: "ops", at: Self.now)
        }
        #expect(try await ledger.authenticate(Self.text, at: Self.now) == nil)
    }

    @discardableResult
    private func add(to ledger: any LedgerAdministration, _ text: String) async throws -> LedgerOperator {
        let alice = LedgerOperator(
            name: "alice", role: .viewer, addedAt: Self.now, addedBy: nil, until: Self.now.addingTimeInterval(60))
        let token = try #require(OperatorToken(text))
        #expect(try await ledger.addOperator(alice, tokenHash: token.hash) == nil)
        return alice
    }
}
