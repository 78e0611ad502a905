import Assay
import Testing

/// Texts are examined eight bytes at a time, and the last eight in one piece.
@Suite("Strings of JSON")
struct JSONBytesTests {
    private func json(_ text: String) -> String {
        var json = JSONBytes()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("A text of printable ASCII is written as it is", arguments: 0...40)
    func plain(length: Int) {
        let printable = (0x20...0x7E).filter { $0 != 0x22 && $0 != 0x5C }.map { Character(Unicode.Scalar(UInt8($0))) }
        let text = String((0..<length).map { printable[($0 * 7 + length) % printable.count] })
        #expect(json(text) == "\"\(text)\"")
    }

    @Test(
        "A character is escaped wherever it stands",
        arguments: [
            ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\0", "\\u0000"), ("\u{1F}", "\\u001f"),
            ("\u{7F}", "\\u007f"), ("\u{2028}", "\\u2028"), ("é", "é"), ("ÿ", "ÿ"),
        ])
    func escaped(character: String, written: String) {
        for length in 0...24 {
            for place in 0...length {
                let before = String(repeating: "!", count: place)
                let after = String(repeating: "~", count: length - place)
                #expect(json(before + character + after) == "\"" + before + written + after + "\"")
            }
        }
    }
}
