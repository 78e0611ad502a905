import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Only the private key opens sealed records, and their other fields cannot be changed.
@Suite("Sealed captures")
struct SealingTests {
    private func value(_ line: String) throws -> RecordValue { try JSONReader.read(Array(line.utf8), limit: 1 << 20) }

    private func open(_ line: String, _ key: CapturePrivateKey) throws -> EvidenceRecord {
        try #require(try SealedRecord(value(line))).open(with: key)
    }

    private let record = EvidenceRecord(
        id: "an id", kind: EvidenceKind("kind"), app: "app", receivedAt: Date(timeIntervalSince1970: 1_776_795_192.5),
        evidence: RecordObject([("field", .text("a private thing")), ("n", .number("1e2"))]),
        expect: EvidenceRecord.Expectation(outcome: .reject, failed: ["x", "y"]))

    @Test("Every test vector is opened as it was")
    func vectors() throws {
        let key = try CapturePrivateKey.make()
        var count = 0
        for file in try TestVectors.recordFiles() {
            for case .success(let record) in RecordFile.read(Array(try Data(contentsOf: file))).prefix(3) {
                let line = try record.sealedLine(for: key.publicKey)
                #expect(try open(line, key).jsonLine == record.jsonLine, "\(file.path)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test("Account, device token, device bits and property are sealed, and cannot stand beside what is sealed")
    func accompanying() throws {
        let key = try CapturePrivateKey.make()
        var whole = record
        whole.account = "alice@example.com"
        whole.deviceToken = "AAAAAAAAAAAA"
        whole.deviceBits = DeviceBits(first: true, second: false, changedIn: "2026-04")
        whole.property = "beta"
        let line = try whole.sealedLine(for: key.publicKey)
        for words in [
            "alice@", "AAAAAAAAAAAA", "account", "deviceToken", "deviceBits", "2026-04\"", "property", "\"beta",
        ] {
            #expect(!line.contains(words), "\(words)")
        }
        #expect(try open(line, key).jsonLine == whole.jsonLine)
        for field in [
            #""account":"mallory","#, #""deviceToken":"AAAA","#, #""deviceBits":{"bit0":true,"bit1":true},"#,
            #""property":"beta","#,
        ] {
            let changed = try value(line.replacing(#""sealed""#, with: field + #""sealed""#))
            let error = #expect(throws: RecordError.self) { try SealedRecord(changed) }
            #expect(error?.message.contains("is sealed with its evidence") == true, "\(error?.description ?? "")")
        }
    }

    @Test("A file of sealed records ends with their number, when the next one begins and when the capture is closed")
    func ends() throws {
        let folder = try TestFolder()
        let key = try CapturePrivateKey.make()
        for isSealed in [true, false] {
            var options = CaptureOptions()
            options.fields = isSealed ? .seal(to: key.publicKey) : .keep
            options.maximumAge = 60
            let path = folder.path(isSealed ? "sealed" : "open")
            let capture = try RecordCapture(folder: path, options: options)
            func lines() throws -> [[Substring]] {
                try Captured.files(path).map {
                    try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8).split(separator: "\n")
                }
            }
            for seconds in [0, 1, 70] as [Double] {
                try capture.append(record, at: Fixtures.time.addingTimeInterval(seconds))
            }
            #expect(try lines().map(\.count) == [isSealed ? 3 : 2, 1])
            if isSealed { #expect(try lines()[0].last == #"{"sealedRecords":2}"#) }
            try capture.close()
            #expect(try lines().map(\.count) == [isSealed ? 3 : 2, isSealed ? 2 : 1])
            if isSealed { #expect(try lines()[1].last == #"{"sealedRecords":1}"#) }
        }
    }

    @Test("The line has everything but the evidence in clear, and is another one each time")
    func line() throws {
        let key = try CapturePrivateKey.make()
        let lines = try (0..<2).map { _ in try record.sealedLine(for: key.publicKey) }
        for line in lines {
            #expect(
                line.hasPrefix(#"{"id":"an id","kind":"kind","app":"app","receivedAt":"2026-04-21T18:13:12.500Z","#))
            #expect(line.hasSuffix(#""expect":{"outcome":"reject","failed":["x","y"]}}"#))
            #expect(!line.contains("private") && !line.contains("evidence"))
        }
        #expect(lines[0] != lines[1])
    }

    @Test("A sealed record with any change, omission or addition does not open")
    func changes() throws {
        let key = try CapturePrivateKey.make()
        let line = try record.sealedLine(for: key.publicKey)
        let changes: [(String, String)] = [
            ("an id", "another"), (#""id":"an id","#, ""), (#""kind":"kind""#, #""kind":"other""#),
            (#""app":"app","#, ""), ("12.500Z", "12.501Z"), (#""reject""#, #""accept""#), (#","y""#, ""),
            (#","expect":{"outcome":"reject","failed":["x","y"]}"#, ""),
        ]
        for (old, new) in changes {
            let changed = line.replacing(old, with: new)
            #expect(changed != line)
            let error = #expect(throws: CaptureError.self, "\(old)") { try open(changed, key) }
            #expect(error?.reason == .sealed)
        }
        // Every byte and every length of the ciphertext.
        guard case .object(let object) = try value(line).content, case .text(let text)? = object["sealed"]?.content
        else { return #expect(Bool(false), "a line without a field sealed") }
        let sealed = try Base64.decode(text, .standard)
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 0x01
            for other in [bytes, Array(sealed[..<index])] {
                let changed = line.replacing(text, with: Base64.encode(other, .standard))
                #expect(throws: CaptureError.self, "byte \(index)") { try open(changed, key) }
            }
        }
        #expect(throws: CaptureError.self) { try open(line, CapturePrivateKey.make()) }
        #expect(try open(line, key).jsonLine == record.jsonLine)
    }

    @Test("Fields in another order, with spaces and in another spelling of the time are the same record")
    func spelling() throws {
        let key = try CapturePrivateKey.make()
        let line = try record.sealedLine(for: key.publicKey)
        let spelled = line.replacing("\"app\":\"app\",", with: "").replacing(
            "{\"id\"", with: "{ \"app\" : \"app\" ,\"id\""
        )
        .replacing("2026-04-21T18:13:12.500Z", with: "2026-04-21T20:13:12.5+02:00")
        #expect(try open(spelled, key).jsonLine == record.jsonLine)
    }

    @Test(
        "A sealed record that is malformed is named with its field",
        arguments: [
            (#"{"kind":"k","sealed":1}"#, "expected base64 text, found a number"),
            (#"{"kind":"k","sealed":"A"}"#, "expected standard base64"),
            (#"{"kind":"k","sealed":"","evidence":{}}"#, "exclude each other"), (#"{"sealed":""}"#, "missing"),
            (#"{"kind":"k","sealed":"","x":1}"#, "unknown field"),
        ])
    func malformed(line: String, words: String) throws {
        let value = try value(line)
        let error = #expect(throws: RecordError.self) { try SealedRecord(value) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("Other records are not opened as sealed ones")
    func others() throws {
        for text in ["{}", #"{"kind":"k","evidence":{}}"#, "[]", "1", #"{"evidence":{"sealed":""}}"#] {
            #expect(try SealedRecord(value(text)) == nil)
        }
    }

    @Test("Sealed captures open only with the private key, and include the verdict")
    func capture() async throws {
        let folder = try TestFolder()
        let key = try CapturePrivateKey.make()
        var options = CaptureOptions()
        options.fields = .seal(to: key.publicKey)
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        let input = try Fixtures.attestation()
        let verdict = try await Fixtures.verifier().verify(input, at: Fixtures.time)
        try capture.append(EvidenceRecord(input, receivedAt: Fixtures.time), verdict: verdict, at: Fixtures.time)
        let file = try #require(try Captured.files(folder.path("c")).first)
        let text = String(decoding: try Data(contentsOf: folder.url.appendingPathComponent("c/\(file)")), as: UTF8.self)
        #expect(!text.contains(Data(input.keyID).base64EncodedString()))
        let record = try open(String(text.dropLast()), key)
        #expect(record.expect?.outcome == .accept)
        #expect(try await Fixtures.verifier().verify(record, at: Fixtures.time).outcome == .accept)
    }

    @Test("Written keys are read back; invalid ones are refused and not shown")
    func keys() throws {
        let key = try CapturePrivateKey.make()
        let text = key.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text.hasPrefix("assay-capture-private:") && text.utf8.count == 22 + 44)
        let again = try CapturePrivateKey(text: SecretBytes(" \(text)\n".utf8))
        #expect(again.publicKey.text == key.publicKey.text)
        let publicKey = try CapturePublicKey(text: SecretBytes(key.publicKey.text.utf8))
        #expect(try open(record.sealedLine(for: publicKey), again).jsonLine == record.jsonLine)
        // One must not be accepted as the other: the sealed records could not be opened.
        let swapped = #expect(throws: CaptureError.self) { try CapturePublicKey(text: key.text) }
        #expect(swapped?.message.hasSuffix("found a private key") == true)
        #expect(swapped?.message.contains(text.suffix(40)) == false)
        #expect(throws: CaptureError.self) { try CapturePrivateKey(text: SecretBytes(key.publicKey.text.utf8)) }
        for wrong in [
            "", "c2VjcmV0", "-----BEGIN PRIVATE KEY-----", String(repeating: "?", count: 44),
            String(text.dropFirst(22)),
        ] {
            for read in [
                { _ = try CapturePrivateKey(text: SecretBytes(wrong.utf8)) },
                { _ = try CapturePublicKey(text: SecretBytes(wrong.utf8)) },
            ] {
                let error = #expect(throws: CaptureError.self) { try read() }
                #expect(error?.reason == .key)
                #expect(wrong.isEmpty || error?.message.contains(wrong) == false)
            }
        }
    }

    @Test("Nothing is sealed for a public key with which every secret would be the same")
    func smallOrder() throws {
        // RFC 7748 section 6.1, and known points of small order: zero, one, and the prime of the field.
        let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), prime] {
            let text = SecretBytes("assay-capture-public:\(Data(point).base64EncodedString())".utf8)
            let error = #expect(throws: CaptureError.self) { try CapturePublicKey(text: text) }
            #expect(error?.reason == .key)
        }
    }
}
