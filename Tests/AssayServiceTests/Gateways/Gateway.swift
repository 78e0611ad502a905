import AssayTestSupport
import Foundation
import Testing

/// A gateway with its configuration in `Examples/gateways`.
enum Gateway: String, CaseIterable, CustomTestStringConvertible {
    case nginx, haproxy, caddy, traefik, envoy

    var testDescription: String { rawValue }

    /// The files of the example, the configuration first.
    var files: [String] {
        switch self {
        case .nginx: ["nginx.conf"]
        case .haproxy: ["haproxy.cfg", "assay.lua"]
        case .caddy: ["Caddyfile"]
        case .traefik: ["traefik.yaml", "traefik-routes.yaml"]
        case .envoy: ["envoy.yaml"]
        }
    }

    var arguments: [String] {
        switch self {
        case .nginx: ["-e", "stderr", "-p", ".", "-c", "nginx.conf", "-g", "daemon off;"]
        case .haproxy: ["-f", "haproxy.cfg"]
        case .caddy: ["run", "--config", "Caddyfile"]
        case .traefik: ["--configFile=traefik.yaml"]
        case .envoy: ["-c", "envoy.yaml", "--disable-hot-restart", "--concurrency", "1", "-l", "error"]
        }
    }

    /// Whether the example sends bodies to the service.
    var forwardsBodies: Bool { self == .traefik || self == .envoy }

    /// Whether the example speaks HTTP/2 without TLS.
    var speaksHTTP2: Bool { self != .nginx }

    /// The settings of the service beside the dialect.
    var settings: [String] { forwardsBodies ? ["authorize.bodies=forwarded"] : [] }

    /// The program; nil if it is not installed.
    var executable: String? { Self.executable(rawValue) }

    /// A program that Scripts/install-gateways installs; nil if it is not there.
    static func executable(_ name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let folders =
            [environment["ASSAY_GATEWAYS"] ?? ""] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin"]).filter { !$0.isEmpty }.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The gateways that are installed. In CI all are needed.
    static let installed: [Gateway] =
        ProcessInfo.processInfo.environment["CI"] == "true" ? allCases : allCases.filter { $0.executable != nil }
}

/// A gateway in a process of its own, between clients and a ``RecordingUpstream``.
final class RunningGateway {
    private let gateway: Gateway
    private let process = Process()
    private let folder: TestFolder
    let port: Int

    /// Starts a gateway with the example, in which only ports and the name of the route are others.
    init(_ gateway: Gateway, route: String, service: Int, upstream: Int) throws {
        self.gateway = gateway
        let executable = try #require(
            gateway.executable, "\(gateway) is not installed; Scripts/install-gateways installs it")
        let examples = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Examples/gateways")
        let folder = try TestFolder()
        self.folder = folder
        // nginx as root reads and writes temporary files as another user.
        try #require(chmod(folder.url.path, 0o711) == 0)
        port = try Loopback.freePort()
        for file in gateway.files {
            var text = try String(contentsOf: examples.appendingPathComponent(file), encoding: .utf8)
            for (name, value) in [("8080", service), ("3000", upstream), ("8000", port)] {
                text = text.replacing(try Regex("\\b\(name)\\b"), with: "\(value)")
            }
            text = text.replacingOccurrences(of: "/v1/authorize/shop", with: "/v1/authorize/\(route)")
            // Folders of the test in place of those of the system.
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
            text = text.replacingOccurrences(
                of: "http {\n    # Drop",
                with: "http {\n    access_log off; \(temporary.joined(separator: " "))\n    # Drop")
            try folder.write(file, text)
        }
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = gateway.arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["HOME": folder.url.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        let log = folder.path("gateway.log")
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardOutput = process.standardError
        try process.run()
    }

    deinit {
        guard process.isRunning else { return }
        // The workers of nginx end with it on SIGTERM alone. Envoy inherits a mask that blocks SIGTERM.
        kill(process.processIdentifier, gateway == .nginx ? SIGTERM : SIGKILL)
        try? process.end()
    }

    var isRunning: Bool { process.isRunning }

    /// What the gateway has written.
    var log: String { (try? String(contentsOfFile: folder.path("gateway.log"), encoding: .utf8)) ?? "" }

    /// Starts a gateway, and waits until it answers. Starts another if a program has taken the port meanwhile.
    static func start(_ gateway: Gateway, route: String, service: Int, upstream: Int) throws -> RunningGateway {
        let end = Date(timeIntervalSinceNow: 600)
        var running = try RunningGateway(gateway, route: route, service: service, upstream: upstream)
        while Date() < end {
            if !running.isRunning {
                try #require(running.log.lowercased().contains("in use"), "\(gateway): \(running.log)")
                running = try RunningGateway(gateway, route: route, service: service, upstream: upstream)
            }
            // Refused for want of evidence: the gateway has asked the service.
            if let answer = running.send("GET /ready HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\n\r\n"),
                answer.status == 401 || answer.status == 403
            {
                return running
            }
            usleep(50_000)
        }
        throw GatewayError(description: "\(gateway) does not answer: \(running.log)")
    }

    /// Sends a request, and reads the answer to the end of the connection; nil without a connection.
    func send(_ request: String) -> HTTPAnswer? { send(Array(request.utf8)) }

    /// Sends a request over HTTP/2 without TLS. Returns its status; 0 if the gateway speaks no HTTP/2 there.
    ///
    /// - Parameter body: sent without a length; nil for none.
    func sendHTTP2(_ method: String, _ target: String, _ fields: [String], body: String? = nil) throws -> Int {
        let curl = try ProgramRun(
            "curl",
            [
                "--silent", "--http2-prior-knowledge", "--path-as-is", "--output", "/dev/null", "--write-out",
                "%{http_version} %{http_code}", "--request", method,
            ] + (["Host: api.example.com"] + fields).flatMap { ["--header", $0] }
                // A file of unknown length.
                + (body == nil ? [] : ["--upload-file", "-"]) + ["http://127.0.0.1:\(port)\(target)"],
            input: body ?? "")
        let words = curl.output.split(separator: " ")
        return words.first == "2" ? words.last.flatMap { Int($0) } ?? 0 : 0
    }

    /// Sends the bytes of a request.
    func send(_ request: [UInt8]) -> HTTPAnswer? {
        guard let connection = Connection(ifListening: port) else { return nil }
        connection.limitReading(seconds: 120)
        connection.write(bytes: request)
        return HTTPAnswer(connection.readToEnd())
    }
}

/// A gateway that does not work.
struct GatewayError: Error, CustomStringConvertible {
    let description: String
}
