import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("JSON pointer") struct JSONPointerTests {
    /// RFC 6901 section 5.
    static let document = #"""
        {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
         "nested": {"0": [[9]]}, "é": 10}
        """#

    static let found = [
        ("/foo/0", "bar"), ("/foo/1", "baz"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"),
        ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("/nested/0/0/0", "9"), ("/é", "10"),
    ]

    @Test("Pointers find the values of the RFC's example", arguments: found)
    func finds(_ pointer: String, _ expected: String) throws {
        let document = try JSONReader.read(Array(Self.document.utf8), limit: 1000)
        let parsed = try JSONPointer(pointer)
        #expect(parsed.description == pointer)
        switch parsed.evaluate(in: document)?.content {
        case .text(let value), .number(let value): #expect(value == expected)
        default: Issue.record("nothing at \(pointer)")
        }
    }

    @Test("The empty pointer is the document")
    func findsDocument() throws {
        let document = try JSONReader.read(Array(Self.document.utf8), limit: 1000)
        #expect(try JSONPointer("").evaluate(in: document)?.offset == 0)
        #expect(try JSONPointer("").tokens == [])
        #expect(try JSONPointer("/").tokens == [""])
        #expect(try JSONPointer("//a/").tokens == ["", "a", ""])
        #expect(try JSONPointer("/~01").tokens == ["~1"])
    }

    @Test(
        "Missing values are not found; array indices are digits without leading zeros",
        arguments: [
            "/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/1e0", "/foo/", "/foo/ 1",
            "/foo/99999999999999999999", "/foo/0/0", "/foo/\u{661}", "//0", "/e\u{301}", "/FOO",
        ])
    func findsNothing(_ pointer: String) throws {
        let document = try JSONReader.read(Array(Self.document.utf8), limit: 1000)
        #expect(try JSONPointer(pointer).evaluate(in: document) == nil)
    }

    @Test(
        "Invalid pointers are refused with the byte offset",
        arguments: [("a", 0), ("#/a", 0), ("/~", 1), ("/a~2", 2), ("/é~/", 3)])
    func refuses(_ pointer: String, _ offset: Int) {
        let error = decodeError { _ = try JSONPointer(pointer) }
        #expect(error?.reason == .malformed)
        #expect(error?.offset == offset)
    }
}
