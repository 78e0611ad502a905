import AssayInspection
import Foundation
import Testing

@Suite("Inspection of JSON")
struct JSONFormatTests {
    private func annotate(_ text: String) -> BlobContents { JSONFormat.annotate(Array(text.utf8)) }

    @Test("Values are shown with their ranges")
    func values() {
        let text = #"{"a": [1, -2.5e3, "x\u00e9\n", true, null], "b": {}}"#
        let contents = annotate(text)
        let document = contents.annotations
        #expect(document["document"]?.meaning == "object of 2 members")
        #expect(document["document", "a"]?.children.map(\.value) == ["1", "-2.5e3", "\"xé\n\"", "true", "null"])
        #expect(document["document", "a", "[1]"]?.range == 10..<16)
        #expect(document["document", "b"]?.meaning == "object of 0 members")
        #expect(document.flattened.allSatisfy { $0.violation == nil })
        #expect(JSONFormat.violation(in: Array(text.utf8)) == nil)
        #expect(JSONFormat.recognise(Array(text.utf8))?.certainty == .structure)
        #expect(AnnotationRules.problems(contents, of: Array(text.utf8)) == [])
    }

    @Test(
        "Violations are shown and marked, and the rest is read",
        arguments: [
            (#"{"a": 1, "last": 2,}"#, "a comma with nothing after it at byte 19"),
            (#"{"a": 1 "last": 2}"#, "a comma is missing at byte 8"),
            (#"{"a": 1, "a": 2, "last": 2}"#, "the name comes twice"),
            (#"{a: 1, "last": 2}"#, "the name is no string"), (#"{"a": 01, "last": 2}"#, "no value of JSON"),
            (#"{"a": NaN, "last": 2}"#, "no value of JSON"), (#"{"a": "\x", "last": 2}"#, "an escape that JSON does"),
            (#"{"a": "\ud800", "last": 2}"#, "half of a surrogate pair"),
            ("{\"a\": \"\t\", \"last\": 2}", "a control character"),
            (#"{"a", "last": 2}"#, "expected ':' and a value"), (#"{"last": 2"#, "it does not end"),
            (#"{"last": 2, "a": [1"#, "it does not end"), (#"{"last": 2, "a": "cut"#, "the string does not end"),
            (#"{"last": 2, "a":"#, "expected a value, found the end"),
            (#"{"last": 2, "a"#, "expected ':' and a value, found the end"),
            (#"{"a": [1}, "last": 2}"#, "it does not end before byte 8"),
            (#"{"last": 2} x"#, "bytes follow the document"),
            (#"{,"last": 2}"#, "expected ':' and a value"),
        ])
    func lenient(text: String, violation: String) {
        let bytes = Array(text.utf8)
        let contents = JSONFormat.annotate(bytes)
        #expect(contents.annotations.flattened.contains { $0.violation?.hasPrefix(violation) ?? false })
        #expect(contents.annotations["document", "last"]?.value == "2" || text.contains("[1}"))
        #expect(JSONFormat.recognise(bytes) != nil)
        #expect(JSONFormat.violation(in: bytes) != nil)
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
    }

    @Test("A byte order mark and invalid UTF-8 are read")
    func bytes() {
        let bytes = [0xEF, 0xBB, 0xBF] + Array("{\"a\": \"".utf8) + [0xFF] + Array("\"}".utf8)
        let contents = JSONFormat.annotate(bytes)
        #expect(contents.annotations["document", "a"]?.value == "\"\u{FFFD}\"")
        #expect(contents.annotations["document", "a"]?.violation == "not valid UTF-8")
        #expect(JSONFormat.recognise(bytes) != nil)
    }

    @Test(
        "Values under names for times are shown as times",
        arguments: [
            (#"{"exp": 1776795192}"#, "2026-04-21T18:13:12Z, Tuesday 21 April 2026, 18:13:12 UTC (seconds since 1970)"),
            (
                #"{"timestampMillis": "1776795192153"}"#,
                "2026-04-21T18:13:12.153Z, Tuesday 21 April 2026, 18:13:12 UTC (milliseconds since 1970)"
            ),
            (#"{"receivedAt": "2026-04-21T18:13:12Z"}"#, "Tuesday 21 April 2026, 18:13:12 UTC"),
            (#"{"count": 1776795192}"#, nil), (#"{"exp": 5}"#, nil), (#"{"exp": 1e400}"#, nil),
        ] as [(String, String?)])
    func times(text: String, expected: String?) {
        #expect(annotate(text).annotations[0].children.first?.meaning == expected)
    }

    @Test("Blobs in strings become nested, named by their JSON pointer; words do not")
    func nested() {
        let long = Data((0..<120).map { UInt8($0) }).base64EncodedString()
        let text = """
            {"evidence": {"attestation": "\(long)", "a/b~c": ["\(long)"]}, "verdict": "MEETS_DEVICE_INTEGRITY",
             "name": "deviceRecognitionVerdict", "package": "com.example.internationalization",
             "id": "550e8400-e29b-41d4-a716-446655440000", "number": "12345678901234567890",
             "digest": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "path": "/usr/local/lib/x86_64/9",
             "token": "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.AAAA"}
            """
        let contents = annotate(text)
        #expect(contents.nested.map(\.name) == ["/evidence/attestation", "/evidence/a~1b~0c/0", "/token"])
        #expect(contents.nested.map(\.bytes.count) == [120, 120, 38])
        #expect(contents.annotations["document", "digest"]?.meaning == "base64, 32 bytes")
        #expect(contents.annotations["document", "verdict"]?.meaning == nil)
        #expect(contents.secrets.isEmpty)
    }

    @Test(
        "Secrets are named and never shown",
        arguments: [
            #"{"kty": "oct", "k": "5ecret5ecret5ecret"}"#, #"{"kty": "EC", "x": "AA", "d": "5ecret5ecret"}"#,
            #"{"client_secret": "5ecret"}"#, #"{"privateKey": {"inner": ["5ecret"]}}"#, #"{"decryptionKey": "5ecret"}"#,
            #"{"crv": "P-256", "x": "AA", "d": "5ecret5ecret"}"#, #"{"refresh_token": "5ecret"}"#,
            #"{"mpk": "5ecret"}"#, #"{"private_key": "-----BEGIN PRIVATE KEY-----\n5ecret\n"}"#,
            #"{"pem": "-----BEGIN EC PRIVATE KEY-----\n5ecret\n-----END EC PRIVATE KEY-----"}"#,
        ])
    func secrets(text: String) {
        let contents = annotate(text)
        #expect(!contents.annotations.shown.contains("5ecret"))
        #expect(contents.nested.isEmpty)
        #expect(contents.secrets.count == 1)
    }

    @Test("Depth and number of values are bounded, and the time is linear")
    func bounds() {
        for text in ["[", "{\"a\":", "[[],", "{", ",", "[,", "\"", "{\"\\"] {
            let bytes = Array(String(repeating: text, count: (1 << 20) / text.utf8.count).utf8)
            #expect(AnnotationRules.problems(JSONFormat.annotate(bytes), of: bytes) == [])
        }
        #expect(annotate(String(repeating: "[", count: 1000)).annotations.shown.contains("values nest deeper than 64"))
    }
}
