import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import PlayIntegrity
import Testing

/// Written records are read back unchanged.
@Suite("Records as lines")
struct RecordLineTests {
    @Test("Every test vector is read back from its line as it was, value for value")
    func vectors() throws {
        var count = 0
        for file in try TestVectors.recordFiles() {
            for case .success(let record) in RecordFile.read(Array(try Data(contentsOf: file))) {
                let line = record.jsonLine
                #expect(!line.utf8.contains(0x0A))
                let again = try #require(try RecordFile.read(Array(line.utf8)).first?.get())
                #expect(again.jsonLine == line, "\(file.path)")
                #expect(Outline(record) == Outline(again), "\(file.path)")
                count += 1
            }
        }
        #expect(count > 1200)
    }

    @Test("Text is escaped where it must be, and numbers stay as they are written")
    func values() throws {
        let text = (0..<0x80).map { String(UnicodeScalar(UInt8($0))) }.joined() + "\u{7FF}\u{2028}\u{FFFF}𝄞e\u{301}"
        let evidence = RecordObject([
            (text, .text(text)), ("", .array([RecordValue(.null, offset: 0)])), ("a", .array([])),
            ("o", .object(RecordObject([]))), ("t", .flag(true)),
            ("f", .array([RecordValue(.flag(false), offset: 0), RecordValue(.number("-1.0E+2"), offset: 0)])),
        ])
        let record = EvidenceRecord(
            id: text, kind: EvidenceKind("k\""), app: "\\", receivedAt: Fixtures.time, evidence: evidence,
            expect: EvidenceRecord.Expectation(outcome: .accept, failed: []))
        #expect(record.jsonLine.hasSuffix(#""t":true,"f":[false,-1.0E+2]},"expect":{"outcome":"accept","failed":[]}}"#))
        let again = try #require(try RecordFile.read(Array(record.jsonLine.utf8)).first?.get())
        #expect(Outline(again) == Outline(record))
    }

    @Test("A captured input is read back as the same input")
    func composition() throws {
        let attestation = try Fixtures.attestation()
        let record = EvidenceRecord(attestation, id: "i", app: "a", receivedAt: Fixtures.time)
        #expect(record.id == "i" && record.app == "a" && record.receivedAt == Fixtures.time)
        let attested = try AttestationInput(record.evidence)
        #expect(attested.keyID == attestation.keyID)
        #expect(attested.attestation == attestation.attestation)
        #expect(attested.clientData == attestation.clientData)

        for clientData in [.data([]), .data([1, 2]), .hash([3])] as [ClientDataInput] {
            for challenge in [nil, [4]] as [[UInt8]?] {
                let input = AssertionInput(
                    keyID: [1], assertion: [2], clientData: clientData, challenge: challenge)
                let key = challenge.map { AssertionKeys.Supplied(publicKey: $0, counter: .max) }
                let record = EvidenceRecord(input, suppliedKey: key, receivedAt: Fixtures.time)
                let (read, supplied) = try AssertionInput.read(record.evidence)
                #expect(read.keyID == [1] && read.assertion == [2] && read.clientData == clientData)
                #expect(read.challenge == challenge)
                #expect(supplied == key)
            }
        }
        let receipt = try ReceiptInput(
            EvidenceRecord(ReceiptInput(keyID: [1], receipt: [2]), receivedAt: Fixtures.time).evidence)
        #expect(receipt.keyID == [1] && receipt.receipt == [2])
    }

    @Test("Tokens and answers of Play Integrity become records that are read as the same input")
    func playIntegrity() throws {
        // 16 and 500 characters are the shortest and the longest nonces; padding counts.
        for nonce in ["AAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAA", String(repeating: "-", count: 498) + "A"] {
            let input = ClassicIntegrityInput(token: "t", packageName: "p", nonce: nonce)
            let record = try EvidenceRecord(input, receivedAt: Fixtures.time)
            #expect(record.jsonLine.contains(#""token":"t""#))
            let read = try ClassicIntegrityInput(record.evidence)
            #expect(read.packageName == "p" && read.nonce == input.nonce)
        }
        let json = #"{"tokenPayloadExternal":{"a":[1,"b"]}}"#
        let answers: [(StandardIntegrityInput.Evidence, String)] = [
            (.token("t"), #""token":"t""#), (.decoded(IntegrityAnswer(json: json.utf8)), "\"decoded\":\(json)"),
        ]
        for (evidence, text) in answers {
            let input = StandardIntegrityInput(packageName: "p", requestHash: "h", evidence: evidence)
            let record = try EvidenceRecord(input, receivedAt: Fixtures.time)
            #expect(record.jsonLine.contains(text))
            let read = try StandardIntegrityInput(record.evidence)
            #expect(read.packageName == "p" && read.requestHash == "h")
            guard case .decoded(let answer) = evidence else { continue }
            let classic = ClassicIntegrityInput(.decoded(answer), packageName: "p", nonce: "AAAAAAAAAAAAAAAAAA")
            let line = try EvidenceRecord(classic, receivedAt: Fixtures.time).jsonLine
            #expect(line.contains(text))
        }
        let broken = StandardIntegrityInput(
            packageName: "p", requestHash: "h", evidence: .decoded(IntegrityAnswer(json: "{".utf8)))
        #expect(throws: DecodeError.self) { try EvidenceRecord(broken, receivedAt: Fixtures.time) }
    }
}

/// A record's content without its offsets.
struct Outline: Equatable {
    private let fields: [String?]
    private let evidence: String

    init(_ record: EvidenceRecord) {
        fields = [
            record.id, record.kind.name, record.app, record.receivedAt.map { RFC3339.format($0) },
            record.expect.map { "\($0)" },
        ]
        evidence = Outline.text(.object(record.evidence))
    }

    private static func text(_ content: RecordValue.Content) -> String {
        switch content {
        case .null: "null"
        case .flag(let flag): "flag \(flag)"
        case .number(let number): "number \(number)"
        case .text(let text): "text \(Array(text.utf8))"
        case .array(let values): "array \(values.map { self.text($0.content) })"
        case .object(let object):
            "object \(object.members.map { "\(Array($0.name.utf8)) \(self.text($0.value.content))" })"
        }
    }
}
