import Assay
import AssayCore
import AssayTestSupport
import AssayVectors
import Foundation
import Testing

/// The minted vectors of an engine that stand in this repository.
struct MintedVectors {
    /// What judging a set of vectors showed.
    struct Outcome {
        var count = 0
        /// The checks that failed alone in some record.
        var isolated: Set<CheckID> = []
    }

    let files: [VectorFile]

    /// The vectors that stand in this repository, by the name of their engine.
    static func committed(_ engine: String) throws -> MintedVectors {
        let folder = TestVectors.folder.appendingPathComponent("\(engine)/minted")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        let files = try paths.sorted().filter { $0.contains(".") }.map {
            VectorFile(
                path: $0, contents: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
        return MintedVectors(files: files)
    }

    /// Judges all, each folder under its policy.
    func judge() async throws -> Outcome {
        var total = Outcome()
        for policyFile in files where policyFile.name == "policy.yaml" {
            let run = VectorRun(policy: try policy(policyFile.folder))
            for file in files where file.path.hasSuffix(".json") && file.folder == policyFile.folder {
                let outcome = try await run.run(Array(file.contents.utf8), file: file.path)
                #expect(outcome.problems == [])
                total.count += outcome.count
                total.isolated.formUnion(outcome.isolated)
            }
        }
        return total
    }

    /// The verdicts on all records that have one, each folder under its policy and each file with a ledger of its own.
    func verdicts() async throws -> [Verdict] {
        var verdicts: [Verdict] = []
        for policyFile in files where policyFile.name == "policy.yaml" {
            let policy = try policy(policyFile.folder)
            for file in files where file.path.hasSuffix(".json") && file.folder == policyFile.folder {
                let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    verdicts.append(try await verifier.verify(record, at: try #require(record.receivedAt)))
                }
            }
        }
        return verdicts
    }

    /// The policy of a folder, which is named with its slash.
    func policy(_ folder: String = "") throws -> VerificationPolicy { try VectorPolicies(files: files).policy(folder) }

    /// Demands that the records in `unreadable` have no verdict: that they cannot be read or not be judged. Gives how
    /// many there are.
    func expectNoVerdicts() async throws -> Int {
        let files = files.filter { $0.folder == "unreadable/" }
        let verifier = Verifier(policy: try policy(), ledger: MemoryLedger())
        for file in files {
            for result in RecordFile.read(Array(file.contents.utf8)) {
                guard case .success(let record) = result else { continue }
                await #expect(throws: VerificationError.self, "\(file.path)") {
                    try await verifier.verify(record, at: Date(timeIntervalSince1970: 1_790_000_000))
                }
            }
        }
        return files.count
    }
}
