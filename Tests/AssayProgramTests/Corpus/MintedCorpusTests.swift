import Assay
import AssayCore
import AssayProgram
import AssayVectors
import Foundation
import Testing

@Suite("Minted corpora, judged")
struct MintedCorpusTests {
    /// What judging a corpus in its order showed.
    private struct Outcome {
        /// How many records of a kind there are.
        var kinds: [String: Int] = [:]
        /// How many records of a kind fail a check first: by kind and check.
        var failed: [String: [String: Int]] = [:]
        var annotated: Set<String> = []
        var rejected = 0
        var unmet: [String] = []

        var count: Int { kinds.values.reduce(0, +) }
    }

    private func judge(
        policy name: String = "policy.yaml", _ change: (inout CorpusBlueprint) -> Void
    ) async throws -> Outcome {
        var blueprint = CorpusBlueprint(seed: "judged", end: Date(timeIntervalSince1970: 1_790_000_000))
        blueprint.days = 7
        change(&blueprint)
        var mint = try CorpusMint(blueprint)
        let chosen = try #require(mint.files.first { $0.path == name })
        let others = mint.files.filter { !$0.path.hasSuffix(".yaml") }
            .map { VectorFile(path: $0.path, contents: $0.contents) }
        let policy = try VectorPolicies(
            files: others + [VectorFile(path: "policy.yaml", contents: chosen.contents)]
        ).policy()
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
        var outcome = Outcome()
        while let records = try await mint.next() {
            for record in records {
                let verdict = try await verifier.verify(record, at: try #require(record.receivedAt))
                let expect = try #require(record.expect)
                outcome.kinds[record.kind.name, default: 0] += 1
                outcome.annotated.formUnion(verdict.annotated.map(\.name))
                if !expect.isMet(by: verdict) { outcome.unmet.append(record.id ?? "?") }
                if let first = verdict.failed.first {
                    outcome.rejected += 1
                    outcome.failed[record.kind.name, default: [:]][first.name, default: 0] += 1
                }
            }
        }
        return outcome
    }

    /// Corpora have evidence of App Attest, Play Integrity and Android Key Attestation. They have none of Approov, no tokens
    /// of Assay, no devices without evidence, and no requests that carry the same evidence.
    private static func isOfDevice(_ name: String) -> Bool {
        name.hasPrefix("android-key.")
            || !["approov", "assay", "none", "mitm"].contains(name.prefix { $0 != "." }) && !name.contains(".request.")
                && !name.hasSuffix(".request")
    }

    @Test("Every record is judged as it expects, and three to five in a hundred are refused")
    func usual() async throws {
        let outcome = try await judge {
            $0.devices = 150
            $0.days = 10
        }
        #expect(outcome.unmet == [])
        #expect((0.03...0.05).contains(Double(outcome.rejected) / Double(outcome.count)), "\(outcome.rejected)")
        // What is only noted is there to be noted.
        #expect(outcome.annotated.contains("play-integrity.licensing"))
        #expect(Set(outcome.kinds.keys) == Set(Verifier.kinds.map(\.name).filter(Self.isOfDevice)))
    }

    @Test("Every check that can be failed is failed first by its share of the records of each kind, give or take two")
    func everyCheck() async throws {
        let outcome = try await judge {
            $0.devices = 250
            $0.shares = [:]
            for check in CorpusBlueprint.supportedChecks { $0.shares[check] = CorpusShare(partsPerMillion: 30_000) }
        }
        #expect(outcome.unmet == [])
        var found: Set<String> = []
        for (kind, failed) in outcome.failed {
            let count = try #require(outcome.kinds[kind])
            for (check, number) in failed {
                found.insert(check)
                // Of standard tokens, those of PCs and of apps have shares of their own.
                let isShared = kind == "play-integrity.standard"
                #expect(
                    abs(Double(number) - 0.03 * Double(count)) <= (isShared ? 0.03 * Double(count) * 0.1 + 4 : 2)
                        || check == "play-integrity.pc-integrity", "\(check): \(number) of \(count)")
            }
        }
        #expect(found == Set(CorpusBlueprint.supportedChecks))
    }

    @Test("Most checks can be failed; those of accounts cannot")
    func unsupported() {
        let supported = Set(CorpusBlueprint.supportedChecks)
        let all = Verifier.catalogue.map(\.id.name).filter(Self.isOfDevice)
        #expect(supported.isSubset(of: all) && supported.count > all.count / 2)
        #expect(!supported.contains { $0.hasSuffix(".account") })
    }

    @Test("A single share is met to the record, and nothing else is refused")
    func single() async throws {
        for (check, share) in [("app-attest.assertion.counter", 50_000), ("app-attest.assertion.signature", 123_400)] {
            let outcome = try await judge {
                $0.devices = 40
                $0.appleShare = CorpusShare(partsPerMillion: 1_000_000)
                $0.shares = [check: CorpusShare(partsPerMillion: share)]
            }
            #expect(outcome.unmet == [])
            let count = try #require(outcome.kinds["app-attest.assertion"])
            let number = try #require(outcome.failed["app-attest.assertion"]?[check])
            #expect(abs(number - count * share / 1_000_000) <= 1, "\(number) of \(count)")
            #expect(outcome.rejected == number)
        }
    }

    @Test("The stricter policy refuses more, by checks of its own")
    func stricter() async throws {
        func change(_ blueprint: inout CorpusBlueprint) { blueprint.devices = 120 }
        let usual = try await judge(change)
        let stricter = try await judge(policy: "stricter.yaml", change)
        #expect(stricter.count == usual.count)
        #expect(stricter.rejected > 2 * usual.rejected)
        let integrity = stricter.failed["play-integrity.standard"] ?? [:]
        for check in ["device-recognition", "sdk-version", "licensing", "version-code"] {
            #expect(integrity["play-integrity.\(check)", default: 0] > 0, "\(check)")
        }
        let keys = stricter.failed["android-key.attestation"] ?? [:]
        #expect(keys["android-key.attestation.patch-level", default: 0] > 0)
        #expect(stricter.failed["app-attest.attestation"]?["app-attest.attestation.os-version", default: 0] ?? 0 > 0)
    }
}
