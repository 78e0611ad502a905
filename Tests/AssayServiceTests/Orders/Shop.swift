import AssayTestSupport
import Foundation
import Testing

/// A backend of Examples/orders in a process of its own, which asks a service or what a test puts in its place.
final class Shop {
    struct Backend: Sendable, CustomTestStringConvertible {
        let file: String
        /// The command that runs it, in the folder of the example, on a port that is free.
        let command: String
        /// A command that succeeds where language and libraries are installed.
        let probe: String
        var testDescription: String { file }

        var isInstalled: Bool { (try? TestFolder().shell("(\(probe)) >/dev/null 2>&1")) == 0 }
    }

    static let examples = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Examples/orders")
    private static let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
    static let backends = [
        Backend(
            file: "orders.py", command: "exec '\(python)' -m uvicorn orders:app --no-date-header --port 0",
            probe: "'\(python)' -c 'import fastapi, uvicorn, urllib3'"),
        Backend(file: "orders.mjs", command: "export PORT=0; exec node orders.mjs", probe: "node -e 'fetch'"),
    ].filter(\.isInstalled)

    static let origin = "https://api.example.com"
    private let process: LineProcess
    private let folder: TestFolder
    let port: Int

    /// Starts a backend, and waits until it listens.
    init(_ backend: Backend, asking url: String, token: String = "") throws {
        let folder = try TestFolder()
        self.folder = folder
        try folder.write("output", "")
        try folder.write("errors", "")
        let process = try LineProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-ec", "exec >'\(folder.path("output"))'; \(backend.command)"],
            environment: [
                "ASSAY_URL": url, "ASSAY_TOKEN": token, "SHOP_ORIGIN": Self.origin,
                "SHOP_APPS": #"{"app-attest": "shop-ios", "android-key": "shop-android"}"#, "HOME": folder.url.path,
                "SHOP_SESSIONS": #"{"alices-session": "alice", "bobs-session": "bob"}"#, "PYTHONDONTWRITEBYTECODE": "1",
            ], folder: Self.examples,
            errors: FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("errors"))))
        self.process = process
        port = try waitFor("\(backend.file) listens: \(folder.read("errors"))") {
            try #require(process.isRunning, "\(folder.read("errors"))")
            let printed = folder.read("output") + folder.read("errors")
            return printed.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\b.*\n/).flatMap { Int($0.1) }
        }
    }

    /// What the backend has logged.
    var log: String { folder.read("errors") }

    /// Sends a request of the app, with a session.
    func post(
        _ path: String, _ body: String, session: String? = "alices-session", fields: [String] = [],
        host: String = "api.example.com"
    ) throws -> HTTPAnswer {
        let connection = try Connection(port: port)
        let head =
            [
                "POST \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "Content-Type: application/json",
                "Content-Length: \(body.utf8.count)",
            ] + (session.map { ["Authorization: Bearer \($0)", "Cookie: session=\($0)"] } ?? []) + fields
        connection.write(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return HTTPAnswer(connection.readToEnd())
    }
}
