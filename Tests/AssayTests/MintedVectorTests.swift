import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// What the test authority mints: for each check, evidence that fails it, and each line of hostile input.
struct MintedVectorTests {
    /// What judging a set of vectors showed.
    private struct Outcome {
        var count = 0
        /// The checks that failed alone in some record.
        var isolated: Set<CheckID> = []
    }

    /// Judges a set of vectors, each folder under its policy.
    private func judge(_ files: [VectorFile]) async throws -> Outcome {
        var total = Outcome()
        for policyFile in files where policyFile.name == "policy.yaml" {
            let policy = try PolicyFile.parse(
                policyFile.contents, file: policyFile.path, files: MintedFiles(folder: policyFile.folder, files: files))
            let run = VectorRun(policy: policy)
            for file in files where file.path.hasSuffix(".json") && file.folder == policyFile.folder {
                let outcome = try await run.run(Array(file.contents.utf8), file: file.path)
                #expect(outcome.problems == [])
                total.count += outcome.count
                total.isolated.formUnion(outcome.isolated)
            }
        }
        return total
    }

    /// The vectors that stand in this repository.
    private func committed() throws -> [VectorFile] {
        let folder = TestVectors.folder.appendingPathComponent("app-attest/minted")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        return try paths.sorted().filter { $0.contains(".") }.map {
            VectorFile(
                path: $0, contents: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test("every vector of this repository gives the verdict that it expects, and each check fails alone in one")
    func repository() async throws {
        let outcome = try await judge(try committed())
        #expect(outcome.count > 400)
        // A record cannot block a key; that is tested with a ledger.
        let expected = Set((AttestationCheck.catalogue + AssertionCheck.catalogue).map(\.id))
        #expect(expected.subtracting(outcome.isolated) == [AssertionCheck.keyState])
    }

    @Test("freshly minted evidence gives the same verdicts, under an authority with random keys")
    func minted() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let authority = try TestAuthority(notBefore: now.addingTimeInterval(-90 * 86400))
        let files = try AppAttestVectors.files(authority: authority, at: now)
        #expect(Set(files.map(\.path)) == Set(try committed().map(\.path)))
        #expect(try await judge(files).count > 400)
    }

    @Test("records that have no verdict are unreadable, or name a kind that nobody judges")
    func unreadable() async throws {
        let files = try committed().filter { $0.folder == "unreadable/" }
        #expect(files.count > 15)
        let policyFile = try #require(try committed().first { $0.path == "policy.yaml" })
        let policy = try PolicyFile.parse(
            policyFile.contents, file: nil, files: MintedFiles(folder: "", files: try committed()))
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
        for file in files {
            for result in RecordFile.read(Array(file.contents.utf8)) {
                guard case .success(let record) = result else { continue }
                await #expect(throws: VerificationError.self, "\(file.path)") {
                    try await verifier.verify(record, at: Date(timeIntervalSince1970: 1_790_000_000))
                }
            }
        }
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
