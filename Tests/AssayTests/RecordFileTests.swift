import Assay
import AssayCore
import AssayPrimitives
import Foundation
import Testing

/// A record is read strictly, and one that cannot be read does not hide the others.
@Suite("Record files")
struct RecordFileTests {
    private let record = #"{"kind":"k","evidence":{}}"#

    private func read(_ text: String) -> [Result<EvidenceRecord, RecordFile.Unreadable>] {
        RecordFile.read(Array(text.utf8))
    }

    private func failures(_ text: String) -> [RecordFile.Unreadable] {
        read(text).compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    @Test("One record, an array, and one per line are read alike")
    func forms() {
        let cases = [
            (record, 1), ("\r\n \(record)\t\n", 1), ("[\(record)]", 1), ("[\(record), \(record)]", 2),
            ("\(record)\n\(record)", 2), ("\(record)\n\(record)\n", 2), ("\(record)\r\n\r\n  \n\(record)\r\n", 2),
            ("\n\n\(record)\n", 1), ("  \(record)\n\t\(record)", 2), ("{\n\"kind\": \"k\",\n\"evidence\": {}\n}", 1),
        ]
        for (text, count) in cases {
            #expect(read(text).count == count, "\(text)")
            #expect(failures(text) == [], "\(text)")
        }
    }

    @Test("Every field of a record is read")
    func fields() throws {
        let text = #"""
            {"id": "a\u0062", "kind": "k", "app": "x", "receivedAt": "2026-04-21T20:13:12+02:00",
             "evidence": {"keyId": "AA=="}, "expect": {"outcome": "reject", "failed": ["*"]}}
            """#
        let record = try #require(try read(text).first?.get())
        #expect(record.id == "ab")
        #expect(record.kind == EvidenceKind("k"))
        #expect(record.app == "x")
        #expect(record.receivedAt == Fixtures.time)
        #expect(record.evidence.members.map(\.name) == ["keyId"])
        #expect(record.expect == EvidenceRecord.Expectation(outcome: .reject, failed: ["*"]))
    }

    @Test("A member that is null counts as absent, in the record and in its evidence")
    func nulls() throws {
        let text = #"""
            {"id":null,"kind":"k","app":null,"account":null,"deviceToken":null,"deviceBits":null,"receivedAt":null,
             "evidence":{"keyId":"AA==","clientDataHash":null},"expect":null,"later":null}
            """#
        let record = try #require(try read(text).first?.get())
        #expect(record.id == nil && record.app == nil && record.account == nil && record.receivedAt == nil)
        #expect(record.deviceToken == nil && record.deviceBits == nil && record.expect == nil)
        #expect(record.evidence.members.map(\.name) == ["keyId"])
    }

    @Test(
        "A broken line is named with its line and its byte in the whole file, and the others are still read",
        arguments: [0, 1, 2])
    func brokenLine(broken: Int) {
        let lines = (0..<3).map { $0 == broken ? "{\"kind\": nonsense}" : record }
        for lineEnd in ["\n", "\r\n", "\n\n"] {
            let text = lines.joined(separator: lineEnd)
            let results = read(text)
            let offset = broken * (record.utf8.count + lineEnd.utf8.count) + 9
            #expect(results.count == 3)
            let errors = failures(text)
            #expect(errors.map(\.record) == ["\(broken + 1)"])
            #expect(errors.map(\.line) == [broken * (lineEnd == "\n\n" ? 2 : 1) + 1])
            #expect(errors.map(\.error.offset) == [offset])
        }
    }

    @Test("A line that is no object, or has no kind, is its own failure; so is a byte order mark of one")
    func wrongLines() {
        let errors = failures("\(record)\n[1]\n{\"id\":\"x\"}\n\(record) 1\n\(record)")
        #expect(errors.map(\.record) == ["2", "x", "4"])
        #expect(errors.map(\.line) == [2, 3, 4])
        #expect(errors.map(\.error.field) == ["", "kind", ""])
        #expect(errors.map(\.error.offset) == [27, 31, 69])
        #expect(failures("\u{FEFF}\(record)\n\(record)").map(\.line) == [1])
    }

    @Test("An element of an array that cannot be read is named by its identifier or its number")
    func arrayElements() {
        let errors = failures("[\(record), {\"id\": \"b\\n\", \"kind\": 1, \"evidence\": {}}, 7]")
        #expect(errors.map(\.record) == ["b\n", "3"])
        #expect(errors.map(\.line) == [nil, nil])
        #expect(errors.first?.description.hasPrefix("record b\\n, byte 51, field kind: expected a string") == true)
    }

    @Test(
        "A document that is no record gives one failure",
        arguments: [
            ("", 0, "expected a value, found the end"), (" \r\n\t", 4, "expected a value, found the end"),
            ("\u{FEFF}{}", 0, "byte order mark"), ("[]", 0, "the array holds no record"), ("7", 0, "an object"),
            ("null", 0, "an object"), ("{\"kind\":\"k\",\"evidence\":{}", 25, "found the end"),
            ("[{\"kind\":\"k\",\"evidence\":{}}", 27, "found the end"),
            ("[\n{\"kind\":\n{\"kind\":\"k\",\"evidence\":{}}\n]", 38, "expected ',' or '}'"),
            ("{\"kind\":\"k\",\"kind\":\"k\",\"evidence\":{}}", 12, "comes twice"),
            ("{\"kind\":\"k\",\"k\\u0069nd\":\"k\",\"evidence\":{}}", 12, "comes twice"),
            ("{\"kind\":\"k\",\"evidence\":{\"a\":1,\"a\":1}}", 30, "comes twice"),
            ("{\"kind\":\"k\",\"evidence\":{},}", 26, "a key in quotes"),
            ("\0", 0, "found byte 0"), (String(repeating: "[", count: 100_000), 32, "nest deeper"),
        ])
    func noRecord(text: String, offset: Int, words: String) {
        let errors = failures(text)
        #expect(errors.count == 1)
        #expect(errors.first?.error.offset == offset)
        #expect(errors.first?.error.message.contains(words) == true, "\(errors)")
    }

    @Test(
        "A field that is not known, missing or of another type is named with its byte",
        arguments: [
            (#"{"kind":"k","evidence":{},"x":1}"#, "x", 26, "unknown field; allowed are id, kind, app"),
            (#"{"evidence":{}}"#, "kind", 0, "missing"), (#"{"kind":"k"}"#, "evidence", 0, "missing"),
            (#"{"kind":7,"evidence":{}}"#, "kind", 8, "expected a string, found a number"),
            (#"{"kind":"k","evidence":[]}"#, "evidence", 23, "expected an object, found an array"),
            (#"{"kind":null,"evidence":{}}"#, "kind", 8, "missing"),
            (#"{"kind":"k","evidence":null}"#, "evidence", 23, "missing"),
            (#"{"app":true,"kind":"k","evidence":{}}"#, "app", 7, "found a boolean"),
            (#"{"kind":"k","evidence":{},"receivedAt":"now"}"#, "receivedAt", 39, "RFC 3339 time"),
            (#"{"kind":"k","evidence":{},"receivedAt":"2026-02-30T00:00:00Z"}"#, "receivedAt", 39, "2026-02-30"),
            (#"{"kind":"k","account":"","evidence":{}}"#, "account", 22, "an empty one"),
            (#"{"kind":"k","account":7,"evidence":{}}"#, "account", 22, "found a number"),
            (#"{"kind":"k","evidence":{},"receivedAt":0}"#, "receivedAt", 39, "found a number"),
            (#"{"kind":"k","evidence":{},"expect":1}"#, "expect", 35, "expected an object"),
            (#"{"kind":"k","evidence":{},"expect":{}}"#, "expect.outcome", 35, "missing"),
            (#"{"kind":"k","evidence":{},"expect":{"outcome":"maybe"}}"#, "expect.outcome", 46, "accept or reject"),
            (#"{"kind":"k","evidence":{},"expect":{"outcome":"accept","x":1}}"#, "expect.x", 55, "outcome, failed"),
            (
                #"{"kind":"k","evidence":{},"expect":{"outcome":"reject","failed":"*"}}"#, "expect.failed", 64,
                "a list"
            ),
            (
                #"{"kind":"k","evidence":{},"expect":{"outcome":"reject","failed":[1]}}"#, "expect.failed[0]", 65,
                "a number"
            ),
        ])
    func wrongFields(text: String, field: String, offset: Int, words: String) {
        let error = failures(text).first?.error
        #expect(error?.field == field)
        #expect(error?.offset == offset)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("A document over the limit is refused; lines are limited one by one")
    func tooLarge() {
        let space = [UInt8](repeating: 0x20, count: InputLimits.record)
        let one = RecordFile.read(space + Array(record.utf8))
        #expect(one.count == 1)
        let large = RecordFile.read(Array(record.utf8) + [0x0A] + space.dropLast(8) + [0x0A] + Array(record.utf8))
        #expect(large.count == 2)
        #expect(large.allSatisfy { (try? $0.get()) != nil })
    }

    @Test("A device token in base64 of 16 KiB at most, bits with a month")
    func deviceFields() throws {
        let evidence = #""kind":"app-attest.attestation","evidence":{}"#
        func problem(_ fields: String) -> String? {
            guard case .failure(let problem)? = RecordFile.read(Array("{\(evidence),\(fields)}".utf8)).first else {
                return nil
            }
            return "\(problem)"
        }
        #expect(problem(#""deviceToken":"AAAA","deviceBits":{"bit0":true,"bit1":false,"changedIn":"2026-04"}"#) == nil)
        for (fields, word) in [
            (#""deviceToken":"A-_A""#, "deviceToken"), (#""deviceToken":"""#, "deviceToken"),
            (#""deviceToken":7"#, "deviceToken"),
            (#""deviceToken":"\#(String(repeating: "A", count: 16_388))""#, "deviceToken"),
            (#""deviceBits":{"bit0":true}"#, "bit1"), (#""deviceBits":{"bit0":1,"bit1":false}"#, "bit0"),
            (#""deviceBits":{"bit0":true,"bit1":false,"changedIn":"2026-13"}"#, "changedIn"),
            (#""deviceBits":{"bit0":true,"bit1":false,"bit2":false}"#, "bit2"),
        ] {
            #expect(problem(fields)?.contains(word) == true, "\(fields.prefix(60)): \(problem(fields) ?? "read")")
        }
    }

    @Test("A property of 1 to 128 printable ASCII characters; the error names the field and the byte")
    func property() throws {
        func read(_ value: String) -> Result<EvidenceRecord, RecordFile.Unreadable>? {
            RecordFile.read(Array(#"{"kind":"k","evidence":{},"property":\#(value)}"#.utf8)).first
        }
        let longest = String(repeating: "~", count: 128)
        for text in ["b", "beta 2", longest] {
            let record = try #require(try read("\"\(text)\"")?.get())
            #expect(record.property == text && record.jsonLine.contains(#""property":"\#(text)""#))
        }
        #expect(try read("null")?.get().property == nil)
        for (value, words) in [
            (#""""#, "found 0 bytes"), ("\"\(longest)~\"", "found 129 bytes"), (#""be\nta""#, "found the byte 10 at 2"),
            (#""beta\u007f""#, "found the byte 127 at 4"), (#""bêta""#, "found the byte 195 at 1"),
            ("7", "expected a string"),
        ] {
            guard case .failure(let problem)? = read(value) else {
                Issue.record("\(value) is read")
                continue
            }
            #expect(problem.error.field == "property" && problem.error.offset == 37, "\(problem)")
            #expect(problem.error.message.contains(words), "\(problem)")
        }
    }
}
