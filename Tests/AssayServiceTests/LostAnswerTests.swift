import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// What was applied was answered: a phone cannot repeat an assertion whose counter the ledger has.
@Suite("Answers of connections that end", .timeLimit(.minutes(30)))
struct LostAnswerTests {
    private static let script = TestVectors.folder.deletingLastPathComponent()
        .appendingPathComponent("Tests/Support/Peers/lost_answers.py").path

    private struct Report: Decodable {
        let accepted: [String: Int]
        let again: Int
    }

    /// Starts the clients of the script.
    ///
    /// - Parameters:
    ///   - assertions: how many each of them has, after the attestation of its key.
    ///   - delay: the time of the line in each direction, in seconds.
    private static func start(
        _ mode: String, _ service: RunningService, isTLS: Bool, clients: Int, assertions: UInt32, delay: Double
    ) throws -> LineProcess {
        let records = try (0..<clients).map { client in
            let key = AttestedKey(seed: "lost answers", label: "\(client)")
            return "["
                + ([try Evidence.attestation("attestation", key: key)]
                + (try (1...assertions).map { try Evidence.assertion("\($0)", counter: $0, key: key) }))
                .joined(separator: ",") + "]"
        }
        let file = try service.folder.write("records.json", "[" + records.joined(separator: ",") + "]")
        return try LineProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script, mode, "\(service.port)", "\(delay)", file]
                + (isTLS ? [service.folder.path("one.pem")] : []))
    }

    /// Compares the counters of the ledger with the answers that the clients have read.
    private static func compare(_ service: RunningService, _ clients: LineProcess) throws -> Report {
        let line = try clients.readLine()
        #expect(line.contains(#""problems": []"#), "\(line)")
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        let export = try service.assay("ledger", "export", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))")
        var counters: [String: Int] = [:]
        for line in export.output.split(separator: "\n") {
            let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if let key = entry?["identifier"] as? String, let counter = entry?["counter"] as? Int {
                counters[key] = counter
            }
        }
        // The first record is an attestation.
        #expect(counters == report.accepted.mapValues { $0 - 1 }, "applied, and answered")
        return report
    }

    @Test("At a stop under load, what was applied was answered", arguments: [true, false])
    func stop(isTLS: Bool) throws {
        let service = try TLSTests.service(isTLS: isTLS)
        let clients = try Self.start("load", service, isTLS: isTLS, clients: 8, assertions: 150, delay: 0.1)
        #expect(try clients.readLine() == "running")
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        let report = try Self.compare(service, clients)
        #expect(report.accepted.values.allSatisfy { (5...150).contains($0) }, "\(report)")
        #expect(service.entries("requests were cut").isEmpty)
    }

    @Test(
        "Requests that cross the end of an idle connection are not applied, and are accepted when repeated",
        arguments: [true, false])
    func idle(isTLS: Bool) throws {
        let service = try TLSTests.service(["limits.idleTime=1s"], isTLS: isTLS)
        let clients = try Self.start("idle", service, isTLS: isTLS, clients: 8, assertions: 8, delay: 0.25)
        let report = try Self.compare(service, clients)
        #expect(report.accepted.values.allSatisfy { $0 == 9 } && report.again > 0, "\(report)")
    }

    @Test("A client that has ended its side gets its answer", arguments: [true, false])
    func halfClosed(isTLS: Bool) throws {
        let service = try TLSTests.service(isTLS: isTLS)
        let clients = try Self.start("half", service, isTLS: isTLS, clients: 2, assertions: 3, delay: 0.05)
        let report = try Self.compare(service, clients)
        #expect(report.accepted.values.allSatisfy { $0 == 4 } && report.again == 0, "\(report)")
    }

    private static func request(_ record: String, _ fields: String = "") -> String {
        "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)"
            + "Content-Length: \(record.utf8.count)\r\n\r\n\(record)"
    }

    @Test(
        "During a stop the present request gets its answer with `Connection: close`, and those behind it are not judged"
    )
    func drain() throws {
        let service = try RunningService("limits.requests=1")
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        let lock = try LockedLedger(service)
        let connection = try service.connect()
        connection.write(
            try Self.request(Evidence.assertion("first", counter: 1))
                + Self.request(Evidence.assertion("second", counter: 2)))
        let unused = try service.connect()
        try service.waitUntil("busy") { (try? service.send("GET", "/v1/checks", type: nil))?.status == 503 }
        service.signal(SIGTERM)
        try service.waitUntil("stopping") { !service.entries("stopping").isEmpty }
        #expect(unused.readToEnd().isEmpty)
        connection.write(try Self.request(Evidence.assertion("third", counter: 3)))
        lock.end()
        let text = String(decoding: connection.readToEnd(), as: UTF8.self)
        let answer = HTTPAnswer(Array(text.utf8))
        #expect(answer.fields["connection"] == "close", "\(answer)")
        #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(text)")
        #expect(service.wait() == 0)
        let again = try RunningService([], in: service.folder)
        let expected = answer.status == 200 ? ["reject", "accept"] : ["accept", "accept"]
        for (counter, outcome) in zip([1, 2] as [UInt32], expected) {
            let body = try Evidence.assertion("again", counter: counter)
            #expect(try again.send("POST", "/v1/verify", body: body).json["outcome"] as? String == outcome)
        }
    }

    @Test("Nothing behind an answer with `Connection: close` is judged, whichever side asked for the end")
    func lastAnswer() throws {
        let service = try RunningService("limits.body=16KiB")
        let assertion = try Self.request(Evidence.assertion("behind", counter: 1))
        #expect(try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).status == 200)
        let long = "POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n"
        for (first, status) in [
            ("GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n", 200),
            ("GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\nConnection: x, close\r\n\r\n", 200),
            ("GET /v1/checks/challenge-expired HTTP/1.0\r\n\r\n", 200),
            (long + String(repeating: "x", count: 20000), 413),
        ] {
            let connection = try service.connect()
            connection.write(first + assertion)
            let text = String(decoding: connection.readToEnd(), as: UTF8.self)
            let answer = HTTPAnswer(Array(text.utf8))
            #expect(answer.status == status && answer.fields["connection"] == "close", "\(first) \(answer)")
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(text)")
        }
        let body = try Evidence.assertion("behind", counter: 1)
        #expect(try service.send("POST", "/v1/verify", body: body).json["outcome"] as? String == "accept")
    }

    /// Fields of a first request, and whether the connection is kept after it.
    private static let upgrades: [(fields: String, isKept: Bool)] = [
        (
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n",
            true
        ),
        ("Connection: keep-alive\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", true),
        ("connection:upgrade,keep-alive\r\nupgrade: TLS/1.2, h2c\r\n", true),
        ("Proxy-Connection: upgrade\r\nUpgrade: h2c\r\n", true), ("Upgrade: h2c\r\n", true),
        ("Connection: upgrade\r\n", true), ("Connection: upgrade;x\r\nUpgrade: h2c\r\n", false),
        ("Connection: upgrade\r\nUpgrade:\r\n", false), ("Connection: x upgrade\r\nUpgrade: h2c\r\n", false),
    ]

    @Test("The requests behind one that asks for another protocol are answered on the same connection")
    func upgrade() throws {
        let service = try RunningService()
        let plain = #"{"app":"bank","kind":"app-attest.attestation"}"#
        func post(_ fields: String) -> String {
            "POST /v1/challenges HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(plain.utf8.count)\r\n\(fields)\r\n\(plain)"
        }
        func get(_ fields: String) -> String {
            "GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
        }
        for (fields, isKept) in Self.upgrades {
            for (first, status) in [(post(fields), "201"), (get(fields), "200")] {
                // In one piece, and one after the other.
                for isPipelined in [true, false] {
                    let connection = try service.connect()
                    var text = ""
                    if isPipelined {
                        connection.write(first + first + post("Connection: close\r\n"))
                    } else {
                        connection.write(first)
                        text += String(decoding: connection.read() ?? [], as: UTF8.self)
                        connection.write(first)
                        connection.write(post("Connection: close\r\n"))
                    }
                    text += String(decoding: connection.readToEnd(), as: UTF8.self)
                    let found = text.matches(of: /HTTP\/1.1 (\d\d\d)/).map { String($0.1) }
                    #expect(
                        found == (isKept ? [status, status, "201"] : [status]), "\(fields) \(isPipelined): \(text)")
                }
            }
        }
    }
}
