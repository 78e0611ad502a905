import AssayTesting
import FoundationEssentials

/// Classic tokens that Google signed for another request: another app's, an earlier one, or a tester's.
struct IntegrityRequestVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [mint.file("classic-request.json", packages + nonces + times + testing)]
    }

    private func reject(
        _ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?
    ) -> ClassicCase {
        ClassicCase(id, .reject(check), field, value)
    }

    private var packages: [ClassicCase] {
        func package(_ id: String, _ value: JSONItem?) -> ClassicCase {
            reject("request-package-\(id)", "request-package", .requestPackageName, value)
        }
        return [
            package("another", .text(IntegrityVectorMint.otherPackageName)), package("missing", nil),
            package("empty", ""), package("in-upper-case", "COM.EXAMPLE.VECTORS"),
            package("longer", "com.example.vectors.debug"), package("shorter", "com.example.vector"),
            package("with-nul", "com.example.vectors\u{0}"), package("with-space", " com.example.vectors"),
            ClassicCase(
                "request-package-not-the-expected-one", .reject("request-package"),
                packageName: IntegrityVectorMint.otherPackageName),
        ]
    }

    private var nonces: [ClassicCase] {
        let bytes = mint.nonce("classic-nonce-of-the-request")
        let text = Base64URL.text(bytes)
        func nonce(_ id: String, _ value: JSONItem?) -> ClassicCase {
            ClassicCase("nonce-\(id)", .reject("nonce"), nonce: text) { $0.payload[.nonce] = value }
        }
        return [
            nonce("of-another-request", .text(Base64URL.text(mint.nonce("other")))), nonce("missing", nil),
            nonce("empty", ""), nonce("shorter", .text(Base64URL.text(bytes.dropLast()))),
            nonce("longer", .text(Base64URL.text(bytes + [0]))),
            nonce("encoded-twice", .text(Base64URL.text(Array(text.utf8)))),
            nonce(
                "in-hexadecimal", .text(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())),
            nonce("with-wrong-padding", .text(text + "=")), nonce("with-line-feed", .text(text + "\n")),
            nonce("with-leading-space", .text(" " + text)), nonce("not-base64", "not base64 at all!"),
            nonce("with-both-alphabets", .text("-_+/" + text.dropFirst(4))),
            nonce("in-other-case", .text(text.lowercased())),
        ]
    }

    private var times: [ClassicCase] {
        func time(_ id: String, _ value: JSONItem?) -> ClassicCase {
            reject("time-\(id)", "freshness", .timestampMillis, value)
        }
        return [
            time("a-millisecond-too-old", mint.milliseconds(-300_001)),
            time("a-millisecond-too-early", mint.milliseconds(60_001)),
            time("a-day-old", mint.milliseconds(-86_400_000)),
            time("missing", nil), time("zero", "0"), time("zero-as-number", 0),
            time("greatest-number", "9223372036854775807"),
            time("greatest-number-as-number", .number("9223372036854775807")),
            time("in-seconds", .text(String(Int64(mint.time.timeIntervalSince1970)))),
            time("in-microseconds", .text(String(Int64(mint.time.timeIntervalSince1970) * 1_000_000))),
        ]
    }

    private var testing: [ClassicCase] {
        [reject("testing-response", "testing-response", .isTestingResponse, true)]
    }
}
