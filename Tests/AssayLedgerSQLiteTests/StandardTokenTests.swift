import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import AssayTesting
import Foundation
import PlayIntegrity
import Testing

/// A standard token is accepted once, presented as a token or as Google's answer.
@Suite("Standard tokens in ledgers")
struct StandardTokenTests {
    /// Answers like Google: only the first decoding of a token has verdicts.
    private struct Decoder: IntegrityTokenDecoder {
        let body: [UInt8]

        func decode(
            token: String, packageName: String, form: IntegrityTokenForm
        ) async throws(IntegrityDecoderOutage) -> [UInt8] { body }
    }

    enum Kind: CaseIterable {
        case memory
        case sqlite
    }

    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let policy = """
        version: 1
        apps:
          - name: shop
            playIntegrity:
              packageName: com.example.shop
              certificateDigests: ["\(Data(repeating: 0x6A, count: 32).base64EncodedString())"]
              answers: caller
        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func ledger(_ kind: Kind) throws -> any Ledger {
        switch kind {
        case .memory: MemoryLedger()
        case .sqlite: try SQLiteLedger.open(path: folder.path(), purging: .never)
        }
    }

    private static func answer(requestHash: String) -> [UInt8] {
        StandardAnswerBlueprint(
            packageName: "com.example.shop", requestHash: requestHash,
            certificateDigests: [[UInt8](repeating: 0x6A, count: 32)], issuedAt: now
        ).mint().body
    }

    /// Judges with a ledger, and with a decoder that returns the same answer for every token.
    private static func judge(
        _ evidence: StandardIntegrityInput.Evidence, answer: [UInt8], requestHash: String, _ ledger: any Ledger
    ) async throws -> Verdict {
        let policy = try PolicyFile.parse(Self.policy, path: "policy.yaml")
        return try await Verifier(policy: policy, ledger: ledger, services: [Decoder(body: answer)])
            .verify(
                StandardIntegrityInput(
                    packageName: "com.example.shop", requestHash: requestHash, evidence: evidence),
                at: now)
    }

    private static let challenge = CheckID("play-integrity.challenge")

    @Test(
        "A token is refused after its answer, an answer after its token, and a token with another answer",
        arguments: Kind.allCases)
    func spellings(kind: Kind) async throws {
        let ledger = try ledger(kind)
        for (number, isTokenFirst) in [true, false].enumerated() {
            let (hash, other) = ("h\(number)", "other\(number)")
            let (body, otherBody) = (Self.answer(requestHash: hash), Self.answer(requestHash: other))
            let (token, decoded) = (
                StandardIntegrityInput.Evidence.token("QUJD\(number)AAA"),
                StandardIntegrityInput.Evidence.decoded(IntegrityAnswer(json: body))
            )
            let first = isTokenFirst ? token : decoded
            #expect(try await Self.judge(first, answer: body, requestHash: hash, ledger).outcome == .accept)
            for evidence in [token, decoded, .token("QUJDAAAAAAA")] {
                let replay = try await Self.judge(evidence, answer: body, requestHash: hash, ledger)
                #expect(replay.failed == [Self.challenge], "\(kind) \(number) \(evidence)")
                #expect(replay.checks.count { $0.check == Self.challenge } == 1)
                #expect(replay.checks.last?.finding?.code == "digest-used")
            }
            let again = try await Self.judge(token, answer: otherBody, requestHash: other, ledger)
            #expect(again.failed == (isTokenFirst ? [Self.challenge] : []))
        }
    }

    @Test("If a token and its answer are presented concurrently, exactly one is accepted", arguments: Kind.allCases)
    func race(kind: Kind) async throws {
        let ledger = try ledger(kind)
        for round in 0..<20 {
            let (hash, token) = ("h\(round)", "QUJD\(100 + round)A")
            let body = Self.answer(requestHash: hash)
            let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<16 {
                    let evidence: StandardIntegrityInput.Evidence =
                        index.isMultiple(of: 2) ? .token(token) : .decoded(IntegrityAnswer(json: body))
                    group.addTask {
                        try await Self.judge(evidence, answer: body, requestHash: hash, ledger).outcome == .accept
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(accepted == 1, "round \(round)")
        }
    }
}
