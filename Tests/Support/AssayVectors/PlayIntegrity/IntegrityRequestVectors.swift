import AssayCore
import AssayTesting
import FoundationEssentials

/// Classic tokens that Google signed for another request: of another app, of an earlier time, or of a tester.
extension IntegrityVectorMint {
    var classicRequest: [VectorCase] {
        func package(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("request-package-\(id)", "request-package", .requestPackageName, value)
        }
        let bytes = self.nonce("classic-nonce-of-the-request")
        let text = Base64URL.text(bytes)
        func nonce(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("nonce-\(id)", .reject("nonce"), nonce: text) { $0.payload[.nonce] = value }
        }
        func time(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("time-\(id)", "freshness", .timestampMillis, value)
        }
        return [
            package("another", .text(Self.otherPackageName)), package("missing", nil),
            package("empty", ""), package("in-upper-case", "COM.EXAMPLE.VECTORS"),
            package("longer", "com.example.vectors.debug"), package("shorter", "com.example.vector"),
            package("with-nul", "com.example.vectors\u{0}"), package("with-space", " com.example.vectors"),
            classic(
                "request-package-not-the-expected-one", .reject("request-package"),
                packageName: Self.otherPackageName),
            nonce("of-another-request", .text(Base64URL.text(self.nonce("other")))), nonce("missing", nil),
            nonce("empty", ""), nonce("shorter", .text(Base64URL.text(bytes.dropLast()))),
            nonce("longer", .text(Base64URL.text(bytes + [0]))),
            nonce("encoded-twice", .text(Base64URL.text(Array(text.utf8)))),
            nonce("in-hexadecimal", .text(bytes.hexadecimal)),
            nonce("with-wrong-padding", .text(text + "=")), nonce("with-line-feed", .text(text + "\n")),
            nonce("with-leading-space", .text(" " + text)), nonce("not-base64", "not base64 at all!"),
            nonce("with-both-alphabets", .text("-_+/" + text.dropFirst(4))),
            nonce("in-other-case", .text(text.lowercased())),
            time("a-millisecond-too-old", milliseconds(-300_001)),
            time("a-millisecond-too-early", milliseconds(60_001)),
            time("a-day-old", milliseconds(-86_400_000)),
            time("missing", nil), time("zero", "0"), time("zero-as-number", 0),
            time("greatest-number", "9223372036854775807"),
            time("greatest-number-as-number", .number("9223372036854775807")),
            time("in-seconds", .text(String(Int64(self.time.timeIntervalSince1970)))),
            time("in-microseconds", .text(String(Int64(self.time.timeIntervalSince1970) * 1_000_000))),
            classic("testing-response", "testing-response", .isTestingResponse, true),
        ]
    }
}
