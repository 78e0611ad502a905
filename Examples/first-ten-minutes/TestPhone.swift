import AssayTesting
import Foundation

/// An iPhone whose key a test authority attests.
struct TestPhone {
    let authority: TestAuthority
    let key = AttestedKey()
    private var counter: UInt32 = 0

    init(authority: TestAuthority) { self.authority = authority }

    func attest(_ challenge: String) throws -> MintedAttestation {
        try AttestationBlueprint(
            authority: authority, key: key, appID: "1234567890.com.example.shop",
            clientData: .bytes(Array(challenge.utf8)), issuedAt: Date()
        ).mint()
    }

    mutating func sign(_ body: String) throws -> MintedAssertion {
        counter += 1
        return try AssertionBlueprint(
            key: key, appID: "1234567890.com.example.shop", counter: counter,
            clientData: .bytes(Array(body.utf8))
        ).mint()
    }
}
