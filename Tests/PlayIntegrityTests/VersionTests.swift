import Assay
import AssayCore
import AssayTestSupport
import PlayIntegrity
import Testing

@Suite("Version codes")
struct VersionTests {
    /// The version code of the fixture's payload is 42.
    @Test(
        "A version code that is too low, too high or withdrawn fails only version-code",
        .produces("play-integrity.version-code", "version-code-too-high", "version-code-withdrawn"),
        arguments: [
            (VersionRules(minimum: 42, maximum: 42, withdrawn: [41, 43]), nil),
            (VersionRules(minimum: 43), "version-code-too-low"), (VersionRules(maximum: 41), "version-code-too-high"),
            (VersionRules(maximum: 99, withdrawn: [7, 42]), "version-code-withdrawn"),
        ] as [(VersionRules<Int64>, String?)])
    func versionCodes(_ rules: VersionRules<Int64>, _ code: String?) async throws {
        let verifier = try Fixtures.verifier(Fixtures.configuration(android: Fixtures.rules(versions: rules)))
        let verdict = try await verifier.verify(Fixtures.classic(), at: Fixtures.now)
        #expect(verdict.failed == (code == nil ? [] : [CheckID.playIntegrityVersionCode]))
        #expect(verdict.code(CheckID.playIntegrityVersionCode) == code)
        #expect(verdict.remedy == (code == nil ? nil : .updateApp))
    }
}
