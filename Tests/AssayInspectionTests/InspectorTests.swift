import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Recognition of blobs")
struct InspectorTests {
    private static let key = AttestedKey(seed: "inspection", label: "shop")
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let appID = "1234567890.com.example.shop"

    private static func attestation() throws -> MintedAttestation {
        let authority = try TestAuthority(seed: "inspection", notBefore: now.addingTimeInterval(-90 * 86_400))
        return try AttestationBlueprint(
            authority: authority, key: key, appID: appID, clientData: .bytes([1, 2, 3]), issuedAt: now
        ).mint()
    }

    private static func assertion() throws -> MintedAssertion {
        try AssertionBlueprint(key: key, appID: appID, counter: 7, clientData: .bytes([1])).mint()
    }

    private static func token() throws -> MintedClassicToken {
        try ClassicTokenBlueprint(
            keys: PlayIntegrityTestKeys(seed: "inspection", label: "shop"), packageName: "com.example.shop",
            nonce: Array(repeating: 7, count: 24), certificateDigests: [Array(repeating: 1, count: 32)], issuedAt: now
        ).mint()
    }

    private static func answer() -> [UInt8] {
        Array(
            StandardAnswerBlueprint(
                packageName: "com.example.shop", requestHash: "hash",
                certificateDigests: [[UInt8](repeating: 1, count: 32)],
                issuedAt: now
            ).mint().answer.encoded)
    }

    private static func inspect(_ bytes: some Sequence<UInt8>) -> InspectionLayer {
        Verifier.inspector.inspect(Array(bytes), name: "blob")
    }

    @Test("The evidence of every engine can be shown")
    func engines() {
        let registry = EngineRegistry.standard
        #expect(registry.inspectable.map { "\($0)" } == registry.engines.map { "\($0)" })
    }

    @Test("Each kind of blob is recognised by its bytes, with a reason, and the strict decoder accepts it")
    func kinds() throws {
        let minted = try Self.attestation()
        let receipt = try #require(minted.receipt)
        let payload = try #require(Self.inspect(receipt).nested.first).bytes
        let answer = Self.answer()
        let table: [(format: String, bytes: [UInt8])] = [
            ("App Attest attestation object", minted.attestation),
            ("App Attest assertion", try Self.assertion().assertion),
            ("App Attest authenticator data", minted.authenticatorData),
            ("App Attest authenticator data", try Self.assertion().authenticatorData),
            ("App Attest attested certificate", minted.certificates[0]),
            ("X.509 certificate", minted.certificates[1]),
            ("App Attest receipt", receipt),
            ("payload of an App Attest receipt", payload),
            ("Play Integrity classic token", Array(try Self.token().token.utf8)),
            ("Google's answer on a Play Integrity token", answer),
            ("public key", minted.publicPoint),
            ("evidence record", Array(#"{"kind":"app-attest.assertion","evidence":{}}"#.utf8)),
            ("evidence record", Array("{\"kind\":\"a.b\",\"evidence\":{}}\n{\"kind\":\"a.b\",\"evidence\":{}}\n".utf8)),
        ]
        for entry in table {
            let layer = Self.inspect(entry.bytes)
            #expect(layer.format == entry.format)
            #expect(layer.recognition?.reason.isEmpty == false, "\(entry.format)")
            #expect(layer.violation == nil, "\(entry.format): \(String(describing: layer.violation))")
            #expect(LayerShape.problem(layer) == nil)
        }
    }

    @Test("A blob in base64 of any alphabet, quoted or in JSON, is recognised like the blob itself")
    func wrappings() throws {
        let attestation = try Self.attestation().attestation
        let standard = Base64.encode(attestation, .standard)
        let wrappings = [
            standard, Base64.encode(attestation, .url), "\"\(standard)\"\n",
            Data(attestation).base64EncodedString(options: .lineLength64Characters),
            #"{"attestationObject":"\#(standard)","keyId":"x"}"#,
        ]
        for text in wrappings {
            let layer = Self.inspect(text.utf8)
            let inner = layer.layer("App Attest attestation object")
            #expect(inner?.bytes == attestation, "\(text.prefix(40)): \(layer.format ?? "unknown")")
        }
    }

    @Test("The first strict violation is attached to the innermost part that contains its byte")
    func violation() throws {
        let assertion = try Self.assertion().assertion
        let cut = Self.inspect(assertion.dropLast(20))
        #expect(cut.format == "App Attest assertion")
        #expect(cut.violation?.reason == .truncated)
        // A map head of two bytes where one suffices.
        let long = Self.inspect([0xB8, 0x02] + assertion.dropFirst())
        #expect(long.violation?.reason == .notMinimal)
        #expect(long.violation?.offset == 0)
        #expect(long.annotations.first?.violation?.hasPrefix("strict decoding stops at byte 0: ") == true)
        let trailing = Self.inspect(assertion + [0xFF])
        #expect(trailing.violation?.reason == .trailingBytes)
        #expect(trailing.annotation("rest")?.violation?.contains("byte \(assertion.count)") == true)
    }

    @Test("Unknown bytes are reported as unknown, with a hint")
    func unknown() {
        let table: [(bytes: [UInt8], hint: String)] = [
            ([], "there is nothing"), ([UInt8](repeating: 0x9B, count: 32), "32 bytes"),
            ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0], "gzip"), (Array("hello, how are you?".utf8), "text of no known form"),
        ]
        for entry in table {
            let layer = Self.inspect(entry.bytes)
            #expect(layer.format == nil)
            #expect(layer.recognition == nil)
            #expect(layer.unknown.contains { $0.contains(entry.hint) }, "\(layer.unknown)")
            #expect(LayerShape.problem(layer) == nil)
        }
    }

    @Test("Layers, depth and bytes are bounded, and the output says where inspection stopped")
    func budgets() throws {
        var text = Base64.encode(try Self.assertion().assertion, .standard)
        for _ in 0..<12 { text = Base64.encode(Array(text.utf8), .standard) }
        let deep = Self.inspect(text.utf8)
        #expect(deep.all.count == 8)
        #expect(deep.all.last?.unknown.contains { $0.contains("nest deeper than 8") } == true)

        let token = try Self.token().token
        let wide = Self.inspect("[\(Array(repeating: "\"\(token)\"", count: 500).joined(separator: ","))]".utf8)
        #expect(wide.all.count == 200)
        #expect(wide.unknown.contains { $0.contains("301 blobs from /199 on are not decoded") }, "\(wide.unknown)")
    }

    @Test("A private key is named in any wrapping, and not shown")
    func privateKeys() throws {
        let key = TestKey(.p256, seed: "inspection", label: "private")
        let pem = key.pem
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let der = try Base64.decode(body, .standard)
        let base64 = Base64.encode(der, .standard)
        let inJSON = pem.replacing("\n", with: "\\n")
        let blobs = [
            der, Array(pem.utf8), Array(base64.utf8), Array(Base64.encode(Array(pem.utf8), .standard).utf8),
            Array(#"{"type":"service_account","private_key":"\#(inJSON)"}"#.utf8),
            Array(#"{"blob":"\#(base64)"}"#.utf8),
            // A field with a format of its own, or with a meaning that quotes it.
            Array(#"{"kind":"app-attest.assertion","evidence":{"assertion":"\#(base64)"}}"#.utf8),
            Array(#"{"kind":"app-attest.assertion","evidence":{"challenge":"\#(base64)"}}"#.utf8),
        ]
        for blob in blobs {
            let layer = Self.inspect(blob)
            #expect(!layer.secrets.isEmpty, "\(layer.format ?? "unknown")")
            for text in Self.texts(layer) {
                #expect(!Self.shows(text, der), "\(layer.format ?? "unknown"): \(text.prefix(60))")
            }
        }
    }

    @Test("A session token is decoded, but its signature is hidden")
    func credentials() throws {
        let token = try Self.token().token
        let tag = try #require(token.split(separator: ".").last)
        let signature = Base64.encode(Array(repeating: UInt8(0x5E), count: 32), .url)
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.\(signature)"
        for (header, secret) in [("Bearer \(jwt)", signature), ("Bearer \(token)", String(tag))] {
            let layer = Self.inspect("GET / HTTP/1.1\r\nAuthorization: \(header)\r\n\r\n".utf8)
            let bytes = try Base64.decode(secret, .url)
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for text in Self.texts(layer) {
                #expect(!text.contains(digits) && !text.contains(secret), "\(text.prefix(60))")
            }
            #expect(Self.texts(layer).contains { $0.contains("alg") })
            #expect(layer.all.count >= 2)
            for layer in layer.all.prefix(2) {
                let shown = layer.bytes.indices.filter { index in !layer.secrets.contains { $0.contains(index) } }
                #expect(!String(decoding: shown.map { layer.bytes[$0] }, as: UTF8.self).contains(secret))
            }
        }
        // A user who inspects a single token wants to see it.
        #expect(Self.texts(Self.inspect(jwt.utf8)).contains { $0.contains("5e5e5e5e") })
    }

    private static func texts(_ layer: InspectionLayer) -> [String] {
        func texts(_ annotation: Annotation) -> [String] {
            [annotation.name, annotation.value, annotation.meaning, annotation.violation].compactMap { $0 }
                + annotation.children.flatMap(texts)
        }
        return layer.annotations.flatMap(texts) + layer.unknown + layer.nested.flatMap(Self.texts)
    }

    /// Whether a text contains a part of the secret scalar, which begins at byte 36 of a P-256 key in PKCS #8.
    private static func shows(_ text: String, _ der: [UInt8]) -> Bool {
        let hexadecimal = der[36..<44].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return text.contains(hexadecimal) || text.contains(Base64.encode(der[36..<45], .standard))
    }

    @Test("Large documents of many small parts are inspected within seconds")
    func large() throws {
        let count = 4 * 1024 * 1024
        let table: [(String, [UInt8])] = [
            (
                "JSON numbers",
                Array("[".utf8) + Array(repeatElement(Array("1,".utf8), count: count / 2).joined()) + Array("1]".utf8)
            ),
            ("JSON nested", Array(repeating: UInt8(ascii: "["), count: count)),
            ("JSON objects", Array(repeatElement(Array(#"{"a":"#.utf8), count: count / 5).joined())),
            ("JSON names", Array("{".utf8) + Array((0..<count / 10).map { "\"\($0 + 1_000_000)\"," }.joined().utf8)),
            (
                "JSON strings",
                Array(repeatElement(Array(#"["AAAAAAAAAAAAAAAAAAAA1"],"#.utf8), count: count / 26).joined())
            ),
            (
                "records",
                Array(repeatElement(Array("{\"kind\":\"a.b\",\"evidence\":{}}\n".utf8), count: count / 30).joined())
            ),
            ("broken lines", Array(repeatElement(Array("{\"kind\n".utf8), count: count / 7).joined())),
            ("CBOR integers", [0x9F] + [UInt8](repeating: 0, count: count)),
            ("CBOR nested", [UInt8](repeating: 0x81, count: count)),
            ("CBOR maps", [0xBF] + Array(repeatElement([UInt8(0x61), 0x61, 0xA0], count: count / 3).joined())),
            ("DER nested", Array(repeatElement([UInt8(0x30), 0x80], count: count / 2).joined())),
            ("DER values", [0x30, 0x80] + Array(repeatElement([UInt8(0x05), 0x00], count: count / 2).joined())),
            ("base64", [UInt8](repeating: 0x41, count: count)),
            ("dots", [UInt8](repeating: 0x2E, count: count)),
            ("PEM", Array(repeatElement(Array("-----BEGIN X-----\n".utf8), count: count / 18).joined())),
            (
                "HTTP",
                Array("GET / HTTP/1.1\r\n".utf8)
                    + Array(repeatElement(Array("a: b\r\n".utf8), count: count / 6).joined())
            ),
            ("line feeds", [UInt8](repeating: 0x0A, count: count)),
        ]
        for (name, bytes) in table {
            var layer: InspectionLayer?
            let time = ProcessorTime.measure { layer = Self.inspect(bytes) }
            #expect(time < .seconds(20) * Sanitizer.slowdown, "\(name): \(time)")
            #expect(try LayerShape.problem(#require(layer)) == nil, "\(name)")
        }
    }
}
