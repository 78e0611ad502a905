import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import PlayIntegrity
import Testing

/// Records made outside of this repository.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct PlayIntegritySharedVectorTests {
    @Test("every record has its expected outcome and first failed check")
    func records() async throws {
        let folder = "vectors/play-integrity"
        let material = try PlayIntegrityKeys.reading([
            "decryptionKey": SecretBytes(SharedFiles.data("\(folder)/play-decryption.b64")),
            "verificationKey": SecretBytes(SharedFiles.data("\(folder)/play-verification.b64")),
        ])
        let digest = try #require(Data(base64Encoded: "UVoyb6i/aTZhOum9v4PjLSi5qPtaWa5sznZXOMeW874="))
        let configuration = try PlayIntegrityConfiguration(
            packageName: "com.example.app",
            android: .init(certificateDigests: [Array(digest)], versions: VersionRules(minimum: 42)),
            challenge: .caller
        ) { $0.keys = ["play-test"] }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop-android", configuration)],
            keys: [NamedKey(name: "play-test", material: material)], catalogue: Verifier.catalogue)
        let results = try RecordFile.read(Array(SharedFiles.data("\(folder)/records.json")))
        #expect(results.count == 31)
        var accepted = 0
        for result in results {
            let record = try result.get()
            let expected = try #require(record.expect)
            let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                record, at: try #require(record.receivedAt))
            #expect(expected.isMet(by: verdict), "\(record.id ?? "?"): \(verdict.failed)")
            if verdict.outcome == .accept { accepted += 1 }
        }
        #expect(accepted == 6)
    }
}
