import AssayTestSupport
import Foundation
import Testing

/// A backend that speaks HTTP/1.1, and h2c after an upgrade: hypercorn with `Tests/Support/Peers/h2c_backend.py`.
final class H2CBackend {
    private let process = Process()
    private let folder: TestFolder
    let port: Int

    /// Whether hypercorn is installed. In CI it is needed.
    static let isInstalled =
        ProcessInfo.processInfo.environment["CI"] == "true" || Gateway.executable("hypercorn") != nil

    /// Starts the backend, and waits until it answers.
    static func start() throws -> H2CBackend {
        let end = Date(timeIntervalSinceNow: 600)
        var backend = try H2CBackend()
        while Connection(ifListening: backend.port) == nil {
            try #require(Date() < end, "\(backend.folder.read("log"))")
            // Another program may have taken the port.
            if !backend.process.isRunning { backend = try H2CBackend() }
            usleep(50_000)
        }
        return backend
    }

    private init() throws {
        let program = try #require(
            Gateway.executable("hypercorn"), "hypercorn is not installed; Scripts/install-gateways installs it")
        folder = try TestFolder()
        port = try Loopback.freePort()
        let peers = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Tests/Support/Peers")
        try folder.write(
            "h2c_backend.py",
            try String(contentsOf: peers.appendingPathComponent("h2c_backend.py"), encoding: .utf8))
        try folder.write("seen", "")
        try folder.write("log", "")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--workers", "0", "--bind", "127.0.0.1:\(port)", "h2c_backend:app"]
        process.currentDirectoryURL = folder.url
        process.environment = ["SEEN": folder.path("seen"), "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The requests so far: version, method, path, and the field `Assay-Account`.
    var seen: [String] { folder.read("seen").split(separator: "\n").map(String.init) }
}
