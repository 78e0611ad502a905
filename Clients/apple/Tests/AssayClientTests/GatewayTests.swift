import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// nginx with the example of the repository, in front of a backend, asking the real service about each request.
private final class Gateway {
    static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../Examples/gateways/nginx.conf").standardized

    static var program: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin"]).map { $0 + "/nginx" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    static var isWanted: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || AssayService.isWanted && program != nil && FileManager.default.fileExists(atPath: example.path)
    }

    let port: Int
    private let process = Process()

    init(port: Int, service: AssayService) async throws {
        self.port = port
        var text = try String(contentsOf: Self.example, encoding: .utf8)
        for (name, value) in [("8080", service.port), ("8000", port)] {
            text = text.replacing(try Regex("\\b\(name)\\b"), with: "\(value)")
        }
        text = text.replacing("server 127.0.0.1:3000;", with: "server unix:backend.sock;")
        text = text.replacingOccurrences(of: "/v1/authorize/shop", with: "/v1/authorize/shop-gateway")
        // The endpoints of the kit, which a backend would relay; the backend itself; folders of the test.
        let endpoints = [("challenges", "challenges"), ("enrolments", "verify")].map {
            "location = /\($0.0) { auth_request off; proxy_pass http://assay/v1/\($0.1); }"
        }
        text = text.replacingOccurrences(
            of: "        location / {\n", with: endpoints.joined(separator: "\n") + "\n        location / {\n")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }.joined()
        let server =
            "server { listen unix:backend.sock; location / { default_type application/json; return 200 '{}'; } }"
        text = text.replacingOccurrences(of: "http {\n", with: "http {\naccess_log off; \(temporary)\n\(server)\n")
        try text.write(to: service.folder.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
        process.executableURL = URL(
            fileURLWithPath: try #require(Self.program, "nginx is missing: Scripts/install-gateways"))
        process.arguments = ["-e", "stderr", "-p", ".", "-c", "nginx.conf", "-g", "daemon off;"]
        process.currentDirectoryURL = service.folder
        let log = service.folder.appendingPathComponent("nginx.log").path
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        // nginx writes this file once it listens. Another program's answer on the port would prove nothing.
        while !FileManager.default.fileExists(atPath: service.folder.appendingPathComponent("nginx.pid").path) {
            guard process.isRunning else {
                throw EndedEarly(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    private struct EndedEarly: Error { let log: String }

    /// nginx and its service, which knows nginx's port. Another program may take that port first: then another port is tried.
    static func start() async throws -> (AssayService, Gateway) {
        var attempts = 5
        while true {
            let port = try LocalServer.freePort()
            let service = try await AssayService(settings: [
                "authorize.dialect=nginx", "authorize.peers=127.0.0.1",
                "authorize.origins=http://127.0.0.1:\(port)",
            ])
            do { return (service, try await Gateway(port: port, service: service)) } catch let error as EndedEarly {
                attempts -= 1
                if attempts == 0 { throw error }
            }
        }
    }

    deinit { if process.isRunning { process.terminate() } }
}

@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: Gateway.isWanted, "ASSAY_PROGRAM, nginx or the repository is missing"))
struct GatewayTests {
    /// Enrolment and requests over URLSession: what is signed is what nginx and the service see.
    @Test func behindNginx() async throws {
        let (service, gateway) = try await Gateway.start()
        let origin = "http://127.0.0.1:\(gateway.port)"
        let phone = TestPhone()
        var configuration = Configuration(app: "shop-gateway", backend: try #require(URL(string: origin)))
        configuration.installation = { "installation" }
        let attestor = try AppAttestor(
            configuration, platform: EndToEndTests.platform(phone), storage: MemoryStorage())
        for (method, path) in [
            ("POST", "/v1/orders?id=7"), ("GET", ""), ("POST", "/a%20b//c;d?x=%C3%A9&y"), ("DELETE", "/v1#x"),
        ] {
            var request = URLRequest(url: try #require(URL(string: origin + path)))
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data(#"{"amount":42}"#.utf8) }
            #expect(try await attestor.data(for: request).1.statusCode == 200, "\(method) \(path)")
        }
        // The second copy of one signature is refused. nginx shows a page of its own, which is the app's answer.
        let signed = try await attestor.signed(URLRequest(url: try #require(URL(string: origin + "/v1/stock"))))
        let transport = URLSessionTransport()
        #expect(try await transport.send(signed, file: nil, limit: nil).response.statusCode == 200)
        #expect(try await transport.send(signed, file: nil, limit: nil).response.statusCode == 401)
        #expect(phone.attestations == [1])
        // The ledger has lost the key: nginx passes on the remedy as a field.
        try await service.restart(ledger: "sqlite:empty.sqlite")
        #expect(try await attestor.data(for: URLRequest(url: try #require(URL(string: origin)))).1.statusCode == 200)
        #expect(phone.attestations == [1, 1])
        try await service.stop()
        #expect(try await attestor.data(for: URLRequest(url: try #require(URL(string: origin)))).1.statusCode >= 500)
        _ = gateway
    }
}
