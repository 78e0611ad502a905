import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A set of minted vectors: those of this repository, or freshly minted ones.
struct MintedVectors {
    /// What judging a set of vectors showed.
    struct Outcome {
        var count = 0
        /// The checks that failed alone in some record.
        var isolated: Set<CheckID> = []
    }

    let files: [VectorFile]
    /// Whether the records name every check that fails.
    var isExact = false

    /// The vectors that stand in this repository, by the name of their engine.
    static func committed(_ engine: String, isExact: Bool = false) throws -> MintedVectors {
        let folder = TestVectors.folder.appendingPathComponent("\(engine)/minted")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        let files = try paths.sorted().filter { $0.contains(".") }.map {
            VectorFile(
                path: $0, contents: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
        return MintedVectors(files: files, isExact: isExact)
    }

    /// Judges all, each folder under its policy.
    func judge() async throws -> Outcome {
        var total = Outcome()
        for policyFile in files where policyFile.name == "policy.yaml" {
            let run = VectorRun(policy: try policy(policyFile.folder), isExact: isExact)
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
                let verifier = Verifier(policy: policy, ledger: MemoryLedger())
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    verdicts.append(try await verifier.verify(record, at: try #require(record.receivedAt)))
                }
            }
        }
        return verdicts
    }

    /// The policy of a folder, which is named with its slash.
    func policy(_ folder: String = "") throws -> Policy {
        let file = try #require(files.first { $0.path == "\(folder)policy.yaml" })
        return try PolicyFile.parse(
            file.contents, file: file.path, files: MintedFiles(folder: folder, files: files))
    }

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

/// The files that minted policies refer to, without a disk.
private struct MintedFiles: PolicyFiles {
    let folder: String
    let files: [VectorFile]

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        let path = URL(fileURLWithPath: "/" + folder + (try node.text().dropFirst("file:".count))).standardized.path
        guard let file = files.first(where: { "/" + $0.path == path }) else { throw node.error("no such file \(path)") }
        return Array(file.contents.utf8)
    }
}

extension VectorFile {
    fileprivate var name: String { String(path.split(separator: "/").last ?? "") }
    fileprivate var folder: String { String(path.dropLast(name.count)) }
}
