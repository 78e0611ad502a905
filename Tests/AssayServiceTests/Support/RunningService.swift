import AssayTestSupport
import Foundation
import Synchronization
import Testing

/// The program `assay serve` in a process of its own, with a test folder and a ledger in it.
final class RunningService {
    let folder: TestFolder
    private let process = Process()
    private let log: String
    /// The port of the public listener; 0 on a unix socket.
    private(set) var port = 0

    /// Starts the service, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - settings: keys of the configuration in the form KEY=VALUE, after those of the test.
    ///   - isOpen: whether requests need no token.
    convenience init(
        _ settings: String..., isOpen: Bool = true, prepare: (TestFolder) throws -> Void = { _ in }
    ) throws {
        try self.init(settings, isOpen: isOpen, prepare: prepare)
    }

    /// Starts the service, in its folder.
    init(
        _ settings: [String], isOpen: Bool = true, in folder: TestFolder? = nil,
        launcher: String? = nil, names: String = "", ledger: String? = nil,
        prepare: (TestFolder) throws -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TestFolder()
        self.folder = folder
        log = folder.path("log")
        try Evidence.writePolicy(to: folder)
        try prepare(folder)
        let all = ["listen=127.0.0.1:0", "admin=unix:\(folder.path("admin.sock"))", "logLevel=debug"] + settings
        process.arguments =
            [
                "serve", "--create-ledger", "--policy", folder.path("policy.yaml"), "--ledger",
                ledger ?? "sqlite:\(folder.path("ledger.sqlite"))",
            ]
            + (isOpen ? ["--open"] : []) + all.flatMap { ["--set", $0] }
        try start(launcher: launcher, names: names)
        let listen = entries("ready").first?["assay.listen"] as? [String] ?? []
        port = listen.compactMap { $0.hasPrefix("unix:") ? nil : Int($0.split(separator: ":").last ?? "") }.first ?? 0
    }

    /// Starts one process for several configurations, and waits until all of its services are ready.
    init(several files: [String], in folder: TestFolder, launcher: String? = nil) throws {
        self.folder = folder
        log = folder.path("log")
        process.arguments = ["serve", "--create-ledger"] + files
        try start(launcher: launcher, services: files.count)
    }

    private func start(launcher: String?, names: String = "", services: Int = 1) throws {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.executableURL = try BuiltProducts.url("assay")
        process.environment = ["HOME": folder.url.path].merging(Sanitizer.environment) { $1 }
        if let launcher {
            let arguments = [try folder.write("launch.py", launcher), try BuiltProducts.url("assay").path]
            process.arguments = ["python3"] + arguments + (process.arguments ?? [])
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.environment?["NAMES"] = names
            process.environment?["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardError = file
        process.standardOutput = FileHandle.nullDevice
        process.currentDirectoryURL = folder.url
        try process.run()
        // Foundation keeps it open for as long as it knows the process.
        try file.close()
        try waitUntil("ready") { self.entries("ready").count == services || !self.process.isRunning }
        try #require(process.isRunning, "\(logText)")
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The address of the listener of operators, if it is a TCP address.
    var admin: String {
        (entries("ready").first?["assay.listen"] as? [String] ?? []).last { !$0.hasPrefix("unix:") } ?? ""
    }

    /// The log as written.
    var logText: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// The entries of the log with a message.
    func entries(_ message: String) -> [[String: Any]] {
        logText.split(separator: "\n").compactMap { line in
            // For the journal of systemd, a line begins with its priority.
            let json = line.hasPrefix("<") ? line.dropFirst(3) : line
            return try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        }.filter { $0["message"] as? String == message }
    }

    /// Polls for a condition.
    func waitUntil(_ what: String, _ condition: () -> Bool) throws {
        try waitFor("\(what): \(logText)") { condition() ? () : nil }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    var isRunning: Bool { process.isRunning }

    /// Waits for the end, and returns the exit status.
    func wait() -> Int32 {
        do { try process.end() } catch { Issue.record(error, "\(logText)") }
        return process.terminationStatus
    }

    /// The number of open files and connections.
    var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? 0
    }

    /// The limits of the process, as the system shows them.
    var limits: String {
        (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)) ?? ""
    }

    /// The greatest resident memory so far, in MiB.
    var peakMemory: Int { (status("VmHWM").split(separator: " ").compactMap { Int($0) }.first ?? 0) >> 10 }

    /// The umask of the process, in four octal digits.
    var umask: String { status("Umask") }

    /// A value of proc_pid_status(5).
    private func status(_ name: String) -> String {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
        return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }

    /// Runs another command of the program on the ledger of the service.
    func assay(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try run(arguments)
    }

    /// Runs another command with a list of arguments.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let run = try ProgramRun(BuiltProducts.url("assay").path, arguments, environment: ["HOME": folder.url.path])
        return (run.status, run.output, run.errors)
    }

    // MARK: Requests

    /// Connects to the public listener, or to a unix socket.
    func connect(unix path: String? = nil) throws -> Connection {
        try path.map { try Connection(unix: $0) } ?? Connection(port: port)
    }

    /// Begins a stream of records in chunks, and waits until its first line is answered.
    func beginStream(unix path: String? = nil) throws -> Connection {
        let stream = try connect(unix: path)
        stream.write(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n")
        var answer: [UInt8] = []
        while !String(decoding: answer, as: UTF8.self).contains("unreadable-record") {
            answer += try #require(stream.read(), "\(logText)")
        }
        return stream
    }

    /// Sends a request, and reads its answer to the end of the connection.
    func send(
        _ method: String, _ path: String, type: String? = "application/json", body: String = "",
        fields: [String] = [], unix: String? = nil, port: Int? = nil, host: String = "localhost"
    ) throws -> HTTPAnswer {
        let connection = try port.map { try Connection(port: $0) } ?? connect(unix: unix)
        var head = [
            "\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "Content-Length: \(body.utf8.count)",
        ]
        if let type { head.append("Content-Type: \(type)") }
        connection.write((head + fields).joined(separator: "\r\n") + "\r\n\r\n" + body)
        return HTTPAnswer(connection.readToEnd())
    }
}

/// A connection on which a test writes arbitrary bytes.
final class Connection: Sendable {
    private let descriptor: Int32

    convenience init(port: Int) throws {
        self.init(try #require(Connection.descriptor(port: port), "nothing listens on port \(port)"))
    }

    /// Nil if no program listens on the port.
    convenience init?(ifListening port: Int) {
        guard let descriptor = Connection.descriptor(port: port) else { return nil }
        self.init(descriptor)
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // Only a defect is so late. It must not stop the other tests.
        limitReading(seconds: 600)
    }

    private static func descriptor(port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    convenience init(unix path: String) throws {
        self.init(try #require(Connection.descriptor(unix: path), "nothing listens on \(path)"))
    }

    /// Nil if no program listens on the unix socket.
    convenience init?(ifListeningOn path: String) {
        guard let descriptor = Connection.descriptor(unix: path) else { return nil }
        self.init(descriptor)
    }

    private static func descriptor(unix path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// Makes the file of a unix socket on which no program listens.
    static func bindOnly(_ path: String) throws { close(try bindSocket(path)) }

    /// Binds a unix socket, and returns its descriptor.
    static func bindSocket(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        return descriptor
    }

    /// Writes all bytes; the server may have closed.
    func write(_ text: String) { write(bytes: Array(text.utf8)) }

    /// Writes all bytes; the server may have closed.
    func write(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes as many bytes as the system takes without waiting. Returns their number.
    func writeIfPossible(_ bytes: [UInt8]) -> Int {
        max(
            0,
            bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            })
    }

    /// Ends reads that wait for longer.
    func limitReading(seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether a read has ended by ``limitReading(seconds:)``.
    var isTimedOut: Bool { timedOut.load(ordering: .relaxed) }
    private let timedOut = Atomic<Bool>(false)

    /// Makes the system take little that is not read.
    func limitReceiveBuffer() {
        var size: Int32 = 4096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether the peer has ended the connection. Nothing is read.
    var isEnded: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Whether bytes, or the end of the connection, can be read.
    var isReadable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Ends what is written.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next bytes; nil at the end.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN { timedOut.store(true, ordering: .relaxed) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// The bytes that have arrived, perhaps none; nil at the end.
    func readIfAny() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// All bytes up to the end of the connection.
    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = read() { all += bytes }
        return all
    }
}

/// The answer to a request.
struct HTTPAnswer: CustomStringConvertible {
    let status: Int
    /// The fields, by name in lower case; the values of lines with the same name are joined.
    let fields: [String: String]
    /// The names of the field lines in lower case, in their order.
    let names: [String]
    /// The body, also of chunks.
    let body: String
    let description: String

    init(_ bytes: [UInt8]) {
        description = String(decoding: bytes, as: UTF8.self)
        let parts = description.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].components(separatedBy: "\r\n")
        status = lines[0].hasPrefix("HTTP/1.1 ") ? Int(lines[0].dropFirst(9).prefix(3)) ?? 0 : 0
        fields = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    (
                        line[..<colon].lowercased(),
                        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    )
                }
            }, uniquingKeysWith: { "\($0), \($1)" })
        names = lines.dropFirst().compactMap { line in line.firstIndex(of: ":").map { line[..<$0].lowercased() } }
        let rest = parts.count > 1 ? String(parts[1]) : ""
        body = fields["transfer-encoding"] == "chunked" ? Self.unchunked(rest) : rest
    }

    private static func unchunked(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        var body: [UInt8] = []
        while let end = rest.firstRange(of: [0x0D, 0x0A]),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            body += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return String(decoding: body, as: UTF8.self)
    }

    /// The value of a field; nil without it.
    subscript(name: String) -> String? { fields[name] }

    /// The body as a JSON object.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
    }
}
