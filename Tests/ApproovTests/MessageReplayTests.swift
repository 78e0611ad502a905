import Approov
import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A message is accepted once inside its window.
@Suite("Replayed Approov messages")
struct MessageReplayTests {
    private static let signing = MessageSigning(signer: .installation)

    private func failures(
        _ verifier: Verifier, _ input: ApproovMessageInput, after seconds: Double = 0
    ) async throws -> [String] {
        try await verifier.verify(input, at: MessageFixture.now.addingTimeInterval(seconds)).failures
    }

    @Test("a repeated message is a replay until its window ends, and then too old")
    func again() async throws {
        for later in [0, 1, 12.9] {
            let verifier = try MessageFixture.verifier(Self.signing)
            let input = try MessageFixture().mint()
            #expect(try await failures(verifier, input) == [])
            #expect(try await failures(verifier, input, after: later) == ["approov.message.replay digest-used"])
        }
        var fixture = MessageFixture()
        fixture.parameters = ";created=\(fixture.created)"
        let verifier = try MessageFixture.verifier(Self.signing)
        let input = try fixture.mint()
        #expect(try await failures(verifier, input, after: -17) == [])
        #expect(try await failures(verifier, input, after: 58) == ["approov.message.replay digest-used"])
        #expect(try await failures(verifier, input, after: 58.001) == ["approov.message.freshness too-old"])
    }

    @Test("a message with the second form of its signature, or with other spellings of its fields, is a replay too")
    func otherForms() async throws {
        var fixture = MessageFixture()
        fixture.writeSignature = { $0.withLowS.concatenated }
        let low = try fixture.mint()
        fixture.writeSignature = { $0.withHighS.concatenated }
        let high = try fixture.mint()
        #expect(low.fields.last != high.fields.last)
        fixture.changeFields = { fields in
            fields = fields.map {
                .init($0.name.lowercased(), " " + $0.value.replacingOccurrences(of: "\" \"", with: "\"  \""))
            }
            .reversed()
            fields.append(.init("Signature-Input", #"proxy=("@method");created=1"#))
            fields.append(.init("Signature", "proxy=:AAAA:"))
        }
        let respaced = try fixture.mint()
        for first in [low, high, respaced] {
            let verifier = try MessageFixture.verifier(Self.signing)
            #expect(try await failures(verifier, first) == [])
            for second in [low, high, respaced] {
                #expect(try await failures(verifier, second) == ["approov.message.replay digest-used"])
            }
        }
    }

    @Test("two equal requests within one second count as one; a second later or with another URI, they count as two")
    func alike() async throws {
        let verifier = try MessageFixture.verifier(Self.signing)
        var fixture = MessageFixture()
        #expect(try await failures(verifier, fixture.mint()) == [])
        #expect(try await failures(verifier, fixture.mint()) == ["approov.message.replay digest-used"])
        fixture.targetURI += "&n=2"
        #expect(try await failures(verifier, fixture.mint()) == [])
        fixture.created += 1
        fixture.expires += 1
        #expect(try await failures(verifier, fixture.mint()) == [])
    }

    @Test("with replay: caller, the ledger is not used")
    func caller() async throws {
        let verifier = try MessageFixture.verifier(MessageSigning(signer: .installation, replay: .caller))
        for _ in 0..<2 {
            let verdict = try await verifier.verify(MessageFixture().mint(), at: MessageFixture.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.messageResult(CheckID.approovMessageReplay)?.because == .policy)
        }
    }

    @Test("a rejected message consumes nothing")
    func rejection() async throws {
        let verifier = try MessageFixture.verifier(Self.signing)
        let good = try MessageFixture.post().mint()
        let bad = ApproovMessageInput(
            method: good.method, targetURI: good.targetURI, fields: good.fields, body: .bytes([1]))
        #expect(try await failures(verifier, bad) == ["approov.message.content-digest digest-differs"])
        #expect(try await failures(verifier, good) == [])
    }

    @Test("of many tasks with one message, exactly one is accepted, with either form of the signature")
    func races() async throws {
        let folder = try TestFolder()
        let sqlite = try SQLiteLedger.open(path: folder.path("ledger.sqlite"))
        for ledger in [MemoryLedger(), sqlite] as [any Ledger] {
            let verifier = try MessageFixture.verifier(Self.signing, ledger: ledger)
            for round in 0..<5 {
                var fixture = MessageFixture()
                fixture.targetURI += "&round=\(round)"
                fixture.writeSignature = { $0.withLowS.concatenated }
                let low = try fixture.mint()
                fixture.writeSignature = { $0.withHighS.concatenated }
                let high = try fixture.mint()
                let outcomes = try await withThrowingTaskGroup { group in
                    for index in 0..<32 {
                        let input = index.isMultiple(of: 2) ? low : high
                        group.addTask { try await failures(verifier, input) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0.isEmpty } == 1)
                #expect(outcomes.count { $0 == ["approov.message.replay digest-used"] } == 31)
            }
        }
    }

    @Test("the ledger stores when the message was made, to detect purged digests later")
    func made() async throws {
        let ledger = MemoryLedger(purging: .byClock { .distantFuture })
        let verifier = try MessageFixture.verifier(Self.signing, ledger: ledger)
        let fixture = MessageFixture()
        #expect(try await failures(verifier, fixture.mint()) == [])
        var uses: [UsedDigest] = []
        try await ledger.export { if case .digest(let use) = $0 { uses.append(use) } }
        let created = Date(timeIntervalSince1970: Double(fixture.created))
        #expect(uses.map(\.madeAt) == [created] && uses.map(\.usedAt) == [MessageFixture.now])
        #expect(uses.map(\.until) == [created + Self.signing.freshness.past + 1])
    }
}
