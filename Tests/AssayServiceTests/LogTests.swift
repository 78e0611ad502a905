import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Logs of the service")
struct LogTests {
    private static let obstacles =
        ["a full disk", "an ended reader", "a full pipe", "a full socket"]
        + (getuid() == 0 ? ["a full pipe of another user"] : [])

    @Test(
        "The service goes on when its logs cannot be written, and counts the lost lines",
        arguments: obstacles)
    func lost(_ what: String) throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let (listen, admin) = (folder.path("public.sock"), folder.path("admin.sock"))
        let process = Process()
        process.executableURL = try BuiltProducts.url("assay")
        process.arguments =
            [
                "serve", "--create-ledger", "--policy", folder.path("policy.yaml"), "--ledger",
                "sqlite:\(folder.path("ledger.sqlite"))",
            ]
            + ["listen=unix:\(listen)", "admin=unix:\(admin)", "logLevel=debug"].flatMap { ["--set", $0] }
        process.environment = ["HOME": folder.url.path].merging(Sanitizer.environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        var sockets: [Int32] = [-1, -1]
        defer { for socket in sockets where socket >= 0 { close(socket) } }
        switch what {
        case "a full disk": process.standardError = FileHandle(forWritingAtPath: "/dev/full")
        case "a full socket":
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
            var size: Int32 = 4096
            setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            process.standardError = FileHandle(fileDescriptor: sockets[1])
        default:
            process.standardError = pipe
            if what == "an ended reader" { try pipe.fileHandleForReading.close() }
        }
        // Full after some lines, and no program reads.
        if what.hasPrefix("a full pipe") {
            let descriptor = pipe.fileHandleForWriting.fileDescriptor
            try #require(fcntl(descriptor, 1031, 4096) >= 0, "F_SETPIPE_SZ")
            // Then the service cannot open the pipe again.
            if what.hasSuffix("another user") {
                try #require(fchmod(descriptor, 0) == 0)
                #expect(try folder.shell("chown -R 65534:65534 .") == 0)
                process.arguments =
                    ["--reuid=65534", "--regid=65534", "--clear-groups", process.executableURL?.path ?? ""]
                    + (process.arguments ?? [])
                process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            }
        }
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        /// Nil if no program listens.
        func send(_ method: String, _ path: String, _ body: String = "", to socket: String) -> Int? {
            guard let connection = Connection(ifListeningOn: socket) else { return nil }
            connection.write(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return HTTPAnswer(connection.readToEnd()).status
        }
        let end = Date(timeIntervalSinceNow: 600)
        while send("GET", "/readyz", to: admin) != 200 {
            try #require(process.isRunning && Date() < end, "not ready")
            usleep(20_000)
        }
        for _ in 0..<30 {
            #expect(send("POST", "/v1/verify", "{}", to: listen) == 400)
            #expect(send("GET", "/v1/checks/challenge-expired", to: listen) == 200)
        }
        let metrics = Connection(ifListeningOn: admin)
        metrics?.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let lost = HTTPAnswer(metrics?.readToEnd() ?? []).body.firstMatch(of: /\nassay_log_lines_lost_total (\d+)/)
        #expect(Int(lost?.1 ?? "") ?? 0 >= 20, "\(what) \(lost?.1 ?? "none")")
        process.terminate()
        try process.end()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        withExtendedLifetime(pipe) {}
    }

    @Test(
        "No log has an address of a client; that of a stranger who asks as a gateway is logged as the policy says",
        arguments: ["keep", "hash", "drop"])
    func addresses(_ rule: String) throws {
        let (client, seen) = ("203.0.113.9", "198.51.100.7")
        func prepare(_ folder: TestFolder) throws {
            try GuardedService.writePolicy(to: folder)
            let text = folder.read("policy.yaml")
            try folder.write("policy.yaml", "addresses: \(rule)\n" + text)
        }
        let settings = ["authorize.dialect=nginx", "authorize.origins=\(GuardedService.origin)", "logLevel=trace"]
        let service = try RunningService(settings + ["authorize.peers=127.0.0.1"], isOpen: false, prepare: prepare)
        var claims: [JSONItem.Member] = [
            JSONItem.Member("exp", .integer(Int(Date().timeIntervalSince1970) + 3000)),
            JSONItem.Member("ip", .text(seen)),
        ]
        func token() throws -> String {
            try JWSBlueprint(payload: JSONItem.object(claims).encoded, signer: .hs256(GuardedService.secret)).mint()
        }
        func ask(_ service: RunningService, _ fields: String..., address: String = client) throws -> Int {
            let stated = [
                "X-Original-Method: GET", "X-Original-URI: /orders", "X-Original-Host: api.example.com",
                "X-Real-IP: \(address)",
            ]
            return try service.send("GET", "/v1/authorize/api", type: nil, fields: stated + fields).status
        }
        let good = try token()
        #expect(try ask(service, "Approov-Token: \(good)") == 401, "not bound")
        claims.append(JSONItem.Member("pay", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="))
        #expect(try ask(service, "Approov-Token: \(token())", "Authorization: ") != 503)
        #expect(try ask(service) == 401)
        #expect(try ask(service, "Approov-Token: \(good)", address: client + ":4711") == 400, "an address with a port")
        try service.waitUntil("logged") { service.entries("request").count == 4 }
        #expect(!service.logText.contains(client) && !service.logText.contains(seen), "\(service.logText)")

        let strange = try RunningService(settings + ["authorize.peers=192.0.2.1"], isOpen: false, prepare: prepare)
        #expect(try ask(strange) == 403)
        try strange.waitUntil("logged") { strange.entries("request").count == 1 }
        let problem = try #require(strange.entries("request")[0]["assay.problem"] as? String)
        #expect(problem.contains("127.0.0.1") == (rule == "keep"), "\(problem)")
        #expect(problem.contains("hmac-sha256:") == (rule == "hash"), "\(problem)")
    }
}
