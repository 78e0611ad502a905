import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// The tests of structured fields that the HTTP working group keeps.
@Suite("Third-party suite: structured fields", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct StructuredFieldSuites {
    private static let strictBase64 = [
        Divergence("binary: bad padding", "base64 is canonical, so that a value has one text"),
        Divergence("binary: non-zero pad bits", "base64 is canonical, so that a value has one text"),
    ]

    private static func cases(_ part: String) throws -> [RecordObject] {
        let file = try JSONReader.readObject(
            Array(SharedFiles.data("suites/sf/structured_fields.json")), limit: 16 << 20)
        return try #require(file[part]?.array).map { try #require($0.object) }
    }

    private static func id(_ test: RecordObject) -> String {
        "\(test["file"]?.text ?? ""): \(test["name"]?.text ?? "")"
    }

    /// What a field value says, and its one text.
    private static func read(
        _ value: [UInt8], _ type: String, _ duplicates: StructuredFieldReader.Duplicates
    ) throws -> (SuiteField, [UInt8]) {
        switch type {
        case "item":
            let item = try StructuredFieldReader.readItem(value[...], duplicates: duplicates)
            return (.item(item), try StructuredFieldWriter.write(item))
        case "list":
            let list = try StructuredFieldReader.readList(value[...], duplicates: duplicates)
            return (.list(list), try StructuredFieldWriter.write(list))
        default:
            let dictionary = try StructuredFieldReader.readDictionary(value[...], duplicates: duplicates)
            return (.dictionary(dictionary), try StructuredFieldWriter.write(dictionary))
        }
    }

    private static func parse(_ duplicates: StructuredFieldReader.Duplicates) throws -> SuiteReport {
        var report = SuiteReport()
        for test in try cases("parse") {
            let id = id(test)
            let raw = try #require(test["raw"]?.array).map { try #require($0.text) }.joined(separator: ", ")
            let type = try #require(test["header_type"]?.text)
            let found = try? read(Array(raw.utf8), type, duplicates)
            report.record(id, expected: test["must_fail"]?.flag != true, accepted: found != nil)
            guard let (field, text) = found, let expected = test["expected"] else { continue }
            #expect(try field == SuiteField(expected, type), "\(id)")
            let canonical = try test["canonical"]?.array.map { try $0.map { try #require($0.text) } } ?? [raw]
            #expect(String(decoding: text, as: UTF8.self) == canonical.joined(separator: ", "), "\(id)")
        }
        return report
    }

    @Test("Every field of the suite is read as it says, and written in its one form")
    func parsing() throws {
        #expect(try Self.parse(.lastWins).problems(cases: 1580, register: Self.strictBase64) == [])
    }

    @Test("With duplicates refused, nothing else changes")
    func parsingWithoutDuplicates() throws {
        let duplicates = [
            "dictionary: duplicate key dictionary", "param-list: duplicate parameter with different positions",
            "key-generated: 0x2c in dictionary key", "key-generated: 0x3b in parameterised list key",
        ]
        let register = duplicates.map { Divergence($0, "a key has one value") }
        #expect(try Self.parse(.refuse).problems(cases: 1580, register: Self.strictBase64 + register) == [])
    }

    @Test("What a field cannot carry is not written, and decimals are rounded to even")
    func serialisation() throws {
        var report = SuiteReport()
        for test in try Self.cases("serialise") {
            let id = Self.id(test)
            let value = try #require(test["expected"])
            let text = try? SuiteField(value, #require(test["header_type"]?.text)).written()
            report.record(id, expected: test["must_fail"]?.flag != true, accepted: text != nil)
            guard let text, let canonical = test["canonical"]?.array?.first?.text else { continue }
            #expect(String(decoding: text, as: UTF8.self) == canonical, "\(id)")
        }
        #expect(report.problems(cases: 544) == [])
    }
}
