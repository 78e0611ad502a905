import Assay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// What the test authority mints: for each check, evidence that fails it, and each line of hostile input.
struct MintedVectorTests {
    /// The files of a set of vectors by folder, with the policy of each folder.
    private func judge(_ files: [VectorFile]) async throws -> Int {
        var count = 0
        for policyFile in files where policyFile.path.hasSuffix("policy.yaml") {
            let folder = policyFile.path.dropLast("policy.yaml".count)
            let policy = try PolicyFile.parse(
                policyFile.contents, file: policyFile.path,
                files: MintedFiles(folder: String(folder), files: files))
            let run = VectorRun(policy: policy)
            for file in files where file.path.hasSuffix(".json") && file.path.dropLast(file.name.count) == folder {
                let outcome = try await run.run(Array(file.contents.utf8), file: file.path)
                #expect(outcome.problems == [])
                count += outcome.count
            }
        }
        return count
    }

    @Test("freshly minted evidence gives the verdicts that it expects")
    func minted() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let authority = try TestAuthority(
            organization: "Assay Test", seed: "minted vector tests", notBefore: now.addingTimeInterval(-90 * 86400))
        let files = try AppAttestVectors.files(authority: authority, at: now)
        let count = try await judge(files)
        #expect(count > 400)
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
    var name: String { String(path.split(separator: "/").last ?? "") }
}
