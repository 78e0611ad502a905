import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `assay serve --open` in a process of its own. `ASSAY_PROGRAM` is the path of the program.
final class AssayService: @unchecked Sendable {
    static let program = ProcessInfo.processInfo.environment["ASSAY_PROGRAM"]
    /// With CI=true a missing program is a failure.
    static var isWanted: Bool { program != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    let folder: URL
    /// The service takes a free one and keeps it.
    private(set) var port = 0
    private let arguments: [String]
    private var process = Process()
    private let transport = URLSessionTransport()

    static let policy = """
        version: 1
        apps:
          - name: shop-ios
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: {}
              testRoots: ["file:root.pem"]
          - name: shop-gateway
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: { body: upstream }
              testRoots: ["file:root.pem"]
          - name: shop-tokens
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: {}
              testRoots: ["file:root.pem"]
            tokens: { issuer: "https://attest.example.com", audiences: ["https://api.example.com", pay], testAuthorities: allow, life: 60s }
          - name: shop-strict
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: { nonce: ledger }
              testRoots: ["file:root.pem"]
            tokens: { issuer: "https://attest.example.com", audiences: ["https://api.example.com", pay], testAuthorities: allow, life: 60s }
        """

    /// - Parameter apps: further apps of the policy.
    init(settings: [String] = [], apps: String = "") async throws {
        let program = try #require(Self.program, "ASSAY_PROGRAM is not set: it names the program `assay`")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o711])
        try (Self.policy + apps).write(
            to: folder.appendingPathComponent("policy.yaml"), atomically: true, encoding: .utf8)
        try TestAuthority.shared.rootPEM.write(
            to: folder.appendingPathComponent("root.pem"), atomically: true, encoding: .utf8)
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        arguments =
            [
                "serve", "--policy", "policy.yaml", "--create-ledger", "--open", "--set", "admin=none",
                "--set", "masterKey=file:master.key",
            ] + settings.flatMap { ["--set", $0] }
        write(key, to: "master.key")
        process.executableURL = URL(fileURLWithPath: program)
        try await start(ledger: "sqlite:ledger.sqlite")
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Ends the service, and starts it with another ledger.
    func restart(ledger: String) async throws {
        try await stop()
        try await start(ledger: ledger)
    }

    func stop() async throws {
        process.terminate()
        try await Self.end(of: process)
    }

    /// Polls: `waitUntilExit()` would block one of the few threads that all tests share.
    private static func end(of process: Process) async throws {
        while process.isRunning { try await Task.sleep(nanoseconds: 5_000_000) }
    }

    private func start(ledger: String) async throws {
        let program = process.executableURL
        process = Process()
        process.executableURL = program
        process.arguments = arguments + ["--set", "listen=127.0.0.1:\(port)", "--ledger", ledger]
        process.currentDirectoryURL = folder
        let log = folder.appendingPathComponent("log").path
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: log)
        process.standardOutput = process.standardError
        try process.run()
        while true {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if let found = Self.port(in: text) {
                port = found
                // The service makes the keys of tokens after it has begun to listen.
                let set = try? await get("/.well-known/jwks.json")
                if let set, String(decoding: set.body, as: UTF8.self).contains(#""kid""#) { return }
            }
            try #require(process.isRunning, "\(text)")
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    /// The port of the line that says what the service listens on.
    private static func port(in log: String) -> Int? {
        log.firstMatch(of: /"assay.listen":\["127\.0\.0\.1:(\d+)"/).flatMap { Int($0.1) }
    }

    /// Runs a command on the ledger of the service.
    ///
    /// - Returns: what it prints.
    @discardableResult
    func run(_ arguments: [String]) async throws -> String {
        let command = Process()
        let output = folder.appendingPathComponent(UUID().uuidString)
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        command.executableURL = process.executableURL
        command.arguments = arguments + ["--ledger", "sqlite:ledger.sqlite"]
        command.currentDirectoryURL = folder
        command.standardOutput = try FileHandle(forWritingTo: output)
        try command.run()
        defer { if command.isRunning { command.terminate() } }
        try await Self.end(of: command)
        try #require(command.terminationStatus == 0, "\(arguments)")
        return try String(contentsOf: output, encoding: .utf8)
    }

    /// Writes a file that the program alone can read.
    func write(_ text: String, to file: String) {
        _ = FileManager.default.createFile(
            atPath: folder.appendingPathComponent(file).path, contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600])
    }

    private func get(_ path: String) async throws -> HTTPAnswer {
        try await transport.send(URLRequest(url: try url(path)), file: nil, limit: nil)
    }

    func url(_ path: String) throws -> URL { try #require(URL(string: "http://127.0.0.1:\(port)\(path)")) }

    /// Sends JSON.
    func post(_ object: [String: Any], to path: String) async throws(TransportFailure) -> HTTPAnswer {
        guard let url = try? url(path), let body = try? JSONSerialization.data(withJSONObject: object) else {
            throw TransportFailure("url", mayHaveBeenSent: false)
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try await transport.send(request, file: nil, limit: nil)
    }
}

/// The app's backend: it relays to the service as the contract says, and asks it about each other request.
final class Relay: HTTPTransport, @unchecked Sendable {
    private let service: AssayService
    private let app: String
    private let lock = NSLock()
    /// The account of the session.
    private let account: String
    private var lost: [String: Int] = [:]
    private var answers: [String: [HTTPAnswer]] = [:]
    private var counts: [String: Int] = [:]
    private var held: [URLRequest] = []
    private var executedRequests = 0

    init(_ service: AssayService, app: String = "shop-ios", account: String = "user-42") {
        self.service = service
        self.app = app
        self.account = account
    }

    /// The next answers to this path do not arrive.
    func loseAnswers(_ path: String, _ number: Int = 1) { lock.withLock { lost[path, default: 0] += number } }

    /// The next request of this path gets this answer, and does not reach the service.
    func answer(_ path: String, with answer: HTTPAnswer) { lock.withLock { answers[path, default: []].append(answer) } }

    /// How often the path was requested.
    func count(_ path: String) -> Int { lock.withLock { counts[path] ?? 0 } }

    /// How many requests the backend has executed.
    var executed: Int { lock.withLock { executedRequests } }

    /// The signed requests of the app.
    var requests: [URLRequest] { lock.withLock { held } }

    func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer {
        let path = request.url?.path ?? ""
        let prepared = lock.withLock { () -> HTTPAnswer? in
            counts[path, default: 0] += 1
            guard answers[path]?.isEmpty == false else { return nil }
            return answers[path]?.removeFirst()
        }
        if let prepared { return prepared }
        let answer = try await relayed(request, path, file)
        let isLost = lock.withLock { () -> Bool in
            guard let left = lost[path], left > 0 else { return false }
            lost[path] = left - 1
            return true
        }
        if isLost { throw TransportFailure("url:-1005", mayHaveBeenSent: true) }
        return answer
    }

    private func relayed(_ request: URLRequest, _ path: String, _ file: URL?) async throws(TransportFailure)
        -> HTTPAnswer
    {
        let body = request.httpBody ?? file.flatMap { try? Data(contentsOf: $0) }
        let object = body.flatMap { (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any] } ?? [:]
        switch path {
        case "/challenges": return try await service.post(object, to: "/v1/challenges")
        case "/tokens", "/secrets": return try await service.post(object, to: "/v1" + path)
        case "/enrolments":
            return try await service.post(object.merging(["account": account]) { $1 }, to: "/v1/verify")
        default: break
        }
        lock.withLock { held.append(request) }
        let isToken = request.value(forHTTPHeaderField: "Authorization") != nil
        var evidence: [String: Any] = [
            "method": request.httpMethod ?? "GET", "targetURI": request.url?.absoluteString ?? "",
            "headers": (request.allHTTPHeaderFields ?? [:]).map { [$0.key, $0.value] },
        ]
        if !isToken { evidence["body"] = body?.base64EncodedString() }
        let kind = isToken ? "assay.token" : "app-attest.request"
        let verdict = try await service.post(
            ["kind": kind, "app": app, "account": account, "evidence": evidence], to: "/v1/verify")
        let found = (try? JSONSerialization.jsonObject(with: verdict.body)) as? [String: Any] ?? [:]
        if verdict.response.statusCode == 200, found["outcome"] as? String == "accept" {
            lock.withLock { executedRequests += 1 }
            return try Self.answer(200, "{}", date: verdict)
        }
        guard verdict.response.statusCode == 200 else { return verdict }
        let code =
            (found["checks"] as? [[String: Any]] ?? []).first { $0["status"] as? String == "failed" }?["code"]
            as? String
        let remedy = found["remedy"] as? String ?? "none"
        let fields = isToken ? ["WWW-Authenticate": #"DPoP error="invalid_token""#] : [:]
        return try Self.answer(401, #"{"remedy": "\#(remedy)", "code": "\#(code ?? "")"}"#, fields, date: verdict)
    }

    static func answer(
        _ status: Int, _ body: String, _ fields: [String: String] = [:], date: HTTPAnswer? = nil
    ) throws(TransportFailure) -> HTTPAnswer {
        var fields = fields
        if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        fields["Date"] = fields["Date"] ?? date?.response.value(forHTTPHeaderField: "Date")
        guard let url = URL(string: "https://api.example.com/"),
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw TransportFailure("url", mayHaveBeenSent: false) }
        return HTTPAnswer(response: response, body: Data(body.utf8))
    }
}
