import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Minted descriptions of Android keys")
struct KeyDescriptionTests {
    /// The tags of a list, in order.
    private func tags(_ list: DERElement) throws -> [UInt32] {
        try AndroidFixtures.elements(list).map(\.tag.number)
    }

    @Test(
        "Each version has the tags and the version of KeyMint of its time",
        arguments: [
            (1, 2, 3, [701]), (2, 3, 3, [701, 709]), (3, 4, 4, [701, 709]), (4, 41, 4, [701, 709]),
            (100, 100, 4, [701, 709]), (400, 400, 4, [701, 709, 724]), (500, 500, 4, [701, 709, 724]),
        ] as [(UInt64, Int64, Int, [UInt32])])
    func versions(version: UInt64, keyMint: Int64, rootFields: Int, software: [UInt32]) throws {
        let device = AndroidKeyDevice(
            provisioning: .factory, securityLevel: 1, attestationVersion: version, osVersion: 120_000)
        let minted = try AndroidFixtures.blueprint(device).mint()
        let fields = try #require(try AndroidFixtures.description(in: minted.certificates[0]))
        #expect(fields.count == 8)
        #expect(try fields[0].integer() == Int64(version))
        #expect(try fields[2].integer() == keyMint)
        #expect(fields[1].contents == [1] && fields[3].contents == [1])
        #expect(fields[1].tag.number == 10)
        #expect(try fields[4].octetString() == AndroidFixtures.challenge[...])
        #expect(try fields[5].octetString().isEmpty)
        #expect(try tags(fields[6]) == software)
        let patchLevels: [UInt32] = version >= 3 ? [718, 719] : []
        #expect(try tags(fields[7]) == [1, 2, 3, 5, 10, 503, 702, 704, 705, 706] + patchLevels)
        let root = try DERReader.single(.sequence, in: AndroidFixtures.elements(fields[7])[7].contents)
        #expect(try AndroidFixtures.elements(root).count == rootFields)
    }

    @Test("Software has its key in the software list, and RSA its exponent and padding")
    func lists() throws {
        let software = try #require(
            try AndroidFixtures.description(in: AndroidFixtures.blueprint(.software).mint().certificates[0]))
        #expect(try tags(software[6]) == [1, 2, 3, 5, 10, 503, 701, 702, 704, 705, 706, 709, 718, 719])
        #expect(try tags(software[7]).isEmpty)
        let rsa = try #require(
            try AndroidFixtures.description(in: AndroidFixtures.blueprint(.factory, .rsa2048).mint().certificates[0]))
        #expect(try tags(rsa[7]).starts(with: [1, 2, 3, 5, 6, 200, 503]))
    }

    @Test("A list keeps its order when a tag is set, and takes any order, duplicate and encoding")
    func order() {
        var list = AuthorizationListBlueprint()
        list[.osVersion] = .integer(160_000)
        list[.purpose] = .integers([2])
        list[.noAuthRequired] = .null
        list[.purpose] = .integers([2, 3])
        #expect(
            list.encoded
                == [
                    0x30, 0x19, 0xA1, 0x08, 0x31, 0x06, 0x02, 0x01, 0x02, 0x02, 0x01, 0x03, 0xBF, 0x83, 0x77, 0x02,
                    0x05,
                    0x00, 0xBF, 0x85, 0x41, 0x05, 0x02, 0x03, 0x02, 0x71, 0x00,
                ])
        list.elements.append(.value(.purpose, .encoded([5, 0])))
        list.elements.append(.encoded([0xA1, 0x80]))
        #expect(list.encoded.suffix(6) == [0xA1, 2, 5, 0, 0xA1, 0x80])
        list[.purpose] = nil
        list[.osVersion] = nil
        list[.noAuthRequired] = nil
        #expect(list.encoded == [0x30, 2, 0xA1, 0x80])
    }

    @Test("A status list names serial numbers as Google's does")
    func statusList() throws {
        var list = AndroidStatusListBlueprint()
        list.add(serialNumber: [0, 0x0C, 0xDE], status: .revoked, reason: .keyCompromise)
        list.add(serialNumber: [1, 0, 0, 0, 0, 0, 0, 0, 0], form: .decimal, status: .suspended, expires: "2027-01-01")
        #expect(
            String(decoding: list.json, as: UTF8.self) == """
                {"entries":{"cde":{"status":"REVOKED","reason":"KEY_COMPROMISE"},\
                "18446744073709551616":{"status":"SUSPENDED","expires":"2027-01-01"}}}
                """)
    }

    @Test("An attested key signs requests in the form of HTTP message signatures")
    func requests() throws {
        for (algorithm, name) in [
            (AndroidAttestedKey.Algorithm.p256, "ecdsa-p256-sha256"), (.rsa2048, "rsa-v1_5-sha256"),
        ] {
            let key = try AndroidAttestedKey(algorithm, seed: "tests", label: "request")
            var blueprint = SignedRequestBlueprint(
                method: "POST", targetURI: "https://api.example.com/v1/items", evidence: .androidKey(key),
                createdAt: Fixtures.time)
            blueprint.body = [1]
            let request = try blueprint.mint()
            let input = try #require(request[field: "Signature-Input"])
            #expect(
                input.hasSuffix(#";alg="\#(name)";keyid="\#(Data(key.keyID).base64EncodedString())";tag="android-key""#)
            )
            let field = try #require(request[field: "Signature"]).dropFirst("assay=:".count).dropLast()
            let signature = Array(try #require(Data(base64Encoded: String(field))))
            if algorithm == .p256 {
                #expect(signature.count == 64)
                let peer = try ECDSAPublicKey(subjectPublicKeyInfo: key.publicKey[...])
                let encoded = ECDSASignature(r: Array(signature.prefix(32)), s: Array(signature.suffix(32))).der
                #expect(peer.isValidSignature(der: encoded[...], for: request.signatureBase, digest: .sha256))
            } else {
                let peer = try RSAPublicKey(subjectPublicKeyInfo: key.publicKey[...])
                #expect(peer.verifyPKCS1SHA256(signature, for: request.signatureBase[...]))
            }
            #expect(request.record(id: "a", receivedAt: Fixtures.time).kind.name == "android-key.request")
        }
    }
}
