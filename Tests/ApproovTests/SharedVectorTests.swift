import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Records made outside of this repository.
@Suite("The shared vectors of Approov", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct SharedVectorTests {
    private static let folder = "vectors/approov"

    private func judgeAll(_ policy: VerificationPolicy) async throws {
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        let results = try RecordFile.read(Array(SharedFiles.data("\(Self.folder)/records.json")))
        var judged: [EvidenceKind: Int] = [:]
        var accepted = 0
        for result in results {
            let record = try result.get()
            let expected = try #require(record.expect)
            let verdict = try await verifier.verify(record, at: try #require(record.receivedAt))
            #expect(expected.isMet(by: verdict), "\(record.id ?? "?"): \(verdict.failed)")
            if verdict.outcome == .accept { accepted += 1 }
            if record.evidence["loggable"] != nil {
                let live = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                    record, at: try #require(record.receivedAt))
                #expect(live.outcome == .reject, "\(record.id ?? "?")")
            }
            judged[record.kind, default: 0] += 1
        }
        #expect(
            judged == [EvidenceKind.approovToken: 30, EvidenceKind.approovMessage: 14, EvidenceKind.approovProof: 2])
        #expect(accepted == 15)
    }

    @Test("Every record has its expected outcome and first failed check under the unchanged policy file")
    func policyFile() async throws {
        let copy = try KeyFolder()
        for path in try SharedFiles.files(in: Self.folder, suffix: "") where !path.hasSuffix("records.json") {
            let name = try #require(path.split(separator: "/").last)
            try copy.write(String(name), String(decoding: SharedFiles.data(path), as: UTF8.self))
        }
        try await judgeAll(PolicyFile.load(path: copy.path("policy.yaml")))
    }

    @Test("The results are the same under a policy composed in code")
    func code() async throws {
        func file(_ name: String) throws -> SecretBytes { SecretBytes(try SharedFiles.data("\(Self.folder)/\(name)")) }
        func word(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
        func app(_ name: String, _ change: (inout ApproovConfiguration.Settings) -> Void) throws -> PolicyApp {
            var settings = ApproovConfiguration.Settings()
            settings.keys = ["approov-now"]
            change(&settings)
            return PolicyApp(name: name, try ApproovConfiguration(settings))
        }
        func key(_ name: String, _ parts: [String: SecretBytes]) throws -> NamedKey {
            NamedKey(name: name, material: try ApproovKey.reading(parts))
        }
        let both = ["approov-now", "approov-previous"]
        let policy = try VerificationPolicy(
            apps: [
                app("api") { $0.keys = both },
                app("bound") { ($0.binding, $0.failover) = (["Authorization"], .reject) },
                app("bound2") { ($0.binding, $0.failover) = (["Authorization", "X-Device-ID"], .reject) },
                app("sealed") { ($0.keys, $0.format) = (both, .jwe) },
                app("asym") { $0.keys = ["approov-es", "approov-rs"] },
                app("signed") { $0.messageSigning = MessageSigning(signer: .installation) },
                app("signed-account") {
                    $0.messageSigning = MessageSigning(signer: .account, keys: ["approov-account"])
                },
            ],
            keys: [
                key("approov-now", ["secret": file("approov-now.b64")]),
                key("approov-previous", ["secret": file("approov-previous.b64")]),
                key("approov-es", ["publicKey": file("es.pem"), "keyID": word("es"), "algorithm": word("ES256")]),
                key("approov-rs", ["publicKey": file("rs.pem"), "keyID": word("rs"), "algorithm": word("RS256")]),
                NamedKey(
                    name: "approov-account",
                    material: ApproovMessageKey.reading(["secret": file("approov-account.b64"), "keyID": word("acc")])),
            ],
            catalogue: Verifier.catalogue)
        try await judgeAll(policy)
    }
}
