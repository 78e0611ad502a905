import AssayInspection
import Testing

@Suite("Inspection of encoded text")
struct Base64FormatTests {
    /// 24 bytes whose encoding has both special characters of the alphabet.
    private static let blob: [UInt8] = [
        0x30, 0x16, 0x04, 0x14, 0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
        0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
    ]

    @Test(
        "Every alphabet and wrapping is decoded and named",
        arguments: [
            ("MBYEFPvvvv///wABAgMEBQYHCAkKCwwNDg==", "base64", nil),
            ("MBYEFPvvvv___wABAgMEBQYHCAkKCwwNDg", "base64url", nil),
            ("MBYEFPvvvv___wABAgMEBQYHCAkKCwwNDg==", "base64url", "padding, which base64url"),
            ("MBYEFPvvvv///wABAgMEBQYHCAkKCwwNDg", "base64", "0 characters of padding, 2 expected"),
            ("MBYEFPvvvv//_wABAgMEBQYHCAkKCwwNDg", "base64 of both alphabets", "characters of both"),
            ("MBYEFPvvvv///wABAgME\r\nBQYHCAkKCwwNDg==\n", "base64", "line breaks or spaces"),
            ("\"MBYEFPvvvv///wABAgMEBQYHCAkKCwwNDg==\"", "base64", nil),
            ("'MBYEFPvvvv\\/\\/\\/wABAgME\\nBQYHCAkKCwwNDg=='", "base64", "line breaks or spaces"),
            ("data:application/octet-stream;base64,MBYEFPvvvv///wABAgMEBQYHCAkKCwwNDg==", "base64", nil),
            ("MBYEFPvvvv%2F%2F%2FwABAgMEBQYHCAkKCwwNDg%3D%3D", "base64", nil),
            ("30160414fbefbeffffff000102030405060708090a0b0c0d0e", "hexadecimal", nil),
            ("0x30160414FBEFBEFFFFFF000102030405060708090A0B0C0D0E", "hexadecimal", nil),
            ("30:16:04:14:fb:ef:be:ff:ff:ff:00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e", "hexadecimal", nil),
            ("30 16 04 14 fb ef be ff ff ff 00 01\n02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e\n", "hexadecimal", nil),
            ("MBYEFPvvvv///wABAgMEBQYHCAkKCwwNDh==", "base64", "the last character has bits"),
        ] as [(String, String, String?)])
    func wrappings(text: String, encoding: String, irregularity: String?) throws {
        let bytes = Array(text.utf8)
        #expect(Base64Format.recognise(bytes) != nil)
        let contents = Base64Format.annotate(bytes)
        let nested = try #require(contents.nested.first)
        #expect(nested.bytes == Base64FormatTests.blob)
        #expect(nested.encoding == encoding)
        let violation = contents.annotations.first?.violation
        #expect(irregularity.map { violation?.hasPrefix($0) ?? false } ?? (violation == nil))
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
    }

    @Test("Truncated text is decoded up to its end")
    func cut() {
        let contents = Base64Format.annotate(Array("MBYEFPvvvv///wABAgME+BQ1H".utf8))
        #expect(contents.nested.first?.bytes.prefix(15) == Base64FormatTests.blob.prefix(15))
        #expect(contents.annotations.first?.violation?.hasPrefix("one character is left over") ?? false)
    }

    @Test(
        "Words, numbers and binary data are not recognised as encoded text",
        arguments: [
            "hello", "The quick brown fox jumps over the lazy dog", "12345678", "internationalization", "", "a",
            "{\"a\": 1}",
            "com.example.shop", "MEETS DEVICE INTEGRITY",
        ])
    func words(text: String) {
        #expect(Base64Format.recognise(Array(text.utf8)) == nil)
        #expect(Base64Format.recognise([0x00, 0xFF, 0x30, 0x82, 0x01]) == nil)
    }

    @Test("Percent-encoded text other than base64 is decoded too")
    func percent() {
        let contents = Base64Format.annotate(Array("%7B%22a%22%3A%201%7D".utf8))
        #expect(contents.nested.first?.bytes == Array("{\"a\": 1}".utf8))
        #expect(contents.nested.first?.encoding == "percent-encoding")
    }
}
