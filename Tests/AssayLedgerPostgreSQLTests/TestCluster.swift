import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Synchronization

/// A cluster of PostgreSQL in a temporary folder, on a Unix socket.
///
/// The server refuses to run as root: root becomes `nobody` for it.
final class TestCluster: Sendable {
    /// Why a cluster could not be started.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Where Debian has the programs of the server; nil if it is not installed.
    static let programs: String? = {
        let environment = ProcessInfo.processInfo.environment
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let folders =
            [environment["ASSAY_POSTGRESQL"] ?? ""] + versions.map { "\(root)/\($0)/bin" }
            + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.first { !$0.isEmpty && FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Whether tests run: in CI, a missing server is a failure.
    static var isAvailable: Bool {
        programs != nil || SharedFiles.isAvailable || ProcessInfo.processInfo.environment["CI"] == "true"
    }

    /// What a skipped test says.
    static let hint = "install Debian's postgresql, or set ASSAY_POSTGRESQL to the folder of initdb, to run this"

    private static let started = Mutex<TestCluster?>(nil)

    /// The cluster that all tests of this process share, which ends with it.
    static func shared() throws -> TestCluster {
        try started.withLock { started in
            if let cluster = started { return cluster }
            let cluster = try TestCluster()
            started = cluster
            atexit { TestCluster.stopShared() }
            return cluster
        }
    }

    private static func stopShared() {
        started.withLock { started in
            started?.stop()
            started = nil
        }
    }

    /// The folder of the sockets and of the data.
    let folder: TestFolder
    /// The port, which is part of the socket's name.
    let port: Int
    private let data: String
    private let settings: [String]
    private let process = Mutex<Process?>(nil)

    var socket: String { folder.path(".s.PGSQL.\(port)") }

    /// Makes a cluster and starts it.
    ///
    /// - Parameters:
    ///   - settings: more settings of the server, as `name=value`.
    ///   - primary: the cluster to become a standby of; nil for a new one.
    ///   - disk: where its data are; nil for the folder of its socket.
    init(
        _ settings: [String] = [], port: Int = 5432, standbyOf primary: TestCluster? = nil,
        disk: URL? = nil
    ) throws {
        self.settings = settings
        self.port = port
        folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        try Self.hand(over: folder.url.path)
        data = (disk ?? folder.url).appendingPathComponent("data").path
        if let primary {
            try run(
                "pg_basebackup",
                [
                    "-D", data, "-h", primary.folder.url.path, "-p", "\(primary.port)", "-U", "postgres", "-R", "-c",
                    "fast",
                ])
        } else {
            try run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"])
        }
        try start()
    }

    deinit { stop() }

    /// A URL of a database, as the superuser.
    func url(_ query: String = "", database: String = "postgres", user: String = "postgres") -> String {
        let host = folder.url.path.replacing("/", with: "%2F")
        return "postgresql://\(user)@\(host):\(port)/\(database)\(query.isEmpty ? "" : "?\(query)")"
    }

    private static let numbers = Atomic<Int>(0)

    /// Creates a ledger in a schema of its own, and returns its URL.
    func newLedger(_ query: String = "") async throws -> String {
        let number = Self.numbers.add(1, ordering: .relaxed).newValue
        let url = url("schema=ledger\(number)\(query.isEmpty ? "" : "&\(query)")")
        try await PostgreSQLLedger.create(url)
        return url
    }

    /// Starts the server, and waits until it takes connections.
    func start() throws {
        let process = try Self.process(
            "postgres",
            ["-D", data, "-k", folder.url.path, "-p", "\(port)", "-c", "listen_addresses="]
                + (["max_connections=800", "shared_buffers=32MB", "logging_collector=off"] + settings).flatMap {
                    ["-c", $0]
                })
        let log = folder.path("log")
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try file.seekToEnd()
        process.standardInput = FileHandle.nullDevice
        (process.standardError, process.standardOutput) = (file, file)
        try process.run()
        self.process.withLock { $0 = process }
        try waitFor("connections to PostgreSQL") {
            guard process.isRunning else {
                throw Failure(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
            }
            return takesConnections(port: port) ? () : nil
        }
    }

    /// Whether a server, or a pooler in front of it, takes connections at a port of the folder.
    func takesConnections(port: Int) -> Bool {
        (try? run("pg_isready", ["-q", "-h", folder.url.path, "-p", "\(port)"])) != nil
    }

    /// Ends the server as a power cut would: its parent, and all its children with it.
    func kill() {
        guard let process = process.withLock({ $0 }), process.isRunning else { return }
        let children =
            (try? String(
                contentsOfFile: "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children",
                encoding: .utf8)) ?? ""
        Foundation.kill(process.processIdentifier, SIGKILL)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { Foundation.kill(child, SIGKILL) }
        try? process.end()
    }

    /// Ends the server without waiting for its clients.
    func stop() {
        guard let process = process.withLock({ $0 }), process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGQUIT)
        try? process.end()
    }

    /// Makes a standby the primary.
    func promote() throws { try run("pg_ctl", ["promote", "-D", data, "-w", "-t", "30"]) }

    /// Runs statements as the superuser, and returns what they print: rows without a frame.
    @discardableResult
    func sql(_ text: String, database: String = "postgres") throws -> String {
        try run(
            "psql",
            [
                "-h", folder.url.path, "-p", "\(port)", "-U", "postgres", "-d", database, "-X", "-q", "-A", "-t", "-v",
                "ON_ERROR_STOP=1", "-c", text,
            ])
    }

    /// What the server has written.
    var log: String { (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? "" }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let run = try ProgramRun(Self.process(program, arguments))
        // A notice among the errors is no part of the answer.
        guard run.status == 0 else { throw Failure(description: "\(program): \(run.text)") }
        return run.output.trimmingCharacters(in: .newlines)
    }

    private static func process(_ program: String, _ arguments: [String]) throws -> Process {
        guard let programs else { throw Failure(description: hint) }
        let process = Process()
        let path = "\(programs)/\(program)"
        if getuid() == 0 {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", path] + arguments
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
        }
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/tmp"]
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        return process
    }

    /// Makes a folder that of the user who runs the server.
    static func hand(over path: String) throws {
        guard getuid() == 0 else { return }
        guard let user = getpwnam("nobody") else { throw Failure(description: "there is no user nobody") }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw Failure(description: "the folder cannot be given to nobody")
        }
    }
}
