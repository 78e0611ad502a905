import AssayCore
import Testing

/// Errors name their place, and quote the input without characters that affect a terminal or a log.
@Suite("Errors")
struct ErrorTests {
    @Test("A decoding error inside a larger part is named below it, at the same byte")
    func within() {
        let bare = DecodeError(.truncated, at: 7, "expected 2 bytes")
        #expect(bare.detail == "byte 7: expected 2 bytes")
        let named = bare.within("x5c")
        #expect(named == DecodeError(.truncated, at: 7, field: "x5c", "expected 2 bytes"))
        #expect(named.within("attStmt").detail == "attStmt.x5c, byte 7: expected 2 bytes")
        #expect(named.code == "truncated")
    }

    @Test("A record error has its byte, and its field if there is one")
    func recordErrors() {
        #expect(RecordError(field: "", offset: 3, "no").description == "byte 3: no")
        #expect(RecordError(field: "a.b", offset: 3, "no").description == "byte 3, field a.b: no")
    }

    @Test("A policy error has file, line and field as far as they are known")
    func policyErrors() {
        #expect(PolicyError(file: "p.yaml", line: 4, field: "apps", "no").description == "p.yaml:4: apps: no")
        #expect(PolicyError(file: "p.yaml", field: "", "no").description == "p.yaml: no")
        #expect(PolicyError(field: "apps", "no").description == "apps: no")
    }

    @Test(
        "An excerpt is short, and contains no terminal controls",
        arguments: [
            ("plain ü", "plain ü"), ("a\nb\u{1B}[2J", "a\\nb\\u{1B}[2J"), ("\u{202E}gpj", "\\u{202E}gpj"),
            ("\u{2028}", "\\u{2028}"), (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
            (String(repeating: "x", count: 61), String(repeating: "x", count: 60) + "..."),
        ])
    func excerpts(text: String, excerpt: String) {
        #expect(text.excerpt == excerpt)
    }

    @Test("An excerpt of one character with thousands of scalars is short too")
    func combiningMarks() {
        #expect(("e" + String(repeating: "\u{301}", count: 10_000)).excerpt.unicodeScalars.count == 63)
    }
}
