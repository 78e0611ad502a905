import AndroidKey
import AssayCore
import Testing

@Suite struct KindTests {
    /// Kinds are API: records, policies and challenges name them.
    @Test func kindsHaveTheirNames() {
        #expect(EvidenceKind.androidKeyAttestation.name == "android-key.attestation")
        #expect(EvidenceKind.androidKeyRequest.name == "android-key.request")
    }
}
