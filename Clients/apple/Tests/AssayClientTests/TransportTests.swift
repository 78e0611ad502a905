import Foundation
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// URLSession against a server on a loopback address, and what the kit reads out of answers.
struct TransportTests {
    private func get(_ server: LocalServer, limit: Int? = nil, method: String = "GET") async throws -> HTTPAnswer {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/a%2Fb?x=1")))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("body".utf8) }
        return try await URLSessionTransport(timeout: 20).send(request, file: nil, limit: limit)
    }

    /// The path goes over the wire as it was signed, and a redirect is not followed.
    @Test func redirects() async throws {
        let server = try LocalServer { _ in
            Data(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .utf8)
        }
        let answer = try await get(server, method: "POST")
        #expect(answer.response.statusCode == 307)
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.hasPrefix("POST /a%2Fb?x=1 HTTP/1.1") == true)
        #expect(ServerAnswer(answer).isForeign)
    }

    /// A body over the limit ends the reading.
    @Test func longBody() async throws {
        let server = try LocalServer { _ in
            Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + Data(repeating: 0x20, count: 3 << 20)
        }
        await #expect(throws: TransportFailure("too-long", mayHaveBeenSent: true)) {
            try await get(server, limit: 1 << 20)
        }
        #expect(try await get(server).body.count == 3 << 20)
    }

    /// A cut answer may be the answer to an executed request; a refused connection is none.
    @Test func brokenConnections() async throws {
        let cut = try LocalServer { _ in
            Data("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{".utf8)
        }
        let failure = await #expect(throws: TransportFailure.self) { try await get(cut) }
        #expect(failure?.mayHaveBeenSent == true)
        let silent = try LocalServer { _ in Data() }
        let none = await #expect(throws: TransportFailure.self) { try await get(silent) }
        #expect(none?.mayHaveBeenSent == true)
        let refused = try await LocalServer.refusing { port in
            let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
            return await #expect(throws: TransportFailure.self) {
                try await URLSessionTransport().send(request, file: nil, limit: nil)
            }
        }
        #expect(refused?.mayHaveBeenSent == false)
    }

    /// Of several attempts of URLSession the error is the last one's: an earlier one may have been executed.
    @Test(arguments: [NSURLErrorCannotConnectToHost, NSURLErrorNotConnectedToInternet, NSURLErrorCannotFindHost])
    func laterAttempts(_ code: Int) {
        #expect(TransportFailure(urlError: code, wasSent: true).mayHaveBeenSent)
        #expect(!TransportFailure(urlError: code, wasSent: false).mayHaveBeenSent)
        #expect(TransportFailure(urlError: NSURLErrorTimedOut, wasSent: false).mayHaveBeenSent)
    }

    /// A task that is cancelled before it sends ends too.
    @Test func cancelledBefore() async throws {
        let transport = URLSessionTransport()
        let port = try LocalServer.freePort()
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
        for _ in 0..<100 {
            let task = Task { () -> TransportFailure? in
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(TransportFailure) { _ = try await transport.send(request, file: nil, limit: nil) } catch {
                    return error
                }
                return nil
            }
            #expect(await task.value?.code == "cancelled")
        }
    }

    /// The app's configuration is not changed, and no cookie is sent or kept.
    @Test func configuration() async throws {
        let server = try LocalServer { _ in
            Data("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        }
        let own = URLSessionConfiguration.ephemeral
        own.timeoutIntervalForRequest = 77
        let transport = URLSessionTransport(configuration: own, timeout: 20)
        #expect(own.timeoutIntervalForRequest == 77)
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
        for _ in 0..<2 { _ = try await transport.send(request, file: nil, limit: nil) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie:") })
    }

    /// Pins of all hosts make a limited number of sessions. The least recently used one ends, once its tasks have ended.
    @Test func manyHosts() async throws {
        let server = try LocalServer { _ in
            Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let configuration = try ConfigurationSigner().sign(1, pins: ["*": [ConfigurationSigner.pin(Data())]])
        let pinning = try Pinning(
            configuration, backend: try #require(URL(string: EndToEndTests.base)), storage: MemoryStorage())
        let pool = SessionPool(.ephemeral, pinning)
        func collector(_ host: Int) -> AnswerCollector { pool.task(for: "\(host).example.com") { _ in }.1 }
        let (task, used) = pool.task(for: "0.example.com") { $0.dataTask(with: url) }
        let others = (1..<SessionPool.limit).map(collector)
        #expect(collector(0) === used)
        // One host more: the session of host 1 has waited longest.
        _ = collector(SessionPool.limit)
        #expect(collector(0) === used && collector(2) === others[1])
        #expect(collector(1) !== others[0])
        for host in 0..<SessionPool.limit { _ = collector(100 + host) }
        #expect(collector(0) !== used)
        let result = await withCheckedContinuation { continuation in
            used.expect(task.taskIdentifier, limit: nil) { continuation.resume(returning: $0) }
            task.resume()
        }
        #expect(try result.get().response.statusCode == 200)
    }

    /// A huge answer of the kit's own endpoint, a page of a portal, through the whole kit.
    @Test func portal() async throws {
        let server = try LocalServer { _ in
            Data("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>".utf8)
                + Data(repeating: 0x20, count: 2 << 20)
        }
        var configuration = Configuration(
            app: "a", backend: try #require(URL(string: "http://127.0.0.1:\(server.port)")))
        configuration.installation = { "i" }
        let attestor = try AppAttestor(
            configuration, platform: SoftwarePlatform(phone: .init()), storage: MemoryStorage())
        let error = await #expect(throws: AssayClientError.self) { try await attestor.data(for: EndToEndTests.order()) }
        #expect(error?.code == .answer)
        #expect(error?.message.contains("too-long") == true)
    }

    /// Times of HTTP.
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799_000), ("Fri, 27 Nov 2026 02:00:00 GMT", 1_795_744_800_000),
    ])
    func dates(_ text: String, _ milliseconds: Int) { #expect(HTTPDate.milliseconds(text) == milliseconds) }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
    ])
    func badDates(_ text: String) { #expect(HTTPDate.milliseconds(text) == nil) }

    /// Times of JSON, with fractions of any length and with an offset.
    @Test(arguments: [
        "1994-11-06T08:49:37Z", "1994-11-06T08:49:37.123456789Z", "1994-11-06T08:49:37.5Z", "1994-11-06T09:49:37+01:00",
    ])
    func internetDates(_ text: String) { #expect(InternetDate.milliseconds(text) == 784_111_777_000) }

    /// `Retry-After` in both forms; the clock counts from protected answers alone.
    @Test func fields() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let seconds = ServerAnswer(try Relay.answer(503, "{}", ["Retry-After": "17", "Date": date]))
        #expect(seconds.retryAfter == 17)
        #expect(seconds.date == 784_111_777_000)
        let time = ServerAnswer(
            try Relay.answer(503, "{}", ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": date]))
        #expect(time.retryAfter == 60)
        #expect(ServerAnswer(try Relay.answer(503, "{}", ["Retry-After": "soon"])).retryAfter == nil)
        #expect(ServerAnswer(try Relay.answer(503, "{}", ["Retry-After": "-5"])).retryAfter == 0)
        let url = try #require(URL(string: "http://api.example.com/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Date": date]))
        #expect(ServerAnswer(HTTPAnswer(response: response, body: Data())).date == nil)
        #expect(ServerAnswer(try Relay.answer(401, #"{"remedy": "retry", "code": "a b"}"#)).code == nil)
    }
}
