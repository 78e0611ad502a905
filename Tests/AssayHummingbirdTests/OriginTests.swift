import AssayHTTP
import Testing

@Suite("Origins of a server")
struct OriginTests {
    @Test(
        "Invalid origins are refused with a reason",
        arguments: [
            [], ["api.example.com"], ["ftp://api.example.com"], ["https://"], ["https://a/"], ["https://a/b"],
            ["https://u@a"], ["https://a?b"], ["https://a#b"], ["https://a b"], ["https://a:443"], ["http://a:80"],
            ["https://a", "https://a"], ["https://a", "https://A"], ["https://ä"],
        ])
    func refused(_ texts: [String]) {
        #expect(throws: OriginError.self) { try ServerOrigins(texts) }
    }

    @Test(
        "Scheme, host and port are enough",
        arguments: [
            ["https://api.example.com"], ["http://127.0.0.1:8080"], ["https://[::1]:8443"],
            ["https://a", "https://a:8443", "http://b"],
        ])
    func accepted(_ texts: [String]) throws {
        _ = try ServerOrigins(texts)
    }
}
