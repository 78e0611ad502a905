import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// The policy decides who vouches for Google's answer on a standard token. The evidence has no influence.
@Suite("Who vouches for answers")
struct AnswerSourceTests {
    typealias Source = PlayIntegrityConfiguration.AnswerSource

    private func verifier(_ answers: Source?, canAsk: Bool, ledger: any Ledger = MemoryLedger()) throws -> Verifier {
        try Fixtures.verifier(
            Fixtures.configuration(answers: answers), ledger: ledger,
            services: canAsk ? [FixedDecoder(Fixtures.standard)] : [])
    }

    @Test(
        "A verifier with a decoder, or a policy with answers: google, refuses an answer in the evidence",
        .produces("play-integrity.decode", "answer-by-caller"))
    func refused() async throws {
        let given = Fixtures.answer(Fixtures.standard)
        let record = try EvidenceRecord(given, receivedAt: Fixtures.now)
        let table: [(answers: Source?, canAsk: Bool, isAccepted: Bool)] = [
            (nil, false, true), (nil, true, false), (.google, false, false), (.google, true, false),
            (.caller, false, true), (.caller, true, true),
        ]
        for (answers, canAsk, isAccepted) in table {
            for verdict in [
                try await verifier(answers, canAsk: canAsk).verify(given, at: Fixtures.now),
                try await verifier(answers, canAsk: canAsk).verify(record, at: Fixtures.now),
            ] {
                let failed = isAccepted ? [] : [CheckID.playIntegrityDecode]
                #expect(verdict.failed == failed, "\(answers as Any) \(canAsk)")
                let code = verdict.code(CheckID.playIntegrityDecode)
                #expect(code == (isAccepted ? "answer-supplied" : "answer-by-caller"))
                if !isAccepted { #expect(verdict.subject == nil) }
                // A replay would take it for Google's.
                let captured = PlayIntegrityEngine.captured(record.evidence, judged: verdict)
                #expect((captured["decoded"] == nil) == !isAccepted)
            }
        }
    }

    @Test("A refused answer consumes nothing: the token of the same answer is accepted afterwards")
    func usesNothing() async throws {
        let verifier = try verifier(.google, canAsk: true)
        let given = Fixtures.answer(Fixtures.standard)
        #expect(try await verifier.verify(given, at: Fixtures.now).outcome == .reject)
        #expect(
            try await verifier.verify(FixedDecoder.input(), at: Fixtures.now).outcome == .accept)
    }

    @Test("A token is judged under every policy on answers")
    func tokens() async throws {
        for answers in [nil, Source.google, .caller] {
            let verdict = try await verifier(answers, canAsk: true)
                .verify(FixedDecoder.input(), at: Fixtures.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.code(CheckID.playIntegrityDecode) == nil)
        }
    }

    @Test("An answer from a decoder is accepted under answers: google, and its token is remembered")
    func decoderAnswer() async throws {
        let decoder = FixedDecoder(Fixtures.standard)
        let verifier = try Fixtures.verifier(Fixtures.configuration(answers: .google), services: [decoder])
        let answer = try await decoder.answer(
            on: FixedDecoder.token, packageName: Fixtures.packageName, form: .android)
        let input = StandardIntegrityInput(
            packageName: Fixtures.packageName, requestHash: Fixtures.requestHash, evidence: .decoded(answer))
        #expect(try await verifier.verify(input, at: Fixtures.now).outcome == .accept)
        // For the second call, Google's answer differs.
        var later = Fixtures.standard
        later["deviceIntegrity.recentDeviceActivity.deviceActivityLevel"] = "LEVEL_2"
        let again = try Fixtures.verifier(
            Fixtures.configuration(), ledger: verifier.ledger, services: [FixedDecoder(later)])
        let replay = try await again.verify(FixedDecoder.input(), at: Fixtures.now)
        #expect(replay.result(CheckID.playIntegrityChallenge)?.finding?.code == "digest-used")
        let unsendable = try await decoder.answer(on: "A=", packageName: Fixtures.packageName, form: .android)
        let refused = try await verifier.verify(
            StandardIntegrityInput(
                packageName: Fixtures.packageName, requestHash: Fixtures.requestHash, evidence: .decoded(unsendable)),
            at: Fixtures.now)
        #expect(refused.code(CheckID.playIntegrityDecode) == "token-not-canonical")
        #expect(decoder.asked.withLock { $0.count } == 1)
    }
}
