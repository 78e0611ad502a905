import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The chain of `TestVectors/android-key/extended`, which `make demo` has refused.
@Suite("The extended chain of the demo")
struct ExtendedVectorTests {
    private func file(_ name: String) throws -> String {
        String(
            decoding: try Data(contentsOf: TestVectors.folder.appendingPathComponent("android-key/extended/\(name)")),
            as: UTF8.self)
    }

    @Test("the files are those that the test authority mints")
    func minted() throws {
        let authority = try AndroidKeyTestAuthority(
            seed: "extended chain", notBefore: Fixtures.time.addingTimeInterval(-400 * 86_400))
        var blueprint = try AndroidKeyAttestationBlueprint(
            authority: authority, key: AndroidAttestedKey(seed: "extended chain", label: "device"),
            packageName: Fixtures.package, certificateDigest: Fixtures.digest, device: .factory,
            challenge: Fixtures.challenge, issuedAt: Fixtures.time)
        blueprint.extend(forging: try AndroidAttestedKey(seed: "extended chain", label: "attacker"))
        let record = try blueprint.mint().record(
            id: "extended", app: "shop-android",
            expect: .init(
                outcome: .reject, failed: [.init(check: "android-key.attestation.target", code: "chain-extended")]))
        #expect(try file("record.json") == record.jsonLine)
        #expect(try file("test-root.pem") == authority.rootPEM)
    }
}
