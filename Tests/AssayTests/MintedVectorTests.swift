import AppAttest
import Approov
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import AssayTokens
import AssayVectors
import Foundation
import PlayIntegrity
import Testing

/// The committed vectors, read from their files: for each check, evidence that fails it, and each line of hostile input.
struct MintedVectorTests {
    /// Which checks fail alone in no vector, since a record cannot bring it about: blocks of a ledger's operator, risk metrics of
    /// refreshed receipts, Approov's address and a host's addresses, which reject nothing, and requests with evidence beside a statement.
    private static let notIsolated: Set<CheckID> = [
        CheckID.appAttestAssertionKeyState, CheckID.appAttestAssertionRiskMetric, CheckID.approovTokenDevice,
        CheckID.approovTokenAccount,
        CheckID.approovTokenAddress,
        CheckID.playIntegrityAccount, CheckID.assayTokenAccount, CheckID.noneAlone, CheckID.mitmCertificateAddresses,
    ]

    @Test(
        "every vector gives the verdict that it expects, and each check fails alone in one", arguments: VectorSets.all)
    func repository(_ set: any VectorSet.Type) async throws {
        let outcome = try await MintedVectors.committed(set.name).judge()
        // Statements of no evidence have few forms, and certificates few parts.
        #expect(outcome.count > (["assay": 120, "none": 40, "mitm": 35][set.name] ?? 250))
        let checks = Verifier.catalogue.map(\.id).filter { $0.name.hasPrefix("\(set.name).") }
            .filter { !$0.name.hasPrefix("app-attest.receipt.") }
        #expect(!checks.isEmpty)
        #expect(Set(checks).subtracting(outcome.isolated) == Self.notIsolated.intersection(checks))
    }

    @Test(
        "records that have no verdict cannot be read, or cannot be judged",
        arguments: [("app-attest", 15), ("play-integrity", 25), ("approov", 30), ("none", 4), ("mitm", 8)])
    func unreadable(engine: String, minimum: Int) async throws {
        #expect(try await MintedVectors.committed(engine).expectNoVerdicts() > minimum)
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
        let accepted = try #require(files.first { $0.path == "classic-accept.json" })
        let outcome = try await VectorRun(policy: try PolicyFile.load(path: policy))
            .run(Array(accepted.contents.utf8), file: accepted.path)
        #expect(outcome.problems == [])
        #expect(outcome.count > 40)
    }
}
