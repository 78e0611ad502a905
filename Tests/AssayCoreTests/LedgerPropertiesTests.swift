import AssayCore
import Testing

/// The texts of the properties of keys, of which the last ones are kept.
@Suite("Properties of keys in ledgers")
struct LedgerPropertiesTests {
    @Test(
        "What is encoded is decoded again, plain or not",
        arguments: [
            [:], ["a": "b"],
            ["appId": "1234567890.com.example.shop", "environment": "production", "osVersion": "27.0"],
            ["": ""], ["a": ""], ["": "a", "b": ":"], ["a": ",", "b": "{}", "c": "[\"]", "d": "\\"],
            ["ä": "ö", "e": "\u{1}\n"],
            ["a": "\"", "b": "x\"y", "c": ":\",\":"], ["a b": "c d", "e": "/"],
        ] as [[String: String]])
    func roundTrip(properties: [String: String]) throws {
        let text = try LedgerProperties.encode(properties)
        for _ in 0..<2 { #expect(LedgerProperties.decode(text) == properties) }
    }

    @Test("Texts that differ in bytes alone, and more of them than are kept, keep their own properties")
    func manyTexts() throws {
        let composed = ["a": "\u{E9}"]
        let decomposed = ["a": "e\u{301}"]
        for _ in 0..<3 {
            for properties in [composed, decomposed] {
                let found = LedgerProperties.decode(try LedgerProperties.encode(properties))
                #expect(found?["a"].map { Array($0.utf8) } == properties["a"].map { Array($0.utf8) })
            }
            for number in 0..<40 {
                #expect(LedgerProperties.decode(#"{"a":"\#(number)"}"#) == ["a": "\(number)"])
            }
        }
        let long = ["a": String(repeating: "b", count: 5000)]
        for _ in 0..<2 { #expect(LedgerProperties.decode(try LedgerProperties.encode(long)) == long) }
    }

    @Test("Spaces between the parts change nothing")
    func spaces() {
        #expect(LedgerProperties.decode(#"{ "a" : "b" , "c":"d" }"#) == ["a": "b", "c": "d"])
        #expect(LedgerProperties.decode(#"{"a":"\u0062"}"#) == ["a": "b"])
    }

    @Test(
        "Texts that no ledger writes are no properties",
        arguments: [
            "", "{", "}", "{}}", "{{}", "null", "[]", #"{"a"}"#, #"{"a":}"#, #"{"a":"b""#, #""a":"b"}"#, #"{"a":"b",}"#,
            #"{,"a":"b"}"#, #"{"a":"b""c":"d"}"#, #"{"a":"b","c"}"#, #"{"a":"b";"c":"d"}"#, #"{"a"="b"}"#, #"{"a":1}"#,
            #"{"a":{"b":"c"}}"#, #"{"a":["b"]}"#, #"{"a":"b","a":"b"}"#, #"{"a":"b","a":"c"}"#, #"{a:"b"}"#,
            #"{'a':'b'}"#,
            #"{"a":"b"}x"#, #"x{"a":"b"}"#, #"{"a":"b"}{}"#, #"{"a"::"b"}"#, #"{"a":"b",,"c":"d"}"#, #"{"a","b"}"#,
            #"{"a":"b":"c":"d"}"#, #"{"a","b","c","d"}"#,
        ])
    func malformed(text: String) {
        #expect(LedgerProperties.decode(text) == nil)
    }
}
