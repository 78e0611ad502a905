import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import PlayIntegrity
import Testing

/// What the test keys mint: for each check of Play Integrity, evidence that fails it alone, and each line of hostile
/// input.
struct MintedIntegrityVectorTests {
    @Test("every vector of this repository gives the verdict that it expects, and each check fails alone in one")
    func repository() async throws {
        let outcome = try await MintedVectors.committed("play-integrity", isExact: true).judge()
        #expect(outcome.count > 750)
        #expect(Set(PlayIntegrityCheck.catalogue.map(\.id)).subtracting(outcome.isolated) == [])
    }

    @Test("freshly minted evidence gives the same verdicts, under random keys")
    func minted() async throws {
        let files = try PlayIntegrityVectors.files(at: Date(timeIntervalSince1970: 1_800_000_000))
        #expect(try await MintedVectors(files: files, isExact: true).judge().count > 750)
    }

    @Test("records that have no verdict are unreadable, or nobody can judge them")
    func unreadable() async throws {
        #expect(try await MintedVectors.committed("play-integrity").expectNoVerdicts() > 25)
    }

    @Test("under the policies as files, keys that others can read are refused, and those of mode 0600 accepted")
    func files() async throws {
        let temporary = try TestFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.url
        let files = try MintedVectors.committed("play-integrity").files
        for file in files where !file.path.hasPrefix("unreadable/") {
            let url = folder.appendingPathComponent(file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.contents.utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        }
        let policy = folder.appendingPathComponent("policy.yaml").path
        #expect(throws: PolicyError.self) { try PolicyFile.load(path: policy) }
        for file in files where file.path.hasSuffix("-decryption.b64") {
            let path = folder.appendingPathComponent(file.path).path
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let run = VectorRun(policy: try PolicyFile.load(path: policy), isExact: true)
        let accepted = try #require(files.first { $0.path == "classic-accept.json" })
        let outcome = try await run.run(Array(accepted.contents.utf8), file: accepted.path)
        #expect(outcome.problems == [])
        #expect(outcome.count > 40)
    }
}
