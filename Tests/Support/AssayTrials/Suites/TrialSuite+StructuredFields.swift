import AssayCore
import AssayPrimitives
import AssayTestSupport

/// The tests of structured fields by the HTTP working group.
extension TrialSuite {
    static var structuredFields: [TrialSuite] {
        [
            parsing("parse", .lastWins, strictBase64),
            // The option to reject duplicates affects no other case.
            parsing("parse, duplicates refused", .refuse, strictBase64 + duplicates), serialisation,
        ]
    }

    private static let fieldFile = "suites/sf/structured_fields.json"

    private static let strictBase64 = [
        Divergence("binary: bad padding", "base64 is canonical, so that a value has one text"),
        Divergence("binary: non-zero pad bits", "base64 is canonical, so that a value has one text"),
    ]

    private static let duplicates = [
        "dictionary: duplicate key dictionary", "param-list: duplicate parameter with different positions",
        "key-generated: 0x2c in dictionary key", "key-generated: 0x3b in parameterised list key",
    ].map { Divergence($0, "a key has one value") }

    /// The cases of one part, and their number as the file states it.
    private static func cases(_ part: String) throws -> (cases: [RecordObject], count: Int) {
        let file = try JSONReader.readObject(Array(SharedFiles.data(fieldFile)), limit: 16 << 20)
        guard case .number(let digits)? = file["count"]?.object?[part]?.content else {
            throw SuiteFileError(description: "no count of \(part)")
        }
        return (try need(file[part]?.array).map { try need($0.object) }, try need(Int(digits)))
    }

    private static func id(_ test: RecordObject) -> String {
        "\(test["file"]?.text ?? ""): \(test["name"]?.text ?? "")"
    }

    /// The value of a field, and its canonical text.
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

    /// Every field of the suite has the stated value, and serialises to its canonical text.
    private static func parsing(
        _ name: String, _ duplicates: StructuredFieldReader.Duplicates, _ register: [Divergence]
    ) -> TrialSuite {
        TrialSuite(
            "structured-field-tests, \(name)", file: fieldFile,
            exercises: "`StructuredFieldReader`, `StructuredFieldWriter`"
        ) {
            let (cases, count) = try cases("parse")
            var report = SuiteReport(cases: count, register: register)
            for test in cases {
                let id = id(test)
                let raw = try need(test["raw"]?.array).map { try need($0.text) }.joined(separator: ", ")
                let type = try need(test["header_type"]?.text)
                let found = try? read(Array(raw.utf8), type, duplicates)
                report.record(id, expected: test["must_fail"]?.flag != true, accepted: found != nil)
                guard let (field, text) = found, let expected = test["expected"] else { continue }
                let value = try SuiteField(expected, type)
                report.require(field == value, "\(id): another value")
                let canonical = try test["canonical"]?.array.map { try $0.map { try need($0.text) } } ?? [raw]
                report.require(
                    String(decoding: text, as: UTF8.self) == canonical.joined(separator: ", "), "\(id): another text")
            }
            return report
        }
    }

    /// Values that a field cannot represent are not serialised, and decimals are rounded half to even.
    private static var serialisation: TrialSuite {
        TrialSuite("structured-field-tests, serialise", file: fieldFile, exercises: "`StructuredFieldWriter`") {
            let (cases, count) = try cases("serialise")
            var report = SuiteReport(cases: count)
            for test in cases {
                let id = id(test)
                let value = try need(test["expected"])
                let text = try? SuiteField(value, need(test["header_type"]?.text)).written()
                report.record(id, expected: test["must_fail"]?.flag != true, accepted: text != nil)
                guard let text, let canonical = test["canonical"]?.array?.first?.text else { continue }
                report.require(String(decoding: text, as: UTF8.self) == canonical, "\(id): another text")
            }
            return report
        }
    }
}
