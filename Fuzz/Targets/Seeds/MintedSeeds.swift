import AssayCore
import AssayTesting
import FoundationEssentials

/// Seeds for targets: evidence of a test authority, always the same.
enum MintedSeeds {
    static let issuedAt = Date(timeIntervalSince1970: 1_790_000_000)
    static let appID = "1234567890.com.example.shop"

    static func authority() throws(MintingError) -> TestAuthority {
        try TestAuthority(seed: "assay fuzz", notBefore: issuedAt.addingTimeInterval(-2 * 86_400))
    }

    static func attestation(device: AppAttestDevice = .iOS26) throws(MintingError) -> MintedAttestation {
        try AttestationBlueprint(
            authority: try authority(), key: AttestedKey(seed: "assay fuzz", label: "device"), appID: appID,
            device: device, clientData: .bytes(Array("challenge".utf8)), issuedAt: issuedAt
        ).mint()
    }

    /// Receipts in each of the known encodings.
    static func receipts() throws(MintingError) -> [[UInt8]] {
        let authority = try authority()
        let leaf = try attestation().certificates[0]
        var receipts: [[UInt8]] = []
        for (encoding, attributes) in [
            (ReceiptEncoding.indefinite(chunkSize: 1000), ReceiptBlueprint.SignedAttributes.none),
            (.definite, .none), (.definite, .signed(issuedAt)),
        ] {
            var blueprint = ReceiptBlueprint(
                authority: authority, appID: appID, certificate: leaf, clientDataHash: [UInt8](repeating: 7, count: 32),
                environment: .production, createdAt: issuedAt)
            blueprint.encoding = encoding
            blueprint.signedAttributes = attributes
            receipts.append(try blueprint.mint())
        }
        return receipts
    }

    /// The SubjectPublicKeyInfo of a P-256 key.
    static let subjectPublicKeyInfo = TestKey(.p256, seed: "assay fuzz", label: "key").subjectPublicKeyInfo()
}
