import AssayTestSupport
import Foundation
import Testing

/// Upgrades, CONNECT and trailers: what a client sends after the request that is verified.
extension GatewayTests {
    /// What a client sends through a tunnel: a request with an identity of its own.
    private static let smuggled = Array(
        ("POST /transfer HTTP/1.1\r\nHost: api.example.com\r\nAssay-Outcome: accept\r\nAssay-Account: mallory\r\n"
            + "Content-Length: 0\r\nConnection: close\r\n\r\n").utf8)

    /// How a gateway handles an upgrade.
    private enum Handling {
        /// The request is verified and answered in HTTP/1.1, as if it had asked for nothing.
        case ignored
        case refused
        case either
    }

    // "h2c smuggling" (Bishop Fox, 2020). Java's HttpClient asks for h2c, and Apache's for TLS, with every first request.
    @Test(
        "Nothing that follows an upgrade reaches the upstream: a WebSocket is refused, and others are ignored or refused",
        arguments: Gateway.installed)
    func upgrades(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let get = "GET /mine HTTP/1.1"
        let asks = "Connection: Upgrade, HTTP2-Settings"
        let webSocket = ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        let signed = try ["h2c", "websocket"].map { _ in try setting.signed("GET", "/mine") }
        let cases: [(line: String, fields: [String], handling: Handling)] = [
            (get, [asks, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"] + signed[0], .ignored),
            (get, [asks, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"] + (try setting.token()), .ignored),
            (get, ["Connection: Upgrade", "Upgrade: TLS/1.2"] + (try setting.token()), .ignored),
            (get, ["Connection: Upgrade", "Upgrade: websocket"] + webSocket + signed[1], .refused),
            (get, ["Connection: Upgrade", "Upgrade: WebSocket"] + webSocket + (try setting.token()), .refused),
            (get, [asks, "Upgrade: h2c, websocket"] + webSocket + (try setting.token()), .refused),
            (get, ["Connection: upgrade", "Upgrade: foo"] + (try setting.token()), .either),
            (get, ["Connection: upgrade", "Upgrade: foo", "Upgrade: websocket"] + (try setting.token()), .either),
            (get, ["Upgrade: websocket"] + webSocket + (try setting.token()), .either),
            ("GET /mine HTTP/1.0", ["Connection: upgrade", "Upgrade: foo"] + (try setting.token()), .either),
            (
                "POST /mine HTTP/1.1",
                ["Connection: upgrade", "Upgrade: foo", "Content-Length: 0"] + (try setting.token()), .either
            ),
        ]
        for (line, fields, handling) in cases {
            let comment = Comment(rawValue: "\(gateway), \(line), \(fields[0]), \(fields[1])")
            let status = try tunnel(setting, [line, "Host: api.example.com"] + fields)
            let received = try setting.upstream.settled()
            expectNoTunnel(received, comment)
            #expect(received.count <= 1 && received.allSatisfy { $0.target == "/mine" }, "\(comment): \(received)")
            switch handling {
            case .ignored: #expect(status == 200 && received.count == 1, comment)
            case .refused: #expect(status == 403 && received.isEmpty, "\(comment): \(status) \(received)")
            case .either: #expect(status != 101, comment)
            }
        }
    }

    @Test("No CONNECT reaches the upstream, and nothing that follows it", arguments: Gateway.installed)
    func connect(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        for target in ["api.example.com:80", "/mine"] {
            let status = try tunnel(
                setting, ["CONNECT \(target) HTTP/1.1", "Host: api.example.com"] + setting.token())
            #expect(status >= 400, "\(target): \(status)")
            try expectNothing(setting, Comment(rawValue: "\(gateway), CONNECT \(target)"))
        }
        // RFC 8441: an upgrade of HTTP/2.
        for name in ["websocket", "foo", nil] {
            var fields = [(name: ":method", value: "CONNECT"), (name: ":authority", value: "api.example.com")]
            if let name {
                fields += [(":protocol", name), (":scheme", "http"), (":path", "/mine")]
                fields += [("sec-websocket-version", "13")]
            }
            fields += try tokenFields(setting)
            try frames(
                setting,
                HTTP2Frames.headers(fields, isLast: false) + HTTP2Frames.data(Self.smuggled, isLast: false),
                after: HTTP2Frames.data(Self.smuggled, isLast: false))
            try expectNothing(setting, Comment(rawValue: "\(gateway), CONNECT of HTTP/2 for \(name ?? "no protocol")"))
        }
    }

    @Test(
        "A backend that speaks h2c gets the request that was verified, and nothing else",
        .enabled(if: H2CBackend.isInstalled), arguments: Gateway.installed)
    func realBackend(_ gateway: Gateway) throws {
        let backend = try H2CBackend.start()
        // Without a gateway the backend takes the upgrade.
        #expect(try upgradeToHTTP2(at: backend.port, []))
        #expect(backend.seen == ["HTTP/2 GET /mine account=", "HTTP/2 POST /transfer account=mallory"])
        let setting = try Setting(gateway, backend: backend.port)
        for (fields, account) in [(try setting.token(), ""), (try setting.signed("GET", "/mine"), "alice")] {
            let before = backend.seen.count
            #expect(try !upgradeToHTTP2(at: setting.running.port, fields))
            #expect(backend.seen.dropFirst(before) == ["HTTP/1.1 GET /mine account=\(account)"], "\(backend.seen)")
        }
        #expect(try !upgradeToHTTP2(at: setting.running.port, []))
        #expect(backend.seen.count == 4, "\(backend.seen)")
    }

    // The backend may merge trailers into the fields (RFC 9110 section 6.5.1).
    @Test("No trailer reaches the upstream", arguments: Gateway.installed)
    func trailers(_ gateway: Gateway) throws {
        let setting = try Setting(gateway)
        let trailer = "Assay-Account: mallory"
        for (method, chunks) in [("POST", "2\r\n{}\r\n"), ("POST", ""), ("GET", "")] {
            for announced in [[], ["Trailer: Assay-Account", "TE: trailers"]] {
                let head =
                    ["\(method) /orders HTTP/1.1", "Host: api.example.com", "Connection: close"] + announced
                    + (try setting.token()) + ["Transfer-Encoding: chunked"]
                let answer = try setting.sendRaw(
                    head.joined(separator: "\r\n") + "\r\n\r\n\(chunks)0\r\n\(trailer)\r\n\r\n")
                let received = try setting.upstream.settled()
                expectNoTrailer(received, Comment(rawValue: "\(gateway), \(method), chunks"))
                // HAProxy before 3.2 cannot drop trailers, and refuses bodies without a length.
                let isRefused = gateway == .haproxy && answer.status == 411 && received.isEmpty
                #expect(isRefused || answer.status == 200 && received.count == 1, "\(answer) \(received)")
            }
        }
        guard gateway.speaksHTTP2 else { return }
        for (method, length, body) in [("POST", "2", "{}"), ("POST", nil, "{}"), ("GET", nil, ""), ("POST", "0", "")] {
            var fields = [
                (name: ":method", value: method), (name: ":scheme", value: "http"), (name: ":path", value: "/orders"),
                (name: ":authority", value: "api.example.com"),
            ]
            if let length { fields.append(("content-length", length)) }
            fields += try tokenFields(setting)
            var bytes = HTTP2Frames.headers(fields, isLast: false)
            if !body.isEmpty { bytes += HTTP2Frames.data(Array(body.utf8), isLast: false) }
            bytes += HTTP2Frames.headers([("assay-account", "mallory")], isLast: true)
            try frames(setting, bytes)
            let received = try setting.upstream.settled()
            let comment = Comment(rawValue: "\(gateway), HTTP/2, \(method), length \(length ?? "none")")
            expectNoTrailer(received, comment)
            #expect(
                received.count == 1 || gateway == .haproxy && length == nil && received.isEmpty,
                "\(comment): \(received)")
        }
    }

    // MARK: Parts

    /// Sends the head of a request, and after its answer what a tunnel would carry. Returns the status of the answer.
    private func tunnel(_ setting: Setting, _ head: [String]) throws -> Int {
        let connection = try Connection(port: setting.running.port)
        connection.limitReading(seconds: 120)
        connection.write(head.joined(separator: "\r\n") + "\r\n\r\n")
        let answer = readHead(connection)
        connection.write(bytes: Self.smuggled)
        connection.finish()
        _ = connection.readToEnd()
        return HTTPAnswer(answer).status
    }

    /// Asks for h2c, and after an upgrade sends a request in HTTP/2. Returns whether the server has taken the upgrade.
    private func upgradeToHTTP2(at port: Int, _ fields: [String]) throws -> Bool {
        let connection = try Connection(port: port)
        connection.limitReading(seconds: 120)
        let head = [
            "GET /mine HTTP/1.1", "Host: api.example.com", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQAAP__",
        ]
        connection.write((head + fields).joined(separator: "\r\n") + "\r\n\r\n")
        let answer = readHead(connection)
        guard HTTPAnswer(answer).status == 101 else { return false }
        let request = [
            (name: ":method", value: "POST"), (name: ":scheme", value: "http"), (name: ":path", value: "/transfer"),
            (name: ":authority", value: "api.example.com"), (name: "assay-account", value: "mallory"),
        ]
        connection.write(bytes: HTTP2Frames.preface + HTTP2Frames.headers(request, stream: 3, isLast: true))
        var bytes = Array(answer[(answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? answer.endIndex)...])
        while !HTTP2Frames.answer(bytes, stream: 3), let more = connection.read() { bytes += more }
        return true
    }

    /// Sends frames in HTTP/2, and further ones after the answer.
    private func frames(_ setting: Setting, _ bytes: [UInt8], after: [UInt8] = []) throws {
        let connection = try Connection(port: setting.running.port)
        connection.limitReading(seconds: 120)
        connection.write(bytes: HTTP2Frames.preface + bytes)
        var answer: [UInt8] = []
        while !HTTP2Frames.answer(answer), let more = connection.read() { answer += more }
        connection.write(bytes: after)
    }

    private func readHead(_ connection: Connection) -> [UInt8] {
        var answer: [UInt8] = []
        while answer.firstRange(of: Array("\r\n\r\n".utf8)) == nil, let bytes = connection.read() { answer += bytes }
        return answer
    }

    private func tokenFields(_ setting: Setting) throws -> [(name: String, value: String)] {
        try setting.token().map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (name: parts[0].lowercased(), value: String(parts[1]))
        }
    }

    private func expectNothing(_ setting: Setting, _ comment: Comment) throws {
        let received = try setting.upstream.settled()
        #expect(received.isEmpty, "\(comment.rawValue): \(received)")
    }

    private func expectNoTunnel(_ all: [RecordingUpstream.Received], _ comment: Comment) {
        for received in all {
            #expect(received.line != "TUNNEL" && received.values(like: "Upgrade").isEmpty, "\(comment): \(received)")
            #expect(!"\(received)".contains("mallory"), "\(comment): \(received)")
        }
    }

    private func expectNoTrailer(_ all: [RecordingUpstream.Received], _ comment: Comment) {
        for received in all {
            #expect(received.trailers.isEmpty && !"\(received)".contains("mallory"), "\(comment): \(received)")
        }
    }
}
