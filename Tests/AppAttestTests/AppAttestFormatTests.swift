import AppAttest
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of App Attest's blobs")
struct AppAttestFormatTests {
    private static func inspect(_ bytes: [UInt8]) -> InspectionLayer { Verifier.inspector.inspect(bytes, name: "blob") }

    @Test("An AAGUID names an environment only if all 16 bytes match")
    func environment() throws {
        let data = try Fixtures.attestation().mint().authenticatorData
        let table: [(aaguid: [UInt8], meaning: String)] = [
            (Array("appattest".utf8) + [UInt8](repeating: 0, count: 7), "the production environment"),
            (Array("appattestdevelop".utf8), "the development environment"),
            (Array("appattest".utf8) + [UInt8](repeating: 1, count: 7), "no environment of App Attest"),
            (Array("appattestdeveloq".utf8), "no environment of App Attest"),
        ]
        for entry in table {
            let layer = Self.inspect(Array(data[..<37]) + entry.aaguid + data[53...])
            let aaguid = layer.annotations.first { $0.name == "aaguid" }
            #expect(aaguid?.meaning?.hasPrefix(entry.meaning) == true, "\(aaguid?.meaning ?? "none")")
            #expect(aaguid?.range == 37..<53)
        }
    }

    @Test("Validation categories are shown in both encodings, inappropriate ones marked")
    func categories() {
        let head = [UInt8](repeating: 7, count: 32) + [0x40, 0, 0, 0, 1]
        let name = [0x78, 0x1C] + Array("apple_validation_category_01".utf8)
        let table: [(value: [UInt8], meaning: String)] = [
            ([0x04], "4: installed by the App Store"), ([0x44, 2, 0, 0, 0], "2: installed by TestFlight"),
            ([0x00], "0: never appropriate"), ([0x18, 0x20], "32: not documented"),
            ([0x61, 0x34], "a validation category is an unsigned integer or 4 bytes"),
            ([0x43, 2, 0, 0], "a validation category is an unsigned integer or 4 bytes"),
        ]
        for entry in table {
            let layer = Self.inspect(head + [0xA1] + name + entry.value)
            #expect(layer.format == "App Attest authenticator data")
            let category = layer.annotations.last?.children.first
            #expect(category?.meaning?.hasPrefix(entry.meaning) == true, "\(category?.meaning ?? "none")")
        }
    }

    @Test("A credential ID of another key is reported")
    func credential() throws {
        var data = try Fixtures.attestation().mint().authenticatorData
        data[60] ^= 1
        let key = Self.inspect(data).annotations.first { $0.name == "credentialPublicKey" }
        #expect(key?.children.last?.meaning?.hasPrefix("differs from credentialId") == true)
    }

    @Test("Truncated authenticator data is decoded up to its end")
    func truncated() throws {
        let data = try Fixtures.attestation().mint().authenticatorData
        for (length, name) in [(46, "aaguid"), (54, "credentialIdLength"), (70, "credentialId")] {
            let layer = Self.inspect(Array(data[..<length]))
            #expect(layer.format == "App Attest authenticator data", "\(length)")
            #expect(layer.annotations.last?.name == name)
            #expect(layer.annotations.last?.violation != nil)
            #expect(layer.violation?.reason == .truncated)
        }
    }

    @Test("An RSA key whose bytes look like flags and a map is no authenticator data; unknown extensions are")
    func similar() {
        var key = [0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00] + [UInt8](repeating: 0xE7, count: 256)
        key += [0x02, 0x03, 0x01, 0x00, 0x01]
        (key[32], key[37]) = (0x40, 0xB8)
        #expect(Self.inspect(key).format != "App Attest authenticator data")
        let head = [UInt8](repeating: 7, count: 32) + [0xC0, 0, 0, 0, 1]
        let layer = Self.inspect(head + [0xA1, 0x63] + Array("new".utf8) + [0x01])
        #expect(layer.format == "App Attest authenticator data")
    }

    @Test("Unknown and duplicate receipt fields are reported; strict decoding stops at the duplicate")
    func receiptFields() {
        func field(_ type: UInt8, _ value: String) -> [UInt8] {
            let octets = [0x04, UInt8(value.utf8.count)] + Array(value.utf8)
            return [0x30, UInt8(6 + octets.count), 0x02, 0x01, type, 0x02, 0x01, 0x01] + octets
        }
        let fields = field(2, "a.b") + field(6, "RECEIPT") + field(17, "3") + field(99, "x") + field(17, "4")
        let layer = Self.inspect([0x31, UInt8(fields.count)] + fields)
        #expect(layer.format == "payload of an App Attest receipt")
        let children = layer.annotations.first?.children ?? []
        #expect(
            children.map(\.name) == [
                "field 2, App ID", "field 6, type", "field 17, risk metric", "field 99", "field 17, risk metric",
            ])
        #expect(children[3].meaning == "unknown field, tolerated")
        #expect(children[4].violation?.hasSuffix("the field comes twice") == true)
        #expect(layer.violation?.reason == .duplicateKey)
    }

    @Test("An attestation with its receipt, and a receipt, become records that a policy can judge")
    func records() async throws {
        let minted = try Fixtures.attestation().mint()
        let layer = Self.inspect(minted.attestation)
        let record = try #require(Verifier.inspector.record(of: layer))
        let verdict = try await Fixtures.verifier(Fixtures.configuration()).verify(record, at: Fixtures.now)
        #expect(verdict.outcome == .accept, "\(verdict.failed)")
        let receipt = try #require(layer.nested.first)
        let receiptRecord = try #require(Verifier.inspector.record(of: receipt))
        #expect(receiptRecord.kind == EvidenceKind.appAttestReceipt)
        let assertion = try AssertionBlueprint(
            key: AttestedKey(), appID: Fixtures.appID, counter: 1, clientData: .bytes([1])
        ).mint()
        #expect(Verifier.inspector.record(of: Self.inspect(assertion.assertion)) == nil)
        #expect(Verifier.inspector.kind(of: Self.inspect(assertion.assertion)) == EvidenceKind.appAttestAssertion)
    }
}
