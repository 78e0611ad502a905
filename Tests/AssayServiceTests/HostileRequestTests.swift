import AssayTestSupport
import Foundation
import Testing

/// Requests that another server might read in another way, oversize and slow ones.
@Suite("Hostile requests to the service", .timeLimit(.minutes(30)))
struct HostileRequestTests {
    private static let head = "POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\n"

    static let refused: [(name: String, bytes: String)] = [
        ("both lengths", head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("two lengths", head + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde"),
        ("a list of lengths", head + "Content-Length: 4, 4\r\n\r\nabcd"),
        ("a length with a sign", head + "Content-Length: +4\r\n\r\nabcd"),
        ("an unknown coding", head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
        ("a chunk size that is no number", head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n"),
        ("a folded field", head + "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n"),
        ("a space before the colon", head + "Content-Length : 0\r\n\r\n"),
        ("an absolute target", "GET http://localhost/v1/checks HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("no Host", "GET /v1/checks HTTP/1.1\r\n\r\n"),
        ("two Hosts", "GET /v1/checks HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        ("a fragment", "GET /v1/checks#x HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a NUL in a field", head + "X-A: b\u{0}c\r\nContent-Length: 0\r\n\r\n"),
        ("no HTTP", "\u{16}\u{3}\u{1}\u{0}\u{1}\u{0}\r\n\r\n"),
        (
            "a head over the limit",
            "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\nX-A: " + String(repeating: "a", count: 100_000) + "\r\n\r\n"
        ),
        (
            "too many fields",
            "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X-A: b\r\n", count: 300) + "\r\n"
        ),
    ]

    @Test("Requests that can be read in two ways get 400, and nothing behind them is read as a request")
    func smuggled() throws {
        let service = try RunningService()
        for (name, bytes) in Self.refused {
            let connection = try service.connect()
            connection.write(bytes + "GET /v1/checks/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.finish()
            let answer = HTTPAnswer(connection.readToEnd())
            #expect([0, 400, 431].contains(answer.status), "\(name): \(answer)")
            #expect(!answer.description.contains("smuggled"), "\(name): \(answer)")
        }
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
        #expect(!service.logText.contains("smuggled"))
    }

    @Test("A service with few files accepts no more connections than it has files for, and goes on")
    func fewFiles() throws {
        let launcher = """
            import os, resource, sys
            resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let service = try RunningService(["limits.connections=1000", "limits.idleTime=1h"], launcher: launcher)
        #expect(service.entries("fewer connections than configured").count == 1)
        var held = try (0..<250).map { _ in try service.connect() }
        for connection in held { connection.write("POST /v1/verify HTTP/1.1\r\nHost: localhost\r\n") }
        try service.waitUntil("full") { service.openFiles > 140 }
        // The last ones have taken the places of the first ones.
        held[249].write("Content-Length: 2\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}")
        #expect(HTTPAnswer(held[249].readToEnd()).status == 400)
        #expect(HTTPAnswer(held[0].readToEnd()).status == 0)
        #expect(service.openFiles < 300)
        held = []
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 200)
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
    }

    @Test("Chunk extensions and trailers change nothing")
    func chunks() throws {
        let service = try RunningService()
        let connection = try service.connect()
        connection.write(
            Self.head
                + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX-T: 1\r\n\r\n"
        )
        let answer = HTTPAnswer(connection.readToEnd())
        #expect(answer.status == 200 && answer.json["length"] as? Int == 4, "\(answer)")
    }

    @Test("A body over the limit gets 413, with its length declared or not")
    func tooLong() throws {
        let service = try RunningService("limits.body=4KiB", "limits.line=4KiB")
        let long = String(repeating: "x", count: 5000)
        let declared = try service.send("POST", "/v1/inspect", body: long)
        #expect(declared.status == 413 && declared.fields["connection"] == "close", "\(declared)")
        let connection = try service.connect()
        connection.write(Self.head + "Transfer-Encoding: chunked\r\n\r\n1388\r\n\(long)\r\n0\r\n\r\n")
        connection.finish()
        #expect(HTTPAnswer(connection.readToEnd()).status == 413)
        let stream = try service.send("POST", "/v1/verify", type: "application/x-ndjson", body: long)
        #expect(stream.body.contains("line-too-long"), "\(stream)")
    }

    @Test("A body that does not arrive gets 408, a head that does not arrive is cut, and a cut body is an error")
    func slow() throws {
        let service = try RunningService("limits.bodyTime=1s")
        let body = try service.connect()
        body.write(Self.head + "Content-Length: 4\r\n\r\nab")
        let answer = HTTPAnswer(body.readToEnd())
        #expect(answer.status == 408 && answer.json["code"] as? String == "body-too-slow", "\(answer)")
        let impatient = try RunningService("limits.idleTime=1s")
        let head = try impatient.connect()
        head.write("GET /v1/che")
        #expect(HTTPAnswer(head.readToEnd()).status == 0)
        let cut = try service.connect()
        cut.write(Self.head + "Content-Length: 4\r\n\r\nab")
        cut.finish()
        #expect([0, 400].contains(HTTPAnswer(cut.readToEnd()).status))
    }

    @Test("A connection ends whose client takes nothing of its answers, or goes on sending after a refusal")
    func endless() throws {
        let service = try RunningService("limits.idleTime=1s")
        let deaf = try service.connect()
        deaf.limitReceiveBuffer()
        let request = "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n\r\n"
        deaf.write(String(repeating: request, count: 1000))
        // The end stands behind the answers that are not read. What is sent after it is answered with a reset.
        try service.waitUntil("deaf client gone") {
            deaf.write("G")
            return deaf.isEnded
        }

        let chatty = try service.connect()
        chatty.write(
            "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(String(decoding: try #require(chatty.read()), as: UTF8.self).hasPrefix("HTTP/1.1 404"))
        try service.waitUntil("chatty client gone") {
            chatty.write("1\r\na\r\n")
            return chatty.isEnded
        }
        // A refused request without a body leaves the connection usable.
        let plain = try service.connect()
        plain.write("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(String(decoding: try #require(plain.read()), as: UTF8.self).hasPrefix("HTTP/1.1 404"))
        plain.write("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(String(decoding: try #require(plain.read()), as: UTF8.self).hasPrefix("HTTP/1.1 404"))
    }

    @Test("What follows the last request of a connection is not kept, also behind an upgrade and while an answer waits")
    func behindLast() throws {
        let service = try RunningService("limits.idleTime=30s")
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        let before = service.peakMemory
        let lock = try LockedLedger(service)
        let body = try Evidence.assertion("x", counter: 1)
        // A word of `Connection` that the service does not know ends the connection, and NIO's decoder stops at the upgrade.
        let last = "HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade, x_y\r\nUpgrade: h2c\r\n"
        let flood = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        let waiting = try service.connect()
        waiting.write(
            "POST /v1/verify \(last)Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let deaf = try service.connect()
        deaf.limitReceiveBuffer()
        deaf.write(String(repeating: "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 100))
        deaf.write("GET /v1/checks \(last)\r\n")
        for _ in 0..<64 { for connection in [waiting, deaf] { _ = connection.writeIfPossible(flood) } }
        lock.end()
        #expect(HTTPAnswer(waiting.readToEnd()).status == 200)
        #expect(service.peakMemory - before < 40, "\(before) MiB, then \(service.peakMemory)")
        withExtendedLifetime(deaf) {}
    }

    @Test("A head that cannot be read behind a request that waits gets its own answer, in however many parts it comes")
    func garbageBehind() throws {
        let service = try RunningService()
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        let lock = try LockedLedger(service)
        let body = try Evidence.assertion("x", counter: 1)
        let connection = try service.connect()
        connection.write(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" + String(repeating: "\u{1}", count: 10_240))
        usleep(200_000)
        lock.end()
        let answers = String(decoding: connection.readToEnd(), as: UTF8.self)
        #expect(answers.hasPrefix("HTTP/1.1 200") && answers.contains("HTTP/1.1 400"), "\(answers)")
    }

    @Test("A client that takes nothing of a stream's verdicts, or has closed its side, is cut")
    func deafStreams() throws {
        let service = try RunningService("limits.idleTime=1s", "limits.bodyTime=1h")
        let stream = try service.connect()
        stream.limitReceiveBuffer()
        stream.write(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n")
        let record = #"{"id":"\#(String(repeating: "a", count: 200))","kind":"none","evidence":{}}"# + "\n"
        let chunk = Array(
            String(repeating: "\(String(record.utf8.count, radix: 16))\r\n\(record)\r\n", count: 1000).utf8)
        var position = 0
        try service.waitUntil("deaf stream gone") {
            position = (position + stream.writeIfPossible(Array(chunk[position...]))) % chunk.count
            return stream.isEnded
        }
        let before = service.openFiles
        let closed = try service.connect()
        closed.limitReceiveBuffer()
        closed.write(String(repeating: "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 1000))
        closed.finish()
        try service.waitUntil("closed client gone") { service.openFiles <= before }
        #expect(service.isRunning)
    }

    @Test("A client that takes its answers slowly gets all of them, also the last one of a connection")
    func slowReader() throws {
        let service = try RunningService("limits.idleTime=30s")
        let slow = try service.connect()
        slow.limitReceiveBuffer()
        let request = "GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n"
        slow.write(String(repeating: request + "\r\n", count: 4) + request + "Connection: close\r\n\r\n")
        var answer: [UInt8] = []
        while let bytes = slow.read() {
            answer += bytes
            usleep(5_000)
        }
        let heads = String(decoding: answer, as: UTF8.self).components(separatedBy: "HTTP/1.1 200 OK\r\n")
        #expect(heads.count == 6, "\(heads.count)")
        #expect(Set(heads.dropFirst().map { $0.components(separatedBy: "\r\n\r\n").last?.utf8.count }).count == 1)
    }

    @Test(
        "A connection beyond the limit takes the place of an idle one, without TLS and with it",
        arguments: [false, true])
    func idleConnections(isTLS: Bool) throws {
        let service = try TLSTests.service(["limits.connections=8", "limits.idleTime=1h"], isTLS: isTLS)
        let head = "GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\n"
        // More than the limit, and than the system hands over at once. With TLS, they do not even begin the handshake.
        let idle = try (0..<120).map { number in
            let connection = try service.connect()
            if !isTLS { connection.write(number % 2 == 0 ? head + "\r\n" : head) }
            return connection
        }
        if isTLS {
            let status = try service.folder.shell(
                "printf '\(head.replacing("\r\n", with: "\\r\\n"))Connection: close\\r\\n\\r\\n' | openssl s_client -ign_eof "
                    + "-connect 127.0.0.1:\(service.port) 2>/dev/null >answer; grep -q '^HTTP/1.1 200 OK' answer")
            #expect(status == 0)
        } else {
            try Self.waitForAnswer(service, "a place")
        }
        #expect(idle[0].readToEnd().isEmpty || !isTLS)
        #expect(service.entries("connections at their limit").count == 1)
        #expect(service.openFiles < 100)
    }

    @Test("Connections that get a request when they are to leave keep out no others once they are idle")
    func lateRequests() throws {
        let service = try RunningService("limits.connections=16", "limits.idleTime=1h")
        let head = "GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\n"
        for round in 0..<10 {
            let connections = try (0..<30).map { number in
                let connection = try service.connect()
                connection.write(number % 2 == 0 ? head + "\r\n" : head)
                return connection
            }
            // The event loops take the connections in no common order, so that none of these has its place for certain.
            try withExtendedLifetime(connections) { try Self.waitForAnswer(service, "a place in round \(round)") }
        }
    }

    @Test("A connection beyond the limit gets 503 while all others have requests, and takes no place of theirs")
    func busyConnections() throws {
        let service = try RunningService("limits.connections=8", "limits.idleTime=1h", "limits.bodyTime=1h")
        let streams = try (0..<8).map { _ in try service.beginStream() }
        for _ in 0..<3 {
            let refused = try service.send("GET", "/v1/checks/challenge-expired", type: nil)
            #expect(refused.status == 503 && refused.json["code"] as? String == "too-many-connections", "\(refused)")
            #expect(refused.fields["connection"] == "close" && refused.fields["retry-after"] == "5", "\(refused)")
        }
        let problem = service.entries("connections at their limit").first?["assay.problem"] as? String
        #expect(problem?.hasPrefix("the listener has 8 connections, and none is idle") == true, "\(problem ?? "none")")
        for stream in streams {
            stream.write("0\r\n\r\n")
            #expect(String(decoding: stream.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
        }
        #expect(try service.send("GET", "/v1/checks/challenge-expired", type: nil).status == 200)
    }

    @Test("A stream that pauses ends with a problem, but not while a record of it is judged")
    func pausingStream() throws {
        let service = try RunningService("limits.idleTime=1s", "limits.bodyTime=1h")
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        let lock = try LockedLedger(service)
        let stream = try service.connect()
        let line = try Evidence.assertion("x", counter: 1) + "\n"
        stream.write(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
        usleep(2_000_000)
        lock.end()
        let answer = HTTPAnswer(stream.readToEnd())
        let lines = answer.body.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[1].contains("body-too-slow") && lines[1].contains("limits.idleTime"), "\(answer)")
        let isAccepted = lines.first?.contains(#""outcome":"accept""#) ?? false
        let again = try service.send("POST", "/v1/verify", body: Evidence.assertion("x", counter: 1))
        #expect((again.json["outcome"] as? String == "reject") == isAccepted, "\(answer) \(again)")
    }

    @Test("A stream counts as a request until its answer ends, and a line that arrives slowly ends it")
    func slowStream() throws {
        let service = try RunningService("limits.requests=1", "limits.bodyTime=1s")
        let stream = try service.beginStream()
        var answer: [UInt8] = []
        #expect(try service.send("GET", "/v1/checks", type: nil).status == 503)
        try service.waitUntil("body-too-slow") {
            stream.write("1\r\n{\r\n")
            usleep(200_000)
            answer += stream.readIfAny() ?? []
            return String(decoding: answer, as: UTF8.self).contains("body-too-slow")
        }
        try service.waitUntil("free") { (try? service.send("GET", "/v1/checks", type: nil))?.status == 200 }
    }

    @Test("Answers that clients ask for and do not read take little memory: they share their bytes")
    func unreadAnswers() throws {
        let service = try TokenTests.start()
        let before = service.peakMemory
        for path in ["/openapi.json", "/.well-known/jwks.json", "/v1/checks"] {
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n"
            let requests = Array(String(repeating: request + "\r\n", count: 200).utf8)
            let unread = try (0..<60).map { _ in try service.connect() }
            for connection in unread { _ = connection.writeIfPossible(requests) }
            // Another client is answered as often meanwhile.
            let other = try service.connect()
            other.write(String(repeating: request + "\r\n", count: 20) + request + "Connection: close\r\n\r\n")
            #expect(
                String(decoding: other.readToEnd(), as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count == 22)
            withExtendedLifetime(unread) {}
        }
        #expect(service.peakMemory - before < 80, "\(before) MiB, then \(service.peakMemory)")
    }

    @Test(
        "Connections that wait behind a long request, or with a part of one, keep no buffer for it",
        .enabled(if: Sanitizer.isOff, "\(Sanitizer.hint)"))
    func idleBuffers() throws {
        let service = try RunningService()
        let head = "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let request = "\(head)Content-Length: 60000\r\n\r\n" + String(repeating: " ", count: 60000)
        func ask() throws -> Connection {
            let connection = try service.connect()
            connection.write(request)
            #expect(String(decoding: try #require(connection.read()), as: UTF8.self).hasPrefix("HTTP/1.1 400"))
            connection.write("G")
            return connection
        }
        for _ in 0..<50 { _ = try ask() }
        let before = service.peakMemory
        let idle = try (0..<400).map { _ in try ask() }
        // Each kept 38 KiB of NIO's buffers.
        #expect(service.peakMemory - before < 8, "\(before) MiB, then \(service.peakMemory)")
        withExtendedLifetime(idle) {}
    }

    @Test("Requests beyond the limit get 503 with Retry-After, and later ones are served")
    func busy() throws {
        let service = try RunningService("limits.requests=1", "retryAfter=7")
        // Requests whose bodies do not end. One that arrives beside another request may be the refused one.
        var begun: [Connection] = []
        var refused: HTTPAnswer?
        try service.waitUntil("busy") {
            guard let next = try? service.connect() else { return false }
            next.write(Self.head + "Connection: close\r\nContent-Length: 4\r\n\r\nab")
            begun.append(next)
            let answer = try? service.send("GET", "/v1/checks/challenge-expired", type: nil)
            if answer?.status == 503 { refused = answer }
            return refused != nil
        }
        #expect(refused?.fields["retry-after"] == "7" && refused?.json["code"] as? String == "too-many-requests")
        for connection in begun { connection.write("cd") }
        #expect(begun.map { HTTPAnswer($0.readToEnd()).status }.contains(200))
        try Self.waitForAnswer(service, "free")
    }

    private static func waitForAnswer(_ service: RunningService, _ what: String) throws {
        try service.waitUntil(what) {
            (try? service.send("GET", "/v1/checks/challenge-expired", type: nil))?.status == 200
        }
    }
}
