import AssayCore
import AssayInspection
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of keys")
struct KeyFormatTests {
    @Test("Points and SubjectPublicKeyInfos are shown with their curve", arguments: [TestKey.Curve.p256, .p384])
    func publicKeys(curve: TestKey.Curve) throws {
        let key = TestKey(curve, seed: "inspection", label: "key")
        let name = curve == .p256 ? "P-256" : "P-384"
        for bytes in [key.publicPoint, key.subjectPublicKeyInfo()] {
            #expect(PublicKeyFormat.recognise(bytes)?.certainty == .certain)
            #expect(PublicKeyFormat.violation(in: bytes) == nil)
            let contents = PublicKeyFormat.annotate(bytes)
            #expect(contents.annotations.shown.contains("a point on \(name)"))
            #expect(AnnotationRules.problems(contents, of: bytes) == [])
        }
        var wrong = key.publicPoint
        wrong[40] ^= 1
        #expect(PublicKeyFormat.recognise(wrong)?.certainty == .guess)
        #expect(PublicKeyFormat.annotate(wrong).annotations.first?.violation == "the point is not on \(name)")
        #expect(PublicKeyFormat.violation(in: wrong)?.reason == .unexpectedValue)
    }

    @Test("The size of an RSA key is shown")
    func rsa() {
        let modulus = [UInt8(0xC0)] + [UInt8](repeating: 0x11, count: 255)
        let bytes = DERBuilder.sequence(
            DERBuilder.sequence(
                DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 1]), DERBuilder.element(0x05, [])),
            DERBuilder.bitString(
                DERBuilder.sequence(DERBuilder.integer(magnitude: modulus), DERBuilder.integer(65537))))
        let contents = PublicKeyFormat.annotate(bytes)
        #expect(contents.annotations[0].value == "rsaEncryption, 2048 bits")
        #expect(contents.annotations[0].children["subjectPublicKey", "publicExponent"]?.value == "65537")
    }

    private static let secret = [UInt8](repeating: 0x5E, count: 48)

    static let privateKeys: [(String, [UInt8])] = [
        (
            "a private key (PKCS #8, id-ecPublicKey)",
            DERBuilder.sequence(
                DERBuilder.integer(0),
                DERBuilder.sequence(
                    DERBuilder.objectIdentifier([1, 2, 840, 10045, 2, 1]),
                    DERBuilder.objectIdentifier([1, 2, 840, 10045, 3, 1, 7])), DERBuilder.octetString(secret))
        ),
        ("an EC private key (SEC 1)", DERBuilder.sequence(DERBuilder.integer(1), DERBuilder.octetString(secret))),
        (
            "an RSA private key (PKCS #1)",
            DERBuilder.sequence(
                DERBuilder.integer(0), DERBuilder.integer(magnitude: secret), DERBuilder.integer(65537),
                DERBuilder.integer(magnitude: secret))
        ),
        (
            "an encrypted private key (PKCS #8)",
            DERBuilder.sequence(
                DERBuilder.sequence(DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 5, 13])),
                DERBuilder.octetString(secret))
        ),
    ]

    @Test("A private key is named in any wrapping and never shown", arguments: privateKeys)
    func privateKeyIsNotShown(name: String, key: [UInt8]) {
        #expect(PrivateKeys.describe(key) == name)
        // Also without its end.
        #expect(PrivateKeys.describe(Array(key.dropLast(5))) != nil)
        let base64 = Data(key).base64EncodedString()
        let wrapped: [(any BlobFormat.Type, String)] = [
            (Base64Format.self, base64), (Base64Format.self, Hexadecimal.text(key)),
            (JSONFormat.self, "{\"file\": \"\(base64)\"}"),
            (PEMFormat.self, "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----"),
            (HTTPDumpFormat.self, "POST /?key=\(base64) HTTP/1.1\nX-Data: \(base64)\n\n"),
        ]
        for (format, text) in wrapped {
            let contents = format.annotate(Array(text.utf8))
            #expect(!contents.annotations.shown.contains(base64.prefix(20)), "\(format.name)")
            #expect(!contents.annotations.shown.contains("5e5e5e5e"), "\(format.name)")
            #expect(!contents.secrets.isEmpty, "\(format.name)")
        }
        let contents = PrivateKeyFormat.annotate(key)
        #expect(PrivateKeyFormat.recognise(key)?.certainty == .certain)
        #expect(contents.secrets == [key.indices])
        #expect(contents.annotations.first?.meaning?.hasPrefix(name) ?? false)
    }

    @Test("A private key inside CBOR or DER is not shown", arguments: privateKeys)
    func privateKeyInside(name: String, key: [UInt8]) {
        let inside: [(any BlobFormat.Type, [UInt8])] = [
            (CBORFormat.self, CBORItem.map(text: [("key", .array([.bytes(key)]))]).encoded),
            (DERFormat.self, DERBuilder.sequence(DERBuilder.integer(7), DERBuilder.octetString(key))),
            (DERFormat.self, DERBuilder.set(key)),
        ]
        for (format, bytes) in inside {
            let contents = format.annotate(bytes)
            #expect(!contents.annotations.shown.contains("5e5e5e5e"), "\(format.name)")
            #expect(contents.annotations.shown.contains(name), "\(format.name)")
            #expect(contents.secrets.count == 1 && contents.secrets[0].count >= key.count, "\(format.name)")
        }
    }

    @Test(
        "The secret part of a COSE key is not shown",
        arguments: [(4, -1), (2, -4), (1, -4), (3, -3)])
    func coseKeys(type: Int, label: Int) {
        let key = CBORItem.map([
            .integer(1), .integer(type), .integer(label), .bytes(KeyFormatTests.secret), .integer(-2), .bytes([0x77]),
        ]).encoded
        let contents = CBORFormat.annotate(key)
        #expect(!contents.annotations.shown.contains("5e5e5e5e"))
        #expect(contents.annotations.shown.contains("h'77'"))
        #expect(contents.secrets.count == 1)
    }

    @Test("Public structures are not recognised as private keys")
    func publicStructures() throws {
        let samples = try Samples()
        for bytes in samples.attestation.certificates + [samples.receipt, TestKey(.p256).subjectPublicKeyInfo()] {
            #expect(PrivateKeys.describe(bytes) == nil)
        }
    }
}
