import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// One blob of every kind, minted once.
struct Samples {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let appID = "1234567890.com.example.shop"

    let attestation: MintedAttestation
    let receipt: [UInt8]
    let token: String

    init() throws {
        let authority = try TestAuthority(seed: "inspection", notBefore: Samples.time.addingTimeInterval(-40 * 86_400))
        attestation = try AttestationBlueprint(
            authority: authority, key: AttestedKey(seed: "inspection", label: "device"), appID: Samples.appID,
            clientData: .bytes(Array("challenge".utf8)), issuedAt: Samples.time
        ).mint()
        receipt = try #require(attestation.receipt)
        var token = JWSBlueprint(
            payload: Array(#"{"iss":"backend","exp":1776795192,"did":"AAECAwQFBgcICQoLDA0ODw=="}"#.utf8),
            signer: .hs256(Array("a secret of the tests".utf8)))
        token.header = ["alg": "HS256", "typ": "JWT", "kid": "key-1"]
        self.token = try token.mint()
    }

    /// A file of the test vectors.
    static func vector(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: TestVectors.folder.appendingPathComponent(path)))
    }
}
