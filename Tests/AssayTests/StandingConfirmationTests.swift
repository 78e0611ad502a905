import Approov
import Assay
import AssayCore
import AssayTesting
import AssayVectors
import Foundation
import Testing

/// Subjects that an operator blocks after evidence was assessed, and before the ledger commits: while the body of a request arrives, or
/// while a service of the platform answers.
@Suite("Blocks between the assessment and the commit", .timeLimit(.minutes(20)))
struct StandingConfirmationTests {
    private static let account = "mallory"

    /// An acceptable assessment of a minted record, over a ledger with everything that the records before it have left.
    private struct Sample {
        let name: String
        let assessment: Assessment
        let verifier: Verifier
        let ledger: MemoryLedger
        let time: Date
        let isOfAccount: Bool

        /// The codes of the failed checks, if a subject is blocked now; empty for an acceptance.
        func codes(blocking subject: LedgerSubject) async throws -> [String] {
            try await ledger.block(LedgerBlock(subject: subject, reason: "test", since: time, until: nil))
            let verdicts = try await verifier.verdicts(of: [assessment], at: time)
            try await ledger.removeStanding(of: subject, by: nil, at: time)
            return verdicts.flatMap { verdict in
                verdict.checks.filter { $0.status == .failed }.compactMap { $0.finding?.code }
            }
        }
    }

    /// Hands every acceptable record of an engine's vectors to `body` before it is committed, once as it is and once for an account.
    private func judge(_ engine: String, _ body: (Sample) async throws -> Void) async throws {
        let vectors = try MintedVectors.committed(engine)
        for policyFile in vectors.files where policyFile.name == "policy.yaml" {
            let policy = try vectors.policy(policyFile.folder)
            for file in vectors.files where file.path.hasSuffix(".json") && file.folder == policyFile.folder {
                let ledger = MemoryLedger()
                let verifier = Verifier(policy: policy, ledger: ledger)
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    let time = try #require(record.receivedAt)
                    for isOfAccount in [true, false] {
                        var asked = record
                        if isOfAccount {
                            guard record.account == nil else { continue }
                            asked.account = Self.account
                        }
                        guard let assessment = try? await verifier.assess(asked, ledger: ledger, at: time),
                            assessment.isAcceptable
                        else { continue }
                        try await body(
                            Sample(
                                name: "\(file.path) \(record.id ?? "")", assessment: assessment, verifier: verifier,
                                ledger: ledger, time: time, isOfAccount: isOfAccount))
                    }
                    _ = try? await verifier.verify(record, at: time)
                }
            }
        }
    }

    @Test(
        "A block of the account, the device, the issuer or the key rejects evidence of each kind that was assessed before it",
        arguments: [
            (
                "app-attest",
                [
                    "app-attest.attestation account", "app-attest.attestation key", "app-attest.assertion account",
                    "app-attest.assertion key", "app-attest.request account", "app-attest.request key",
                ]
            ),
            (
                "play-integrity",
                ["play-integrity.classic account", "play-integrity.standard account", "play-integrity.request account"]
            ),
            (
                "approov",
                [
                    "approov.token account", "approov.token device", "approov.token issuer", "approov.message account",
                    "approov.message device", "approov.text account", "approov.text device",
                    "approov.proof account", "approov.proof device",
                ]
            ),
            (
                "android-key",
                [
                    "android-key.attestation account", "android-key.attestation key", "android-key.request account",
                    "android-key.request key",
                ]
            ),
            ("none", ["none account"]),
        ])
    func blocked(_ engine: String, _ expected: [String]) async throws {
        var found: Set<String> = []
        try await judge(engine) { sample in
            let kind = sample.assessment.kind.name
            if sample.isOfAccount {
                // Measurements without a token belong to no account.
                guard sample.assessment.checks.contains(where: { $0.check.name.hasSuffix(".account") }) else { return }
                let codes = try await sample.codes(blocking: LedgerSubject(.account, Self.account))
                // Some vectors are refused for another reason as well, such as a replay.
                #expect(codes.contains("account-blocked"), "\(sample.name): \(codes)")
                found.insert("\(kind) account")
                return
            }
            if let approov = sample.assessment.subject as? ApproovSubject {
                if let device = approov.deviceID {
                    let codes = try await sample.codes(blocking: LedgerSubject(.device, device))
                    #expect(codes.contains("device-blocked"), "\(sample.name): \(codes)")
                    found.insert("\(kind) device")
                }
                if let issuer = approov.claims?.issuer {
                    let codes = try await sample.codes(blocking: LedgerSubject(.issuer, issuer))
                    #expect(codes.contains("issuer-revoked"), "\(sample.name): \(codes)")
                    found.insert("\(kind) issuer")
                }
            } else if let subject = sample.assessment.subject, subject.identifierKind == .key,
                let identifier = subject.identifier
            {
                // Receipts are of keys that the ledger knows, and change nothing.
                guard !sample.assessment.effects.isEmpty else { return }
                let codes = try await sample.codes(blocking: LedgerSubject(.key, identifier))
                #expect(codes.contains("blocked"), "\(sample.name): \(codes)")
                found.insert("\(kind) key")
            }
        }
        #expect(Set(expected).isSubset(of: found), "missing: \(Set(expected).subtracting(found).sorted())")
    }

    @Test(
        "Evidence that changes nothing in the ledger waits for no write, and costs no look-up when it is judged at once"
    )
    func withoutWrites() async throws {
        var tokens = 0
        try await judge("approov") { sample in
            guard sample.assessment.kind == .approovToken, sample.isOfAccount else { return }
            let ledger = FaultyLedger()
            let verdict = try await sample.assessment.verdict(committingTo: ledger, at: sample.time)
            #expect(verdict.outcome == .accept && ledger.history.isEmpty, "\(sample.name)")
            _ = try await Assessment.verdicts(of: [sample.assessment], committingTo: ledger, at: sample.time)
            #expect(!ledger.history.isEmpty && !ledger.history.contains { $0.operation == .commit }, "\(sample.name)")
            tokens += 1
        }
        #expect(tokens > 3)
    }
}
