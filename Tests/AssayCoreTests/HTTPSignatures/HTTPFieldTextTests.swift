import AssayCore
import AssayPrimitives
import Testing

@Suite("The text of HTTP fields") struct HTTPFieldTextTests {
    @Test("Of names the case of ASCII letters does not count, and nothing else is left out")
    func names() {
        #expect(HTTPFieldText.isName("Approov-Token", equalTo: "aPPROOV-tOKEN"))
        #expect(HTTPFieldText.isName("", equalTo: ""))
        // The KELVIN SIGN is a k in lower case to those who know more letters, and é has two spellings.
        for (left, right) in [
            ("host", "hos"), ("host", "host "), ("Kid", "\u{212A}id"), ("\u{e9}", "\u{c9}"), ("\u{e9}", "e\u{301}"),
            ("[", "{"), ("@", "`"), ("a_b", "a-b"),
        ] {
            #expect(!HTTPFieldText.isName(left, equalTo: right), "\(left) \(right)")
        }
    }

    @Test("Names consist of the characters of RFC 9110 section 5.6.2")
    func characters() {
        let found = (UInt8.min...UInt8.max).filter(HTTPFieldText.isTokenCharacter)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(Set(found) == Set("!#$%&'*+-.^_`|~0123456789\(letters)".utf8))
    }

    @Test(
        "Spaces and tabs around a value are no part of it, and nothing else is taken away",
        arguments: [
            ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a b\t", "a b"), ("\ta\tb ", "a\tb"),
            ("\n a\r", "\n a\r"),
            ("\u{a0}a\u{a0}", "\u{a0}a\u{a0}"), ("a\0 ", "a\0"),
        ])
    func trimming(_ value: String, _ expected: String) {
        #expect(HTTPFieldText.trimmed(value).utf8.elementsEqual(expected.utf8))
        let slice = (Array("x".utf8) + Array(value.utf8))[1...]
        #expect(HTTPFieldText.trimmed(slice).elementsEqual(expected.utf8))
    }
}
