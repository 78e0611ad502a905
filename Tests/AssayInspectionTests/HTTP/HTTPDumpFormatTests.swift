import AssayInspection
import Foundation
import Testing

@Suite("Inspection of HTTP dumps")
struct HTTPDumpFormatTests {
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.AAAA"
    private static let blob = Data([0xA1, 0x61, 0x61, 0x58, 0x40] + [UInt8](repeating: 0x37, count: 64))
        .base64EncodedString()

    private static let request = """
        POST /v1/login?device=phone&access_token=opaque0123456789opaque0123 HTTP/1.1
        Host: api.example.org
        Authorization: Bearer \(token)
        X-App-Assertion: \(blob)
        X-Api-Key: 0123456789abcdefghijklmnop
        Cookie: theme=dark0123456789dark0123456; id=\(token)
        Content-Type: application/json
        Content-Length: 8

        {"a": 1}
        """

    private func check(_ text: String) -> BlobContents {
        let bytes = Array(text.utf8)
        let contents = HTTPDumpFormat.annotate(bytes)
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
        return contents
    }

    private func isRequest(_ contents: BlobContents) {
        let request = contents.annotations["request"]?.children ?? []
        #expect(request["request line", "method"]?.value == "POST")
        #expect(request["request line", "target"]?.value == "/v1/login")
        #expect(request["request line", "query", "device"]?.value == "phone")
        #expect(request["Host"]?.value == "api.example.org")
        #expect(
            request["X-App-Assertion"]?.meaning == "base64, 69 bytes"
                || request["X-App-Assertion"]?.meaning == "base64 or base64url, 69 bytes")
        #expect(
            contents.nested.map(\.name).prefix(3) == [
                "Authorization header", "X-App-Assertion header", "cookie id",
            ])
        #expect(contents.nested.first?.bytes == Array(HTTPDumpFormatTests.token.utf8))
        // A value that is no blob is not shown.
        #expect(request["request line", "query", "access_token"]?.value == "opaque... (26 characters)")
        #expect(request["X-Api-Key"]?.value == "012345... (26 characters)")
        #expect(request["Cookie", "theme"]?.value == "dark01... (25 characters)")
        // A dump of the bytes hides the tokens too.
        #expect(contents.secrets.count == 5)
    }

    @Test("A request is split, with LF and with CRLF", arguments: ["\n", "\r\n"])
    func request(lineBreak: String) {
        let text = HTTPDumpFormatTests.request.replacing("\n", with: lineBreak)
        let contents = check(text)
        #expect(HTTPDumpFormat.recognise(Array(text.utf8))?.certainty == .certain)
        isRequest(contents)
        #expect(contents.nested.last?.name == "body of the request")
        #expect(contents.nested.last?.bytes == Array("{\"a\": 1}".utf8))
        #expect(contents.annotations["request", "body"]?.violation == nil)
    }

    @Test("A dump of curl -v is split, and its notes are separated")
    func curl() {
        let headers = HTTPDumpFormatTests.request.split(separator: "\n").dropLast().map { "> \($0)" }
        let text =
            (["* Connected to api.example.org", "* bearer 0123456789"] + headers + [
                ">", "* We are done", "< HTTP/1.1 401 Unauthorized", "< Content-Type: application/json", "<",
                "{\"error\": \"no\"}", "* Connection left intact",
            ]).joined(separator: "\n")
        let contents = check(text)
        #expect(HTTPDumpFormat.recognise(Array(text.utf8))?.certainty == .certain)
        #expect(contents.annotations["request", "Host"]?.value == "api.example.org")
        #expect(contents.annotations["response", "status line"]?.meaning == "client error")
        #expect(contents.nested.last?.bytes == Array("{\"error\": \"no\"}\n".utf8))
        #expect(!contents.annotations.shown.contains("bearer 0123456789"))
        #expect(contents.annotations.shown.contains("Connected to api.example.org"))
    }

    @Test("Chunked bodies are joined as far as possible")
    func chunked() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let whole = check(head + "4;x=y\r\n{\"a\"\r\n4\r\n: 1}\r\n0\r\n\r\n")
        #expect(whole.nested.first?.bytes == Array("{\"a\": 1}".utf8))
        #expect(whole.annotations["response", "body"]?.violation == nil)
        for (body, reason) in [
            ("4\r\n{\"a\"\r\nffffffff\r\n: 1", "a chunk claims 4294967295 bytes"),
            ("4\r\n{\"a\"\r\n", "the last chunk"),
            ("4\r\n{\"a\"\r\nxyz", "no length of a chunk"),
            ("4\r\n{\"a\"\r\n7fffffffffffffff\r\nx", "no length of a chunk"),
        ] {
            let cut = check(head + body)
            #expect(cut.nested.first?.bytes.starts(with: Array("{\"a\"".utf8)) ?? false)
            #expect(cut.annotations["response", "body"]?.violation?.hasPrefix(reason) ?? false)
        }
    }

    @Test("Form fields are decoded, and those with blobs are nested")
    func form() {
        let text =
            "POST / HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\nname=A+B%21&attestation="
            + HTTPDumpFormatTests.blob.replacing("=", with: "%3D") + "&password=0123456789"
        let contents = check(text)
        #expect(contents.annotations["request", "body", "name"]?.value == "A B!")
        #expect(contents.annotations["request", "body", "password"]?.value == "... (10 characters)")
        #expect(contents.nested.map(\.name) == ["field attestation of the form"])
        #expect(contents.nested.first?.bytes.first == 0xA1)
    }

    @Test("Headers alone are recognised by their names; other text is not")
    func headersAlone() {
        let contents = check("Authorization: Bearer 0123456789abcdef0123456789\nX-Foo: bar\n folded")
        #expect(HTTPDumpFormat.recognise(Array("Authorization: x\n".utf8))?.certainty == .structure)
        #expect(contents.annotations["headers", "Authorization"]?.value == "Bearer 012345... (26 characters)")
        #expect(contents.annotations["headers", "X-Foo"]?.value?.hasSuffix("folded") ?? false)
        for text in ["just: text", "{\"a\": 1}", "-----BEGIN CERTIFICATE-----", "", "GET /", "HTTP/1.1 x"] {
            #expect(HTTPDumpFormat.recognise(Array(text.utf8)) == nil)
        }
    }

    @Test("Many messages and lines take linear time")
    func bounds() {
        for text in ["GET / HTTP/1.1\n\n", "> GET / HTTP/1.1\n>\n", "a: b\n", "* x\n", "\n", ":"] {
            _ = check(String(repeating: text, count: (1 << 20) / text.utf8.count))
        }
    }
}
