import AssayCore
import AssayInspection
import Testing

@Suite("Captured requests")
struct CapturedRequestTests {
    private static let head = "POST /v1?a=1 HTTP/1.1\r\nHost: api.example.com\r\n"

    private static func read(_ text: String) throws(DecodeError) -> CapturedRequest {
        try CapturedRequest(Array(text.utf8))
    }

    @Test("Request line, fields and body are read unchanged, with CRLF or LF")
    func request() throws {
        for text in ["\(Self.head)X-A:  b c \t\r\nContent-Length: 3\r\n\r\na\r\n"] {
            let crlf = try Self.read(text)
            #expect(crlf.method == "POST" && crlf.target == "/v1?a=1" && crlf.body == Array("a\r\n".utf8))
            #expect(
                crlf.fields == [
                    SignedRequest.Field("Host", "api.example.com"), SignedRequest.Field("X-A", "b c"),
                    SignedRequest.Field("Content-Length", "3"),
                ])
            #expect(crlf.targetURI == nil && crlf.likelyTargetURI == "https://api.example.com/v1?a=1")
        }
        let lf = try Self.read("GET https://a.example/x\nX-A:\n\n")
        #expect(lf.targetURI == "https://a.example/x" && lf.fields == [SignedRequest.Field("X-A", "")])
        #expect(try Self.read("POST https://a.example/x\n\nbody").body == Array("body".utf8))
        #expect(try Self.read("GET /a://b HTTP/1.1\nHost: a\n\n").targetURI == nil)
        #expect(try Self.read("POST /x HTTP/2\n\nbody").likelyTargetURI == nil)
        #expect(try Self.read("OPTIONS * HTTP/1.1\nHost: a\n\n").likelyTargetURI == nil)
    }

    @Test(
        "Ambiguous requests are refused with the byte offset",
        arguments: [
            ("", DecodeError.Code.truncated, 0), ("POST / HTTP/1.1", .truncated, 15),
            ("POST  / HTTP/1.1\n\n", .malformed, 0), ("POST / HTTP/1.1 \n\n", .malformed, 0),
            ("PO(T / HTTP/1.1\n\n", .malformed, 0), ("POST /é HTTP/1.1\n\n", .malformed, 6),
            ("POST / HTTP/0.9\n\n", .unexpectedValue, 7), ("\u{FEFF}POST / HTTP/1.1\n\n", .unexpected, 0),
            ("POST / HTTP/1.1\nA: b\n", .truncated, 21), ("POST / HTTP/1.1\nA: b\n c\n\n", .unexpected, 21),
            ("POST / HTTP/1.1\nA : b\n\n", .malformed, 16), ("POST / HTTP/1.1\n: b\n\n", .malformed, 16),
            ("POST / HTTP/1.1\nA\n\n", .malformed, 16), ("POST / HTTP/1.1\n:method: b\n\n", .malformed, 16),
            ("POST / HTTP/1.1\nA: b\rC: d\n\n", .unexpected, 20), ("POST / HTTP/1.1\nA: b\u{0}\n\n", .unexpected, 20),
            ("POST / HTTP/1.1\nHost: a\nhost: a\n\n", .duplicateKey, 24),
            ("POST / HTTP/1.1\nContent-Length: 1\nContent-Length: 1\n\na", .duplicateKey, 34),
            ("POST / HTTP/1.1\nContent-Length: 1, 1\n\na", .malformed, 32),
            ("POST / HTTP/1.1\nContent-Length: +1\n\na", .malformed, 32),
            ("POST / HTTP/1.1\nContent-Length: 2\n\na", .truncated, 36),
            ("POST / HTTP/1.1\nContent-Length: 1\n\na\n", .trailingBytes, 36),
            ("POST / HTTP/1.1\nContent-Length: 99999999999999999999\n\na", .malformed, 32),
            ("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n1\r\na\r\n0\r\n\r\n", .unexpected, 16),
            ("POST / HTTP/1.1\nA: b\n\na", .unexpected, 22),
        ])
    func refused(text: String, reason: DecodeError.Code, offset: Int) {
        let error = #expect(throws: DecodeError.self) { try Self.read(text) }
        #expect(error?.reason == reason && error?.offset == offset, "\(error.map { "\($0)" } ?? "")")
    }

    @Test("A value that is no UTF-8 is refused")
    func text() {
        let bytes = Array("GET / HTTP/1.1\nA: ".utf8) + [0xFF, 0x0A, 0x0A]
        let error = #expect(throws: DecodeError.self) { try CapturedRequest(bytes) }
        #expect(error?.reason == .invalidText && error?.offset == 18)
    }
}
