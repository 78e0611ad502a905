import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("Inspection of Apple's sample")
struct AttestationInspectionTests {
    /// Apple's published attestation of 2026, from its record.
    private static let sample = Result { () throws -> InspectionLayer in
        let data = try Data(contentsOf: TestVectors.folder.appendingPathComponent("app-attest/apple-guide-2026.json"))
        return Verifier.inspector.inspect(Array(data), name: "apple-guide-2026.json")
    }

    private static func layer(_ format: String) throws -> InspectionLayer {
        try #require(try sample.get().all.first { $0.format == format })
    }

    /// Finds an annotation by the names on its path, outermost first, and compares value and meaning.
    private static func expect(
        _ layer: InspectionLayer, _ path: [String], value: String? = nil, meaning: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var level = layer.annotations
        var found: Annotation?
        for name in path {
            guard let next = level.first(where: { $0.name == name }) else {
                let names = level.map(\.name)
                Issue.record("\(path): no \(name) among \(names)", sourceLocation: sourceLocation)
                return
            }
            (found, level) = (next, next.children)
        }
        if let value { #expect(found?.value == value, "\(path)", sourceLocation: sourceLocation) }
        if let meaning {
            #expect(
                found?.meaning?.contains(meaning) == true, "\(path): \(found?.meaning ?? "none")",
                sourceLocation: sourceLocation)
        }
    }

    @Test("The record names its fields and contains the attestation")
    func record() throws {
        let record = try Self.sample.get()
        #expect(record.format == "evidence record")
        Self.expect(record, ["record", "kind"], value: "\"app-attest.attestation\"")
        Self.expect(record, ["record", "receivedAt"], meaning: "Tuesday 21 April 2026, 18:13:12 UTC")
        Self.expect(record, ["record", "evidence", "keyId"], meaning: "SHA-256 of the key's X9.63 point")
        Self.expect(record, ["record", "evidence", "clientDataHash"], meaning: "\"example_server_challenge\"")
        #expect(
            record.all.map(\.format) == [
                "evidence record", "App Attest attestation object", "App Attest receipt",
                "payload of an App Attest receipt",
            ])
        #expect(record.all.allSatisfy { $0.violation == nil })
    }

    @Test("Authenticator data is shown in parts: flags bit by bit, AAGUID as text, key and extensions")
    func authenticatorData() throws {
        let layer = try Self.layer("App Attest attestation object")
        let path = ["attestation object", "authData"]
        Self.expect(layer, ["attestation object", "fmt"], value: "\"apple-appattest\"")
        Self.expect(
            layer, path + ["rpIdHash"],
            value: Hexadecimal.text(Digest.sha256(Array("1234567890.com.example.myapp".utf8))))
        Self.expect(layer, path + ["flags"], value: "0x40")
        let bits = [
            "UP, bit 0", "RFU1, bit 1", "UV, bit 2", "BE, bit 3", "BS, bit 4", "RFU2, bit 5", "AT, bit 6", "ED, bit 7",
        ]
        for bit in bits { Self.expect(layer, path + ["flags", bit], value: bit.hasPrefix("AT") ? "1" : "0") }
        Self.expect(layer, path + ["counter"], value: "0")
        Self.expect(
            layer, path + ["aaguid"], value: "\"appattest\" and 7 zero bytes", meaning: "the production environment")
        Self.expect(layer, path + ["credentialIdLength"], value: "32")
        Self.expect(layer, path + ["credentialId"], value: "zgSY9YSD+7TaDXssY6WlOPVS1K3Lmk+pFhlcSWE+ZV0=")
        let key = path + ["credentialPublicKey"]
        Self.expect(layer, key + ["kty (1)"], value: "2", meaning: "EC2")
        Self.expect(layer, key + ["alg (3)"], value: "-7", meaning: "ES256")
        Self.expect(layer, key + ["crv (-1)"], value: "1", meaning: "P-256")
        Self.expect(
            layer, key + ["x (-2)"], value: "h'4332544acf323db774443caaf339f56e7e95c724fac2c14259f365e2445650b2'")
        Self.expect(
            layer, key + ["y (-3)"], value: "h'b5fb285bcf549bcb60594412e7682a2427eeada9fb52dfed0b1ab17ed09fa9bd'")
        Self.expect(layer, key + ["SHA-256 of the point"], meaning: "equals credentialId")
        Self.expect(layer, path + ["extensions", "apple_bundle_version_01"], value: "\"1\"")
        Self.expect(
            layer, path + ["extensions", "apple_validation_category_01"], meaning: "1: part of the operating system")
    }

    @Test("The certificates are decoded, with Apple's extensions field by field")
    func certificates() throws {
        let layer = try Self.layer("App Attest attestation object")
        let x5c = ["attestation object", "attStmt", "x5c"]
        let leaf = x5c + ["[0], leaf", "tbsCertificate"]
        Self.expect(layer, leaf + ["serialNumber"], value: "0x019db13f0b4e")
        Self.expect(layer, leaf + ["issuer"], value: "CN=Apple App Attestation CA 1, O=Apple Inc., ST=California")
        Self.expect(
            layer, leaf + ["validity"], value: "2026-04-20T18:13:12Z to 2026-04-23T18:13:12Z", meaning: "3 days")
        Self.expect(layer, leaf + ["subject", "organizationalUnitName"], value: "AAA Certification")
        Self.expect(layer, leaf + ["subjectPublicKeyInfo"], value: "id-ecPublicKey, P-256")
        let extensions = leaf + ["extensions"]
        Self.expect(
            layer, extensions + ["Apple App Attest nonce", "nonce"],
            value: "87b7d06d93a4294e46f011e66b6cc400f0bab20729976c619580b42ae60bff6e",
            meaning: "SHA-256(authData || clientDataHash)")
        let platform = extensions + ["Apple App Attest platform and app"]
        Self.expect(layer, platform + ["[4] platform"], value: "10", meaning: "iOS")
        Self.expect(layer, platform + ["[1204] App ID"], value: "\"1234567890.com.example.myapp\"")
        Self.expect(layer, platform + ["[1206]"], value: "4", meaning: "unknown field")
        let system = extensions + ["Apple App Attest system versions"]
        Self.expect(layer, system + ["[1400] OS version"], value: "\"27.0\"")
        Self.expect(layer, system + ["[1403] OS build"], value: "\"24A325b\"")
        Self.expect(layer, system + ["[1405] OS version"], value: "\"27.0\"")
        Self.expect(layer, system + ["[1420] build train"], value: "\"24.1.325.0.2,0\"")
        Self.expect(layer, system + ["[1026] platform"], value: "\"iphoneos\"", meaning: "iOS")
        Self.expect(layer, system + ["[1029] build variant"], value: "\"Internal\"")
        Self.expect(
            layer, extensions + ["Apple App Attest access control list", "[3] aclBlob"], meaning: "as on iOS")
        Self.expect(
            layer, x5c + ["[1], intermediate"], value: "CN=Apple App Attestation CA 1, O=Apple Inc., ST=California")
    }

    @Test("Receipt fields are shown by number and name, and times as text")
    func receipt() throws {
        let message = try Self.layer("App Attest receipt")
        #expect(message.unknown.contains { $0.contains("whether the signature holds") })
        let layer = try Self.layer("payload of an App Attest receipt")
        Self.expect(layer, ["fields", "field 2, App ID"], value: "1234567890.com.example.myapp")
        Self.expect(layer, ["fields", "field 3, attested certificate", "certificate"], meaning: "X.509 certificate")
        Self.expect(
            layer, ["fields", "field 4, client data hash"],
            value: Hexadecimal.text(Array("example_server_challenge".utf8)))
        Self.expect(layer, ["fields", "field 5, token"], meaning: "88 bytes")
        Self.expect(layer, ["fields", "field 6, type"], value: "ATTEST")
        Self.expect(layer, ["fields", "field 7, environment"], value: "production")
        Self.expect(
            layer, ["fields", "field 12, creation time"], value: "2026-04-21T18:13:12.153Z",
            meaning: "Tuesday 21 April 2026, 18:13:12 UTC")
        Self.expect(layer, ["fields", "field 21, expiration time"], value: "2026-07-20T18:13:12.153Z")
    }

    @Test("Inspection lists the facts that the blob does not contain")
    func unknown() throws {
        let layer = try Self.layer("App Attest attestation object")
        for words in ["the App ID", "whether the key is enrolled", "which challenge", "Apple's root"] {
            #expect(layer.unknown.contains { $0.contains(words) }, "\(words)")
        }
    }
}

extension InspectionLayer {
    /// This layer and all layers inside it, in order.
    fileprivate var all: [InspectionLayer] { [self] + nested.flatMap(\.all) }
}
