import AssayTestSupport
import Foundation
import Testing

/// pgbouncer in front of a cluster.
final class Pooler {
    private let process = Process()
    private let folder: URL
    private let port: Int

    /// - Parameters:
    ///   - size: how many connections it opens to the cluster.
    ///   - port: the port, which is part of the socket's name beside the cluster's.
    init(_ cluster: TestCluster, mode: String = "transaction", size: Int = 3, port: Int) throws {
        self.port = port
        folder = cluster.folder.url
        let program = "/usr/sbin/pgbouncer"
        try #require(FileManager.default.isExecutableFile(atPath: program), "Debian's pgbouncer is needed")
        let file = folder.appendingPathComponent("pgbouncer\(port).ini")
        try """
        [databases]
        postgres = user=postgres host=\(folder.path) port=\(cluster.port)
        [pgbouncer]
        listen_addr =
        unix_socket_dir = \(folder.path)
        listen_port = \(port)
        auth_type = any
        pool_mode = \(mode)
        default_pool_size = \(size)
        """.write(to: file, atomically: true, encoding: .utf8)
        if getuid() == 0 {
            // It need not be readable by others: the umask is that of the process, and a service in another test sets it.
            try TestCluster.hand(over: file.path)
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", program, "-q", file.path]
        } else {
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = ["-q", file.path]
        }
        let log = folder.appendingPathComponent("pgbouncer\(port).log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.standardError = output
        process.standardOutput = output
        try process.run()
        // Its socket is there before it listens.
        try waitFor("connections to pgbouncer") {
            try #require(
                process.isRunning, "pgbouncer has ended: \((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
            return cluster.takesConnections(port: port) ? () : nil
        }
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        try? process.end()
    }

    /// The URL of the database behind the pooler. A slow machine has time to connect.
    func url(_ query: String) -> String {
        "postgresql://postgres@\(folder.path.replacing("/", with: "%2F")):\(port)/postgres?timeout=60&connect_timeout=60&\(query)"
    }
}
