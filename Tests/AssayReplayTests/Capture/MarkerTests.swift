import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// Records of every kind whose every field holds a marker: after sealing or redaction the marker is nowhere, in no encoding.
@Suite("Markers in captured records")
struct MarkerTests {
    private static let marker = Array("carol@example.com 4111-1111-1111-1111".utf8)

    /// The fields of a kind that redaction keeps, and those that it removes or replaces.
    private static let fields: [String: (kept: [String], removed: [String])] = [
        "app-attest.attestation": (["keyId", "attestation", "challenge", "clientDataHash"], []),
        "app-attest.assertion": (["keyId", "assertion", "clientDataHash", "challenge", "key"], ["clientData"]),
        "app-attest.receipt": (["keyId", "receipt"], []),
        "app-attest.request": (["method", "key"], request),
        "play-integrity.classic": (["packageName", "decoded", "nonce", "challenge", "requestHash"], ["token"]),
        "play-integrity.standard": (["packageName", "decoded", "requestHash"], ["token"]),
        "play-integrity.request": (["method", "decoded"], request),
        "approov.token": ([], ["token", "loggable", "binding", "address"]),
        "approov.message": (["method"], ["targetURI", "headers", "body", "address"]),
        "approov.text": (["signature"], ["token", "text", "binding", "address"]),
        "approov.proof": (["nonce", "proof", "measurement"], ["measurements", "token", "sealed"]),
        "android-key.attestation": (["challenge", "publicKey", "statusList"], ["certificates"]),
        "android-key.request": (["method", "publicKey"], request),
        "assay.token": (["method"], request + ["token"]),
        "none": (["reason", "code", "appVersion", "systemVersion"], []),
        "mitm.certificate": (["host", "certificate", "chain", "challenge", "presented"], ["binding"]),
    ]
    private static let request = ["targetURI", "headers", "body", "bodyDigest", "address"]

    /// The marker in the forms that values of fields have.
    private static let values: [RecordValue.Content] = {
        let raw = String(decoding: marker, as: UTF8.self)
        let texts = [
            raw, Base64.encode(marker, .standard), Base64.encode(marker, .url), marker.hexadecimal,
            "https://api.example.com/reset/\(raw)?mail=\(raw)",
        ].map { RecordValue.Content.text($0) }
        func list(_ contents: [RecordValue.Content]) -> RecordValue.Content {
            .array(contents.map { RecordValue($0, offset: 0) })
        }
        return texts
            + texts.flatMap { text in
                [list([text]), list([list([.text("Cookie"), text])]), .object(RecordObject([("sha-256", text)]))]
            }
    }()

    /// The encodings of the marker in a text: raw, hexadecimal, and base64 at each alignment.
    private static func traces(in text: String) -> [String] {
        var sought = [String(decoding: marker, as: UTF8.self), marker.hexadecimal, marker.hexadecimal.uppercased()]
        for alphabet in [Base64.Alphabet.standard, .url] {
            for offset in 0..<3 {
                // The characters at both ends depend on the bytes beside the marker.
                let whole = Base64.encode([UInt8](repeating: 0, count: offset) + marker, alphabet)
                sought.append(String(whole.dropFirst(4).prefix((marker.count / 3 - 2) * 4)))
            }
        }
        return sought.filter { text.contains($0) }
    }

    private static func record(
        _ kind: EvidenceKind, _ names: [String], _ value: RecordValue.Content
    ) -> EvidenceRecord {
        EvidenceRecord(
            id: "i", kind: kind, app: "a", account: String(decoding: marker, as: UTF8.self),
            deviceToken: Base64.encode(marker, .standard), receivedAt: Fixtures.time,
            evidence: RecordObject(names.map { ($0, value) }), expect: nil)
    }

    @Test("The markers are found where they stand in clear")
    func found() throws {
        for value in Self.values {
            let record = Self.record(EvidenceKind("app-attest.assertion"), ["clientData"], value)
            #expect(Self.traces(in: record.jsonLine).count >= 2, "\(record.jsonLine)")
        }
        for offset in 0..<3 {
            let text = Base64.encode([UInt8](repeating: 7, count: offset) + Self.marker + [8, 9], .standard)
            #expect(!Self.traces(in: text).isEmpty)
        }
    }

    @Test("Each kind that is judged has its fields in this table")
    func complete() { #expect(Set(Verifier.kinds.map(\.name)) == Set(Self.fields.keys)) }

    @Test("A sealed record shows no field of the evidence, no account and no device token", arguments: Verifier.kinds)
    func sealed(kind: EvidenceKind) throws {
        let (kept, removed) = try #require(Self.fields[kind.name])
        let key = try CapturePrivateKey.make()
        for value in Self.values {
            let record = Self.record(kind, kept + removed + ["unknown"], value)
            let line = try record.sealedLine(for: key.publicKey)
            #expect(Self.traces(in: line) == [])
            let sealed = try #require(try SealedRecord(JSONReader.read(Array(line.utf8), limit: 1 << 20)))
            #expect(try sealed.open(with: key).jsonLine == record.jsonLine)
        }
    }

    @Test("A redacted record has the fields that are kept, and no trace of another one", arguments: Verifier.kinds)
    func redacted(kind: EvidenceKind) throws {
        let (kept, removed) = try #require(Self.fields[kind.name])
        for value in Self.values {
            var record = Self.record(kind, removed + ["unknown"], value)
            record.evidence = RecordObject(
                kept.map { ($0, .text("kept")) } + record.evidence.members.map { ($0.name, $0.value.content) })
            let redacted = try record.redacted()
            #expect(Self.traces(in: redacted.jsonLine) == [], "\(redacted.jsonLine)")
            let names = redacted.evidence.members.map(\.name)
            #expect(names.filter { $0 != "clientDataHash" } == kept.filter { $0 != "clientDataHash" })
            #expect(redacted.id == "i" && redacted.app == "a" && redacted.receivedAt == Fixtures.time)
        }
    }

    @Test("Certificates of Android that name a device are removed, and others are kept")
    func androidCertificates() throws {
        let authority = try AndroidKeyTestAuthority(
            seed: "markers", notBefore: Fixtures.time.addingTimeInterval(-400 * 86_400))
        func names(_ change: (inout AndroidKeyAttestationBlueprint) -> Void) throws -> [String] {
            var blueprint = try AndroidKeyAttestationBlueprint(
                authority: authority, key: AndroidAttestedKey(.p256, seed: "markers", label: "device"),
                packageName: "com.example.shop", certificateDigest: [UInt8](repeating: 7, count: 32),
                challenge: Array("challenge".utf8), issuedAt: Fixtures.time)
            change(&blueprint)
            let redacted = try blueprint.mint().record(id: "device").redacted()
            #expect(Self.traces(in: redacted.jsonLine) == [])
            return redacted.evidence.members.map(\.name)
        }
        #expect(try names { _ in }.contains("certificates"))
        // Brand to model name no single device.
        #expect(
            try names { $0.description.hardwareEnforced[710] = .octets(Array("brand".utf8)) }.contains("certificates"))
        for tag in [713, 714, 715, 723, 9999] as [AndroidKeyTag] {
            for isHardware in [true, false] {
                let found = try names {
                    if isHardware {
                        $0.description.hardwareEnforced[tag] = .octets(Self.marker)
                    } else {
                        $0.description.softwareEnforced[tag] = .octets(Self.marker)
                    }
                }
                #expect(!found.contains("certificates") && found.contains("challenge"), "tag \(tag)")
            }
        }
        #expect(try !names { $0.description.uniqueID = Self.marker }.contains("certificates"))
    }
}
