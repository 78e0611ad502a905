import AppAttest
import AssayPrimitives
import Foundation
import Testing

/// The trust anchors are Apple's.
struct RootTests {
    @Test("the compiled-in roots are Apple's, by their SHA-256")
    func roots() {
        let digests = [
            (AppleRoots.appAttestation, "1CB9823BA28BA6AD2D33A006941DE2AE4F513EF1D4E831B9F7E0FA7B6242C932"),
            (AppleRoots.appleRootG3, "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179"),
        ]
        for (certificates, expected) in digests {
            #expect(certificates.count == 1)
            let digest = certificates.first.map { Digest.sha256(Array($0.der)) } ?? []
            #expect(digest.map { String(format: "%02X", $0) }.joined() == expected)
        }
    }
}
