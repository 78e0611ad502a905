import Foundation
import Testing

/// Plain requests are read by the service itself, all others by NIO's decoder: both must read the same bytes alike.
@Suite("Requests that two readers read", .timeLimit(.minutes(30)))
struct PlainRequestTests {
    /// A request that is not plain, so that NIO's decoder reads what follows it on its connection.
    private static let other = "HEAD /v1/checks/counter-not-increasing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let path = "/v1/checks/challenge-expired"

    private static func get(_ target: String = path, _ fields: String...) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static func post(_ fields: String..., body: String = "{}") -> String {
        "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + fields.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    /// Whole heads and bodies, plain ones and others.
    private static var requests: [String] {
        var all: [String] = [
            get(), get() + get(), get() + get() + "GET", get() + "\r\n\r\n" + get(), get("/"), get("/v1/nothing"),
        ]
        all += [
            "/v1/checks?a=b&c=d/?e", "/v1/%63hecks", "//v1/checks", "/v1/checks/../checks", "*", "v1/checks", "",
            "http://localhost/v1/checks", "/v1/checks#x", "/v1/checks?#x", "/é", "/v1/checks/a b",
            "/v1/checks/\u{7F}", "/v1/checks/\u{1}",
        ].map { get($0) }
        all += ["\r\n", " ", "\n"].map { $0 + get() }
        all += "\"<>\\^`{|}[]".map { get("/v1/checks/\($0)") }
        for method in ["get", "PUT", "HEAD", "GETT", "GET\t", "CONNECT", "PRI", "G@T", ""] {
            all.append(get().replacing("GET", with: method))
        }
        let versions = ["HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", " HTTP/1.1", "HTTP/11"]
        for version in versions {
            all.append(get().replacing("HTTP/1.1", with: version))
        }
        let hosts = ["Host: a\r\nHost: b", "Host: a b", "Host: u@a", "Host: a:80", "Host:", "X-A: b", "host:localhost"]
        for host in hosts {
            all.append(get().replacing("Host: localhost", with: host))
        }
        for field in fields { all += [get(path, field), get(path, field) + get()] }
        for field in lengths { all += [post(field), post(field) + get()] }
        for field in ["Content-Length: 3", "Content-Length: 40"] { all.append(post(field) + get()) }
        all.append(post("Transfer-Encoding: chunked", body: "2\r\n{}\r\n0\r\n\r\n") + get())
        for count in [20_000, 100_000] { all.append(get(path, "X-A: " + String(repeating: "b", count: count))) }
        for count in [198, 199] { all.append(get(path, String(repeating: "X-A: b\r\n", count: count) + "X-A: b")) }
        // Heads longer than the first read of a connection, and heads that are cut.
        let long = get(path, "X-A: " + String(repeating: "b", count: 3000))
        all += [long, long + get(path, "X-B: " + String(repeating: "c", count: 5000)) + get()]
        all += [1, 3, 20, 40, 50, 53, 60].map { String(get().prefix($0)) } + [get() + "GET /v1"]
        all += ["GE", "POS", "GET /x", "GET /x HTTP", "GET /x HTTP/1.1", "GET /x HTTP/1.1\r\nHos"]
        return all
    }

    private static let fields = [
        "X-A:b", "X-A:  b", "X-A:\tb", "X-A: b ", "X-A: b\tc", "X-A: b\t", "X-A: ", "X-A:", "X-A", "X-A : b", ": b",
        "X A: b", " X-A: b", "X-A: b\r\n c", "X-A: é", "É: b", "X-A: b\u{0}c", "X-A: b\rc", "X-A: b\nX-C: d",
        "X-(: b", "X-A: b\r", "x_a.~!#$%&'*+-^`|: b", "Connection: keep-alive", "Connection: Keep-Alive",
        "Connection: close", "Connection: keep-alive, close", "Connection: upgrade", "Connection: x",
        "Proxy-Connection: close", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c", "Upgrade: websocket",
        "Expect: 100-continue", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "Transfer-Encoding: chunked",
    ]

    private static let lengths = [
        "Content-Length: 2", "Content-Length:2", "content-length: 2", "Content-Length: 02", "Content-Length: +2",
        "Content-Length: -2", "Content-Length: 2 ", "Content-Length: 2, 2", "Content-Length: 0x2", "Content-Length: ",
        "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 0",
        "Content-Length: 18446744073709551618", "X-A: b", "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: identity\r\nContent-Length: 2", "Content-Length: 1",
        "Content-Length: 2\r\nConnection: close", "Content-Length: 2\r\nUpgrade: h2c",
    ]

    @Test("A request that arrives first on its connection is answered as one behind another one")
    func sameAnswers() throws {
        let service = try RunningService()
        for request in Self.requests {
            let first = try service.connect()
            first.write(request)
            first.finish()
            let second = try service.connect()
            second.write(Self.other)
            let head = try #require(second.read())
            #expect(String(decoding: head, as: UTF8.self).hasSuffix("\r\n\r\n"))
            second.write(request)
            second.finish()
            let answers = (Self.comparable(first.readToEnd()), Self.comparable(second.readToEnd()))
            #expect(answers.0 == answers.1, "\(request.prefix(500).debugDescription)")
        }
    }

    @Test("A request is answered alike however its bytes arrive", arguments: [1, 7, 40, 100])
    func parts(length: Int) throws {
        let service = try RunningService()
        let request =
            Self.post("Content-Length: 2", "X-A: b") + Self.get() + Self.post("Content-Length: 2") + Self.get("/")
        let whole = try service.connect()
        whole.write(request)
        whole.finish()
        let expected = Self.comparable(whole.readToEnd())
        #expect(expected.components(separatedBy: "HTTP/1.1 ").count == 5, "\(expected)")
        let parted = try service.connect()
        for start in stride(from: 0, to: request.utf8.count, by: length) {
            parted.write(bytes: Array(request.utf8.dropFirst(start).prefix(length)))
            usleep(500)
        }
        parted.finish()
        #expect(Self.comparable(parted.readToEnd()) == expected)
    }

    @Test(
        "A head that no reader accepts is refused at once, not waited for",
        arguments: ["Host: a\r\nX-A\r\n\r\n", "\n", "Host: a\r\n x", "Host: a\r\n\u{0}", "Host: a\r\nX-\u{E9}"])
    func waitedFor(rest: String) throws {
        let service = try RunningService("limits.idleTime=1h")
        for before in ["", Self.get()] {
            let connection = try service.connect()
            connection.write(before + "GET / HTTP/1.1\r\n" + rest)
            let answers = Self.comparable(connection.readToEnd())
            #expect(answers.contains("HTTP/1.1 400 Bad Request"), "\(rest.debugDescription) \(answers)")
        }
    }

    @Test("A long body behind a plain head arrives whole, and what follows it is the next request")
    func longBody() throws {
        let service = try RunningService()
        let record = #"{"id":"\#(String(repeating: "a", count: 200_000))","kind":"none","evidence":{}}"#
        let connection = try service.connect()
        connection.write(Self.post("Content-Length: \(record.utf8.count)", body: record))
        connection.write(Self.get())
        connection.finish()
        let answers = Self.comparable(connection.readToEnd())
        #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 3, "\(answers.prefix(2000))")
        #expect(answers.contains("HTTP/1.1 200 OK") && !answers.contains("body-length-differs"))
    }

    /// An answer without what differs between any two.
    private static func comparable(_ answer: [UInt8]) -> String {
        String(decoding: answer, as: UTF8.self).components(separatedBy: "\r\n")
            .filter { !$0.hasPrefix("Date: ") && !$0.hasPrefix("X-Request-ID: ") }.joined(separator: "\r\n")
    }
}
