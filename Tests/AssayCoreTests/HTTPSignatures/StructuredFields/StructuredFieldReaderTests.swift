import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("Structured fields: reading") struct StructuredFieldReaderTests {
    private static func dictionary(
        _ text: String, _ duplicates: StructuredFieldReader.Duplicates = .refuse
    ) throws -> StructuredDictionary {
        try StructuredFieldReader.readDictionary(Array(text.utf8)[...], duplicates: duplicates)
    }

    static let dictionaries = [
        Rejection("a=1,a=2", .duplicateKey, 4, "a key comes once"),
        Rejection("a;b;c;b", .duplicateKey, 6, "a parameter comes once"),
        Rejection("a=(1;b;b)", .duplicateKey, 7, "a parameter of an item of an inner list comes once"),
        Rejection("a=(1);b;b", .duplicateKey, 8, "a parameter of an inner list comes once"),
        Rejection("a=1,", .truncated, 4, "nothing ends in a comma"),
        Rejection("a=1, \t", .truncated, 6, "nothing ends in a comma, white space or not"),
        Rejection(",a", .malformed, 0, "nothing begins with a comma"),
        Rejection("a,,b", .malformed, 2, "no member is empty"),
        Rejection("a b", .malformed, 2, "commas separate members"),
        Rejection("\ta", .malformed, 0, "tabs stand just around commas"),
        Rejection("A=1", .malformed, 0, "keys are in lower case"),
        Rejection("1a", .malformed, 0, "no key begins with a digit"),
        Rejection("aB", .malformed, 1, "keys are in lower case throughout"),
        Rejection("a =1", .malformed, 2, "no space before '='"),
        Rejection("a= 1", .malformed, 2, "no space after '='"),
        Rejection("a=", .truncated, 2, "a value follows '='"),
        Rejection("a; b=", .truncated, 5, "a value follows the '=' of a parameter"),
        Rejection("a;", .truncated, 2, "a key follows ';'"),
        Rejection("a ;b", .malformed, 2, "no space before ';'"),
        Rejection("a=(1", .truncated, 4, "parentheses close"),
        Rejection("a=(1 ", .truncated, 5, "parentheses close after spaces"),
        Rejection("a=(1,2)", .malformed, 4, "spaces separate items of an inner list"),
        Rejection("a=(1\t2)", .malformed, 4, "no tab does"),
        Rejection("a=((1))", .malformed, 3, "inner lists do not nest"),
        Rejection("a=\u{e9}", .malformed, 2, "only ASCII"),
    ]

    static let items = [
        Rejection("", .truncated, 0, "an item is not empty"),
        Rejection("   ", .truncated, 3, "spaces are no item"),
        Rejection("1 2", .trailingBytes, 2, "one item"),
        Rejection("1\t", .trailingBytes, 1, "only spaces follow an item"),
        Rejection("1,2", .trailingBytes, 1, "an item is no list"),
        Rejection("-", .truncated, 1, "a digit follows '-'"),
        Rejection("--1", .malformed, 1, "one sign"),
        Rejection("+1", .malformed, 0, "no '+'"),
        Rejection("1.", .truncated, 2, "a digit follows the point"),
        Rejection(".1", .malformed, 0, "a digit stands before the point"),
        Rejection("1.2345", .tooLarge, 0, "three digits after the point"),
        Rejection("1234567890123.1", .tooLarge, 0, "twelve digits before the point"),
        Rejection("1234567890123456", .tooLarge, 0, "fifteen digits"),
        Rejection("1e3", .trailingBytes, 1, "no exponents"),
        Rejection("\"a", .truncated, 2, "quotes close"),
        Rejection("\"\\a\"", .malformed, 2, "only '\"' and '\\' are escaped"),
        Rejection("\"\\", .truncated, 2, "something is escaped"),
        Rejection("\"a\\\\\u{7f}\"", .malformed, 4, "no controls after an escape either"),
        Rejection("\"a\nb\"", .malformed, 2, "no line breaks in strings"),
        Rejection("\"\u{e9}\"", .malformed, 1, "only ASCII in strings"),
        Rejection("?2", .malformed, 1, "0 or 1"),
        Rejection("?", .truncated, 1, "0 or 1 follows"),
        Rejection("?true", .malformed, 1, "0 or 1, not a word"),
        Rejection(":aGk=", .truncated, 5, "colons close"),
        Rejection(":aGk:", .unexpectedLength, 4, "padding is there"),
        Rejection(":aGl=:", .notMinimal, 3, "no stray bits"),
        Rejection(":aG k:", .invalidText, 3, "no spaces in base64"),
        Rejection(":aG-_:", .invalidText, 3, "no base64url"),
        Rejection("@1.5", .unexpectedType, 1, "a date has no fraction"),
        Rejection("@", .truncated, 1, "a date has digits"),
        Rejection("@\"x\"", .malformed, 1, "a date is a number"),
        Rejection("%x", .malformed, 1, "a quote follows '%'"),
        Rejection("%\"%C3%a9\"", .malformed, 3, "hexadecimal digits in lower case"),
        Rejection("%\"%c3\"", .invalidText, 0, "UTF-8"),
        Rejection("%\"%ed%a0%80\"", .invalidText, 0, "no surrogates"),
        Rejection("%\"%c", .truncated, 4, "two hexadecimal digits"),
        Rejection("a;B", .malformed, 2, "parameters are in lower case"),
        Rejection("(1)", .malformed, 0, "an inner list is no item"),
    ]

    @Test("Malformed dictionaries are refused with the byte offset", arguments: dictionaries)
    func refusedDictionaries(_ rejection: Rejection) {
        let error = decodeError { _ = try Self.dictionary(rejection.input) }
        #expect(rejection.matches(error), "\(error.map { "\($0.code) \($0)" } ?? "accepted")")
    }

    @Test("Malformed items are refused with the byte offset", arguments: items)
    func refusedItems(_ rejection: Rejection) {
        let error = decodeError { _ = try StructuredFieldReader.readItem(Array(rejection.input.utf8)[...]) }
        #expect(rejection.matches(error), "\(error.map { "\($0.code) \($0)" } ?? "accepted")")
    }

    @Test("With the lenient option, the last of equal keys counts, at the place of the first")
    func lastWins() throws {
        #expect(try Self.dictionary("a=1,b,a=2;x;y;x=3", .lastWins) == Self.dictionary("a=2;x=3;y, b"))
        let many = (0..<40).map { "k\($0)=1" }.joined(separator: ",")
        let doubled = try Self.dictionary(many + "," + many.replacing("=1", with: "=2"), .lastWins)
        #expect(try doubled == Self.dictionary(many.replacing("=1", with: "=2")))
        #expect(decodeError { _ = try Self.dictionary(many + ",k39=2") }?.reason == .duplicateKey)
        #expect(decodeError { _ = try Self.dictionary(many + ",k0=2") }?.reason == .duplicateKey)
    }

    @Test("Entries, items and parameters have their byte offsets")
    func offsets() throws {
        let padded = Array("xx a=(\"b\";c 2), d;e=1".utf8)
        let dictionary = try StructuredFieldReader.readDictionary(padded[2...])
        #expect(dictionary.entries.map(\.offset) == [3, 16])
        #expect(padded[dictionary.entries[0].source].elementsEqual("(\"b\";c 2)".utf8))
        guard case .innerList(let list) = dictionary.entries[0].member,
            case .item(let item) = dictionary.entries[1].member
        else {
            Issue.record("expected an inner list and an item")
            return
        }
        #expect(list.items.map(\.offset) == [6, 12])
        #expect(list.items[0].parameters.map(\.offset) == [10])
        #expect(item.parameters.map(\.offset) == [18])
    }

    @Test("As many members, items and parameters as the RFC demands are taken, and one more is refused")
    func limits() throws {
        func members(_ count: Int) -> String { (0..<count).map { "k\($0)" }.joined(separator: ",") }
        #expect(try Self.dictionary(members(1024)).entries.count == 1024)
        #expect(decodeError { _ = try Self.dictionary(members(1025)) }?.reason == .tooLarge)
        func list(_ count: Int) -> [UInt8] { Array([String](repeating: "a", count: count).joined(separator: ",").utf8) }
        #expect(try StructuredFieldReader.readList(list(1024)[...]).count == 1024)
        #expect(decodeError { _ = try StructuredFieldReader.readList(list(1025)[...]) }?.reason == .tooLarge)
        func inner(_ count: Int) -> String { "a=(" + String(repeating: "1 ", count: count) + ")" }
        #expect(throws: Never.self) { try Self.dictionary(inner(256)) }
        #expect(decodeError { _ = try Self.dictionary(inner(257)) }?.reason == .tooLarge)
        func parameters(_ count: Int) -> String { "a" + (0..<count).map { ";p\($0)" }.joined() }
        #expect(throws: Never.self) { try Self.dictionary(parameters(256)) }
        #expect(decodeError { _ = try Self.dictionary(parameters(257)) }?.reason == .tooLarge)
        let long = "a=\"" + String(repeating: "x", count: InputLimits.structuredField) + "\""
        #expect(decodeError { _ = try Self.dictionary(long) }?.offset == InputLimits.structuredField)
    }

    @Test("Every value of the allowed size is parsed in milliseconds")
    func cost() {
        let size = InputLimits.structuredField
        let units = [
            "a,", "a=(1 1 1 1 1 1 1 1 1),", "a;a;a;a,", "(", "a=\"\\\\\\\\\",", ":AAAA:,", "%\"%c3%a9\",", " ", ";a",
        ]
        for unit in units {
            let bytes = Array(String(repeating: unit, count: size / unit.utf8.count).utf8)
            let time = ProcessorTime.measure {
                for duplicates in [StructuredFieldReader.Duplicates.refuse, .lastWins] {
                    _ = try? StructuredFieldReader.readDictionary(bytes[...], duplicates: duplicates)
                    _ = try? StructuredFieldReader.readList(bytes[...], duplicates: duplicates)
                }
            }
            #expect(time < .milliseconds(1000) * Sanitizer.slowdown, "\(unit)")
        }
    }

    @Test("Serializing a parsed value gives an equal value in canonical form")
    func roundTrip() throws {
        let text =
            "a=(\"x\\\\y\"; sf \"z\";key=\"q\");n=-1.50;t=to:k/en ,b;d=@-12, c=:AAECAw==:;s=%\"%e2%82%ac\", d=?0;e=?1"
        let read = try Self.dictionary(text)
        let written = try StructuredFieldWriter.write(read)
        #expect(
            String(decoding: written, as: UTF8.self)
                == "a=(\"x\\\\y\";sf \"z\";key=\"q\");n=-1.5;t=to:k/en, b;d=@-12, c=:AAECAw==:;s=%\"%e2%82%ac\", d=?0;e"
        )
        #expect(try StructuredFieldReader.readDictionary(written[...]) == read)
    }
}
