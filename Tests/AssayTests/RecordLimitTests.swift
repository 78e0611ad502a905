import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// What a hostile document costs, and how much is kept of one, is bounded.
@Suite("Record limits")
struct RecordLimitTests {
    private static let record = #"{"kind":"k","evidence":{}}"#
    /// Text of a megabyte that is one character, whose marks would be sorted by whatever compares it as text.
    private static let marks = "a" + String(repeating: "\u{301}\u{323}", count: 250_000)

    private func failures(_ results: [Result<EvidenceRecord, RecordFile.Unreadable>]) -> [RecordFile.Unreadable] {
        results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    @Test(
        "A field of many combining marks is refused, at once and in few words",
        arguments: [
            ("{\"kind\":\"MARKS\",\"evidence\":{}}", "kind", 8), ("{\"kind\":\"k\",\"app\":\"MARKS\"}", "evidence", 0),
            ("{\"app\":\"MARKS\",\"kind\":\"k\",\"evidence\":{}}", "app", 7),
            ("{\"id\":\"MARKS\",\"kind\":\"k\",\"evidence\":{}}", "id", 6),
            ("{\"receivedAt\":\"MARKS\",\"kind\":\"k\",\"evidence\":{}}", "receivedAt", 14),
            ("{\"kind\":\"k\",\"evidence\":{},\"expect\":{\"outcome\":\"MARKS\"}}", "expect.outcome", 46),
            ("{\"MARKS\":1,\"kind\":\"k\",\"evidence\":{}}", nil, 1),
            ("{\"kind\":\"k\",\"evidence\":{},\"expect\":{\"MARKS\":1}}", nil, 36),
            ("{\"kind\":\"k\",\"MARKS\":1,\"MARKS\":2}", "", nil),
        ] as [(String, String?, Int?)])
    func marks(template: String, field: String?, offset: Int?) {
        let text = Array(template.replacing("MARKS", with: Self.marks).utf8)
        let time = ProcessorTime.measure {
            let errors = failures(RecordFile.read(text))
            #expect(errors.count == 1)
            if let field { #expect(errors.first?.error.field == field) }
            if let offset { #expect(errors.first?.error.offset == offset) }
            #expect((errors.first?.description.utf8.count ?? .max) < 500)
        }
        #expect(time < .seconds(10) * Sanitizer.slowdown)
    }

    @Test("Names and identifiers have their limits, in bytes")
    func lengths() {
        for (field, limit) in [("kind", 128), ("app", 128), ("id", 1024)] {
            for count in [limit, limit + 1] {
                let kind = field == "kind" ? "" : "\"kind\":\"k\","
                let value = String(repeating: "a", count: count)
                let text = "{\(kind)\"\(field)\":\"\(value)\",\"evidence\":{}}"
                let errors = failures(RecordFile.read(Array(text.utf8)))
                #expect(errors.map(\.error.field) == (count == limit ? [] : [field]))
                #expect(errors.first?.record == nil)
            }
        }
    }

    @Test("Beyond the most records of a document there is one failure, and those before it are read")
    func tooManyRecords() {
        let lines = Array(repeating: Self.record, count: InputLimits.records + 5)
        for (text, line) in [
            (lines.joined(separator: "\n"), InputLimits.records + 1), ("[\(lines.joined(separator: ","))]", nil),
        ] as [(String, Int?)] {
            let results = RecordFile.read(Array(text.utf8))
            #expect(results.count == InputLimits.records + 1)
            let errors = failures(results)
            #expect(errors.map(\.line) == [line])
            #expect(errors.map(\.record) == ["\(InputLimits.records + 1)"])
            #expect(errors.first?.error.message.contains("at most \(InputLimits.records) records") == true)
        }
        let most = failures(RecordFile.read(Array(lines.dropLast(5).joined(separator: "\n").utf8)))
        #expect(most == [])
    }

    @Test("The last of many failures has the number of unreadable records; the others are read")
    func manyUnreadable() throws {
        let limit = InputLimits.unreadableRecords
        for (count, words) in [(limit, nil), (limit + 1, "1 more record"), (limit + 7, "7 more records")]
            as [(Int, String?)]
        {
            let lines = [Self.record] + Array(repeating: "{", count: count) + [Self.record]
            let results = RecordFile.read(Array(lines.joined(separator: "\n").utf8))
            #expect(results.count == min(count, limit) + 2 + (words == nil ? 0 : 1))
            #expect(results.count - failures(results).count == 2)
            guard let words else { continue }
            let last = try #require(failures(results).last)
            #expect(last.line == limit + 2)
            #expect(last.error.message.contains(words))
        }
    }
}
