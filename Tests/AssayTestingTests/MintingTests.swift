import AssayTestSupport
import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Minted evidence")
struct MintingTests {
    private func mint(_ device: AppAttestDevice) throws -> MintedAttestation {
        try AttestationBlueprint(
            authority: Fixtures.authority(), key: AttestedKey(seed: "tests", label: "device"), appID: Fixtures.appID,
            device: device, clientData: .bytes(Array("challenge".utf8)), issuedAt: Fixtures.time
        ).mint()
    }

    @Test("Authenticator data has 164 bytes before iOS 27, and a map of bundle version and category after")
    func authenticatorDataLength() throws {
        #expect(try mint(.iOS26).authenticatorData.count == 164)
        #expect(try mint(.iOS27).authenticatorData.count == 228)
    }

    @Test("The nonce in the leaf is the digest of authenticator data and client data hash")
    func nonce() throws {
        let minted = try mint(.iOS26)
        let hash = Array(SHA256.hash(data: Array("challenge".utf8)))
        let nonce = Array(SHA256.hash(data: minted.authenticatorData + hash))
        #expect(minted.certificates[0].firstRange(of: [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce) != nil)
    }

    @Test("Key ID, credential ID and COSE key belong to the leaf's key")
    func bindings() throws {
        let minted = try mint(.iOS26)
        #expect(minted.keyID == Array(SHA256.hash(data: minted.publicPoint)))
        #expect(Array(minted.authenticatorData[55..<87]) == minted.keyID)
        #expect(Array(minted.authenticatorData[97..<129]) == Array(minted.publicPoint[1..<33]))
        #expect(minted.certificates[0].firstRange(of: minted.publicPoint) != nil)
    }

    @Test("A genuine assertion signs the nonce as message, whatever the form of s")
    func assertion() throws {
        let key = AttestedKey(seed: "tests", label: "assertion")
        let point = try P256.Signing.PublicKey(x963Representation: key.publicPoint)
        for form in [AssertionBlueprint.SignatureForm.genuine, .highS, .lowS, .nonceAsDigest] {
            var blueprint = AssertionBlueprint(
                key: key, appID: Fixtures.appID, counter: 1, clientData: .bytes([1, 2, 3]))
            blueprint.signature = form
            let minted = try blueprint.mint()
            let nonce = SHA256.hash(data: minted.authenticatorData + Array(SHA256.hash(data: [1, 2, 3] as [UInt8])))
            let signature = try P256.Signing.ECDSASignature(derRepresentation: minted.signature)
            if case .nonceAsDigest = form {
                #expect(!point.isValidSignature(signature, for: Array(nonce)))
                #expect(point.isValidSignature(signature, for: nonce))
            } else {
                #expect(point.isValidSignature(signature, for: Array(nonce)))
            }
            #expect(minted.authenticatorData.count == 37)
        }
    }

    @Test("The same seed gives the same authority, and another seed another one")
    func authorities() throws {
        let authority = try Fixtures.authority()
        #expect(try Fixtures.authority().rootCertificate == authority.rootCertificate)
        #expect(try Fixtures.authority().receiptSigner.certificate == authority.receiptSigner.certificate)
        #expect(try TestAuthority(seed: "others", notBefore: Fixtures.time).rootPEM != authority.rootPEM)
    }

    @Test("The access control lists are the documented ones")
    func accessControlLists() {
        let macOS = "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB"
        let iOS = "MEMMAjExMD0wCgwDb2tkoQMBAf8wCQwCb2GhAwEB/zALDARvc2duoQMBAf8wCwwEb2RlbKEDAQH/MAoMA29ja6EDAQH/"
        #expect(Data(AppAttestPlatform.macOS.acl).base64EncodedString() == macOS)
        #expect(Data(AppAttestPlatform.iOS.acl).base64EncodedString() == iOS)
    }

    @Test("A record is JSON that Foundation reads, with the evidence in base64")
    func record() throws {
        let json = try mint(.iOS26).record(id: "a \"quoted\"\n\u{1}id", app: "x").json
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let evidence = try #require(object["evidence"] as? [String: String])
        #expect(object["id"] as? String == "a \"quoted\"\n\u{1}id")
        #expect(object["receivedAt"] as? String == "2026-04-21T18:13:12Z")
        #expect(evidence["challenge"] == "Y2hhbGxlbmdl")
        #expect(evidence.keys.sorted() == ["attestation", "challenge", "keyId"])
    }
}
