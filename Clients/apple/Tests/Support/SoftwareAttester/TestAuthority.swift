// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Crypto
import Foundation

/// An authority with the shape of Apple's: a root and an intermediate on P-384, which sign the keys of test phones.
package struct TestAuthority: Sendable {
    private let rootKey = P384.Signing.PrivateKey()
    private let intermediateKey = P384.Signing.PrivateKey()
    private let intermediate: Data
    private let root: Data
    private static let rootName = "App Attest Test Root"
    private static let intermediateName = "App Attest Test CA 1"

    /// For the whole process.
    package static let shared = TestAuthority()

    package init() {
        root = Self.certificate(
            Self.rootName, of: rootKey.publicKey.derRepresentation, issuer: Self.rootName, signer: rootKey,
            isLeaf: false,
            extensions: [Self.authority(pathLength: nil), Self.usage(0x06, unused: 1)])
        intermediate = Self.certificate(
            Self.intermediateName, of: intermediateKey.publicKey.derRepresentation, issuer: Self.rootName,
            signer: rootKey,
            isLeaf: false, extensions: [Self.authority(pathLength: 0), Self.usage(0x06, unused: 1)])
    }

    /// The root certificate, for the policy's `testRoots`.
    package var rootPEM: String {
        "-----BEGIN CERTIFICATE-----\n"
            + root.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
    }

    /// An attestation object of App Attest.
    func attestation(of key: P256.Signing.PrivateKey, appID: String, environment: String, clientDataHash: Data) -> Data
    {
        let point = key.publicKey.x963Representation
        let keyID = Data(SHA256.hash(data: point))
        let cose = CBOR.map([
            (Data([1]), Data([2])), (Data([3]), Data([0x26])), (Data([0x20]), Data([1])),
            (Data([0x21]), CBOR.bytes(point.dropFirst().prefix(32))), (Data([0x22]), CBOR.bytes(point.suffix(32))),
        ])
        let aaguid =
            environment == "production" ? Data("appattest".utf8) + Data(count: 7) : Data("appattestdevelop".utf8)
        let data = Data(SHA256.hash(data: Data(appID.utf8))) + [0x40, 0, 0, 0, 0] + aaguid + [0, 0x20] + keyID + cose
        let nonce = Data(SHA256.hash(data: data + clientDataHash))
        let leaf = Self.certificate(
            keyID.map { String($0, radix: 16) }.joined(), of: key.publicKey.derRepresentation,
            issuer: Self.intermediateName,
            signer: intermediateKey, isLeaf: true,
            extensions: [
                Self.usage(0x80, unused: 7),
                DER.sequence(
                    DER.identifier("1.2.840.113635.100.8.2"),
                    DER.element(4, DER.sequence(DER.element(0xa1, DER.element(4, nonce))))),
            ])
        return CBOR.map([
            (CBOR.text("fmt"), CBOR.text("apple-appattest")),
            (
                CBOR.text("attStmt"),
                CBOR.map([(CBOR.text("x5c"), CBOR.array([CBOR.bytes(leaf), CBOR.bytes(intermediate)]))])
            ),
            (CBOR.text("authData"), CBOR.bytes(data)),
        ])
    }

    private static func authority(pathLength: UInt8?) -> Data {
        let content = DER.element(1, Data([0xff])) + (pathLength.map { DER.element(2, Data([$0])) } ?? Data())
        return DER.sequence(
            DER.identifier("2.5.29.19"), DER.element(1, Data([0xff])), DER.element(4, DER.element(0x30, content)))
    }

    private static func usage(_ bits: UInt8, unused: UInt8) -> Data {
        DER.sequence(
            DER.identifier("2.5.29.15"), DER.element(1, Data([0xff])),
            DER.element(4, DER.element(3, Data([unused, bits]))))
    }

    /// A certificate of version 3, valid from yesterday for a month. Apple's leaves are signed over SHA-256, the others over
    /// SHA-384.
    private static func certificate(
        _ subject: String, of key: Data, issuer: String, signer: P384.Signing.PrivateKey, isLeaf: Bool,
        extensions: [Data]
    ) -> Data {
        let algorithm = DER.sequence(DER.identifier(isLeaf ? "1.2.840.10045.4.3.2" : "1.2.840.10045.4.3.3"))
        let serial = DER.integer(Data([1] + (0..<8).map { _ in UInt8.random(in: 0...255) }))
        let validity = DER.sequence(
            DER.time(Date(timeIntervalSinceNow: -86_400)), DER.time(Date(timeIntervalSinceNow: 30 * 86_400)))
        let body = DER.sequence(
            DER.element(0xa0, DER.integer(Data([2]))), serial, algorithm, DER.name(issuer), validity, DER.name(subject),
            key,
            DER.element(0xa3, DER.element(0x30, extensions.reduce(Data(), +))))
        let signature =
            isLeaf
            ? try? signer.signature(for: SHA256.hash(data: body)) : try? signer.signature(for: SHA384.hash(data: body))
        return DER.sequence(body, algorithm, DER.bits(signature?.derRepresentation ?? Data()))
    }
}
