import AssayTestSupport
import AssayTesting
import Foundation
import Synchronization
import Testing

/// Changed bytes, generated requests, and kills under load. `make soak-service` runs them for longer: by the variables
/// ASSAY_SERVICE_SECONDS, ASSAY_SERVICE_EXAMPLES, ASSAY_SERVICE_CONNECTIONS and ASSAY_SERVICE_SEED.
@Suite("The service under stress", .serialized)
struct SoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How long each test goes on after its fixed number of rounds.
    private static let seconds = environment["ASSAY_SERVICE_SECONDS"].flatMap { Double($0) } ?? 0
    private static let seed = environment["ASSAY_SERVICE_SEED"].flatMap { UInt64($0) } ?? 20_261_124

    /// SplitMix64, so that a seed names a run.
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// Texts at which parsers of HTTP and JSON differ.
    private static let tokens =
        [
            "\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", ";", ",", "\"", "\\", "{", "}", "[", "%00", "%2F",
            "..", "//", "?", "#",
            "Content-Length: 5\r\n", "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\n", "Connection: upgrade\r\nUpgrade: websocket\r\n", "Host: b\r\n", "0\r\n\r\n",
            "ffffffffffffffff\r\n",
            "HTTP/1.0", "HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{FEFF}", "1e999", "-1", "null", "\u{FFFD}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]]

    private static func request(_ line: String, _ type: String, _ body: String) -> [UInt8] {
        Array(
            "\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
    }

    private static func seeds() throws -> [[UInt8]] {
        let record = try Evidence.attestation("a")
        let stream = "\(record)\n{}\n\(try Evidence.assertion("b", counter: 1))\n"
        return [
            request("POST /v1/verify", "application/json", record),
            request("POST /v1/verify", "application/x-ndjson", stream),
            request("POST /v1/challenges", "application/json", #"{"app":"bank","kind":"app-attest.attestation"}"#),
            request("POST /v1/inspect", "application/octet-stream", record),
            request("GET /v1/checks", "text/plain", ""),
            request("GET /v1/checks/challenge-expired?a=b", "text/plain", ""),
            request("GET /openapi.json", "text/plain", ""),
            Array(
                "POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX-T: 1\r\n\r\n"
                    .utf8),
        ]
    }

    private static func mutated(_ seeds: [[UInt8]], _ random: inout Random) -> [UInt8] {
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            // Heads are short and bodies long: half of the changes are in the head.
            let limit = Bool.random(using: &random) ? min(bytes.count, 120) : bytes.count
            let place = Int.random(in: 0..<limit, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.removeSubrange(place...)
            case 5: bytes += seeds[Int.random(in: 0..<seeds.count, using: &random)]
            case 6:
                bytes.insert(
                    contentsOf: [UInt8](repeating: bytes[place], count: Int.random(in: 1...70_000, using: &random)),
                    at: place)
            default: bytes.insert(contentsOf: tokens[Int.random(in: 0..<tokens.count, using: &random)], at: place)
            }
        }
        return bytes
    }

    @Test(
        "No change of a request ends, hangs or confuses the service: it answers below 500, and a good request after it")
    func fuzzing() throws {
        let service = try RunningService("logLevel=notice", "limits.idleTime=2s", "limits.bodyTime=2s")
        let seeds = try Self.seeds()
        var random = Random(state: Self.seed)
        let end = Date(timeIntervalSinceNow: Self.seconds)
        var count = 0
        var statuses: [Int: Int] = [:]
        while count < 1000 || Date() < end {
            let bytes = Self.mutated(seeds, &random)
            let connection = try service.connect()
            // A hang is no answer and no end for five minutes.
            connection.limitReading(seconds: 300)
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 1...max(1, bytes.count), using: &random))
                connection.write(bytes: Array(part))
                rest = rest.dropFirst(part.count)
            }
            connection.finish()
            let answer = connection.readToEnd()
            let label =
                "seed \(Self.seed), request \(count): \(String(reflecting: String(decoding: bytes.prefix(3000), as: UTF8.self)))"
            try #require(!connection.isTimedOut, "the service hangs: \(label)")
            let text = String(decoding: answer, as: UTF8.self)
            for line in text.components(separatedBy: "HTTP/1.1 ").dropFirst() {
                let status = Int(line.prefix(3)) ?? 0
                statuses[status, default: 0] += 1
                #expect(status < 500, "\(label) \(text.prefix(2000))")
            }
            count += 1
            if count % 50 == 0 {
                #expect(try service.send("GET", "/v1/checks/challenge-expired", type: nil).status == 200, "\(label)")
            }
            try #require(service.isRunning, "the service ended: \(label)")
        }
        #expect(Set(statuses.keys).isSuperset(of: [200, 400, 404]), "\(statuses)")
        print(
            "service: \(count) changed requests with seed \(Self.seed), answers \(statuses.sorted { $0.key < $1.key })")
        service.signal(SIGTERM)
        #expect(service.wait() == 0)
    }

    @Test(
        "A service with no room for more requests refuses each connection with a whole answer, and keeps nothing of them"
    )
    func refused() throws {
        let count = Self.environment["ASSAY_SERVICE_CONNECTIONS"].flatMap { Int($0) } ?? 2000
        let service = try RunningService(
            "logLevel=notice", "limits.requests=4", "limits.bodyTime=1h", "limits.idleTime=1h", "retryAfter=7")
        let check = "GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        // Requests whose bodies do not end take all places.
        var held: [Connection] = []
        try service.waitUntil("busy") {
            guard let next = try? service.connect() else { return false }
            next.write("POST /v1/inspect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab")
            held.append(next)
            return (try? service.send("GET", "/v1/checks", type: nil))?.status == 503
        }
        let files = service.openFiles
        var (done, memory) = (0, 0)
        while done < count {
            let wave = try (0..<min(100, count - done)).map { _ in try service.connect() }
            for connection in wave { connection.write(check) }
            for connection in wave {
                let answer = HTTPAnswer(connection.readToEnd())
                let isWhole = answer.body.utf8.count == answer.fields["content-length"].flatMap { Int($0) }
                try #require(
                    answer.status == 503 && answer["retry-after"] == "7" && isWhole
                        && answer.json["code"] as? String == "too-many-requests", "connection \(done): \(answer)")
            }
            done += wave.count
            if done * 10 <= count { memory = service.peakMemory }
        }
        #expect(service.peakMemory <= memory + 32, "\(memory) MiB after a tenth, \(service.peakMemory) MiB after all")
        // The ledger may have opened files of its own meanwhile.
        try service.waitUntil("closed") { service.openFiles <= files + 8 }
        print("service: \(count) connections refused, \(service.peakMemory) MiB")
        for connection in held { connection.write("cd") }
        try service.waitUntil("free") { (try? service.send("GET", "/v1/checks", type: nil))?.status == 200 }
    }

    /// What a client knows of its key: the greatest counter that was accepted, and the greatest that it has sent.
    struct ClientLog: Sendable {
        var accepted: UInt32 = 0
        var sent: UInt32 = 0
        var wrong: [String] = []
    }

    @Test("Killed at random under load, the ledger has every acceptance that a client has seen, and accepts none twice")
    func kills() throws {
        var random = Random(state: Self.seed)
        let keys = (0..<4).map { AttestedKey(seed: "kill", label: "client \($0)") }
        let folder = try TestFolder()
        let end = Date(timeIntervalSinceNow: Self.seconds)
        let logs = Mutex([ClientLog](repeating: ClientLog(), count: keys.count))
        var round = 0
        while round < 4 || Date() < end {
            let service = try RunningService(["logLevel=notice"], in: folder)
            for (index, key) in keys.enumerated() {
                if round == 0 {
                    let answer = try service.send("POST", "/v1/verify", body: Evidence.attestation("a", key: key))
                    #expect(answer.json["outcome"] as? String == "accept", "\(answer)")
                }
                try compare(logs.withLock { $0[index] }, key, service)
            }
            // Minted before, so that the clients only send.
            let lines = try keys.enumerated().map { index, key in
                let sent = logs.withLock { $0[index].sent }
                return try (1...200).map { (sent + $0, try Evidence.assertion("x", counter: sent + $0, key: key)) }
            }
            let answers = Mutex(0)
            let running = Mutex(keys.count)
            let port = service.port
            for index in keys.indices {
                let requests = lines[index]
                Thread {
                    defer { running.withLock { $0 -= 1 } }
                    for (counter, line) in requests {
                        logs.withLock { $0[index].sent = counter }
                        guard let answer = Self.verify(line, port: port) else { return }
                        logs.withLock { logs in
                            if answer.json["outcome"] as? String == "accept" {
                                logs[index].accepted = counter
                            } else {
                                logs[index].wrong.append("\(counter): \(answer)")
                            }
                        }
                        answers.withLock { $0 += 1 }
                    }
                }.start()
            }
            let enough = Int.random(in: 1...300, using: &random)
            try service.waitUntil("busy") { answers.withLock { $0 } >= enough || running.withLock { $0 } == 0 }
            service.signal(SIGKILL)
            _ = service.wait()
            try service.waitUntil("over") { running.withLock { $0 } == 0 }
            let wrong = logs.withLock { $0.flatMap(\.wrong) }
            #expect(wrong.isEmpty, "round \(round): \(wrong)")
            round += 1
        }
        let service = try RunningService(["logLevel=notice"], in: folder)
        for (index, key) in keys.enumerated() { try compare(logs.withLock { $0[index] }, key, service) }
        print("service: \(round) kills with seed \(Self.seed), counters \(logs.withLock { $0.map(\.accepted) })")
    }

    /// Compares what a client has seen with the ledger.
    private func compare(_ log: ClientLog, _ key: AttestedKey, _ service: RunningService) throws {
        let name = Data(key.keyID).base64EncodedString().replacing("+", with: "%2B").replacing("/", with: "%2F")
        let answer = try service.send(
            "GET", "/v1/admin/subjects?key=\(name)", type: nil, unix: service.folder.path("admin.sock"))
        let entry = try #require((answer.json["keys"] as? [[String: Any]])?.first, "\(answer)")
        let counter = try #require(entry["counter"] as? Int)
        #expect((Int(log.accepted)...Int(log.sent)).contains(counter), "\(log), and the ledger has \(counter)")
        guard counter > 0 else { return }
        let replay = try service.send(
            "POST", "/v1/verify", body: Evidence.assertion("x", counter: UInt32(counter), key: key))
        #expect(replay.json["failed"] as? [String] == ["app-attest.assertion.counter"], "\(replay)")
    }

    /// Sends a record; nil without a whole answer.
    private static func verify(_ line: String, port: Int) -> HTTPAnswer? {
        guard let connection = Connection(ifListening: port) else { return nil }
        connection.write(bytes: request("POST /v1/verify", "application/json", line))
        let answer = HTTPAnswer(connection.readToEnd())
        return answer.status == 200 && answer.json["outcome"] != nil ? answer : nil
    }

    @Test(
        "Requests generated from the OpenAPI documents get declared answers below 500",
        .enabled(if: !(environment["ASSAY_PEERS"] ?? "").isEmpty), arguments: [false, true])
    func generated(isAdmin: Bool) throws {
        let python = try #require(Self.environment["ASSAY_PEERS"])
        let administered = try AdministrationTests.Administered("masterKey=file:master.b64", "logLevel=notice") {
            try $0.write("master.b64", Data((0..<32).map { UInt8($0) }).base64EncodedString())
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: $0.path("master.b64"))
        }
        let service = administered.service
        let port = isAdmin ? administered.port : service.port
        let token = administered.tokens["admin"] ?? ""
        let document = try service.send("GET", "/openapi.json", type: nil, port: port)
        try service.folder.write("openapi.json", document.body)
        let examples = Self.environment["ASSAY_SERVICE_EXAMPLES"].flatMap { Int($0) } ?? 20
        let status = try service.folder.shell(
            "'\(python)' -m schemathesis.cli run openapi.json --url http://127.0.0.1:\(port) --seed \(Self.seed) "
                + "--max-examples \(examples) --phases examples,coverage,fuzzing --continue-on-failure "
                + "--checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance "
                + "--suppress-health-check all -H 'Authorization: Bearer \(token)' >schemathesis.log 2>&1",
            within: TooSlow.limit + .seconds(2 * examples))
        let log = try String(contentsOfFile: service.folder.path("schemathesis.log"), encoding: .utf8)
        #expect(status == 0, "\(log.replacing(token, with: "TOKEN").suffix(8000))")
        #expect(service.isRunning)
        #expect(try administered.send("GET", "/livez", as: "admin").status == 200)
    }
}
