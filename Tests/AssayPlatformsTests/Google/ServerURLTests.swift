import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Testing

@Suite(.timeLimit(.minutes(20))) struct ServerURLTests {
    @Test(
        "https anywhere and http on this machine are taken",
        arguments: [
            ("https://playintegrity.googleapis.com", "playintegrity.googleapis.com"),
            ("https://playintegrity.googleapis.com/", "playintegrity.googleapis.com"),
            ("https://oauth2.googleapis.com/token", "oauth2.googleapis.com"),
            ("https://proxy.example:8443/google/v2", "proxy.example"), ("http://127.0.0.1:8080", "127.0.0.1"),
            ("http://localhost/x", "localhost"), ("http://[::1]:80", "[::1]"), ("http://[::1]", "[::1]"),
        ])
    func takes(_ text: String, _ host: String) throws {
        let url = try ServerURL(text)
        #expect(url.host == host)
        #expect(url.text == (text.hasSuffix("/") ? String(text.dropLast()) : text))
    }

    @Test(
        "URLs that would expose or redirect a token are refused",
        arguments: [
            "", "playintegrity.googleapis.com", "http://playintegrity.googleapis.com", "HTTPS://example.com",
            "ftp://example.com", "https://", "https:///path", "https://user@example.com", "https://example.com?x=1",
            "https://example.com/#x", "https://example.com:0", "https://example.com:65536", "https://example.com:",
            "https://example.com:+1", "https://exa mple.com", "https://example.com/a b", "https://example.com/%2e",
            "http://localhost.example.com", "http://127.0.0.1@example.com", "http://127.0.0.1.example.com",
            "https://[::2]", "https://example.com\r\nHost: x", "https://ex\u{e4}mple.com",
        ])
    func refuses(_ text: String) {
        #expect(throws: DecodeError.self) { try ServerURL(text) }
    }
}
