package import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A child process that takes commands as lines on standard input and answers in lines on standard output.
///
/// Reads block the thread. They have a timeout, after which the child is killed. `send` blocks without a timeout when
/// the pipe is full. Releasing the last reference kills the child and waits for its end.
open class LineProcess {
    /// The process ended, so there is nothing more to read.
    package struct Silence: Error {}

    /// The timeout of each wait.
    package let patience: Duration
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let ended = DispatchGroup()
    private var unread = Data()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - script: shell commands that run the program as `"$0" "$@"`, as root of a new mount namespace; nil runs the
    ///     program
    ///     directly.
    ///   - environment: variables added to those of this process.
    ///   - folder: the working directory.
    ///   - errors: the destination of its standard error; nil for that of this process.
    package init(
        _ program: URL, _ arguments: [String] = [], script: String? = nil, environment: [String: String] = [:],
        folder: URL? = nil, errors: FileHandle? = nil, patience: Duration = .seconds(120) * Sanitizer.slowdown
    ) throws {
        self.patience = patience
        // Writing to an ended child must be an error and must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        if let script {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["unshare", "-m", "sh", "-ec", script, program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        process.standardInput = input
        process.standardOutput = output
        if let errors { process.standardError = errors }
        ended.enter()
        process.terminationHandler = { [ended] _ in ended.leave() }
        do { try process.run() } catch {
            ended.leave()
            throw error
        }
    }

    deinit { kill() }

    /// Whether this process can mount file systems in a private mount namespace.
    package static let canMount =
        (try? ProgramRun("unshare", ["-m", "sh", "-ec", "mount -t tmpfs tmpfs /mnt"]))?.status == 0

    /// The process ID while the process runs.
    package var identifier: Int32 { process.processIdentifier }

    /// Whether the process runs.
    package var isRunning: Bool { process.isRunning }

    /// Sends a line.
    package func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line, without its line feed.
    package func readLine() throws -> String {
        let deadline = ContinuousClock.now + patience
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            guard try readMore(by: deadline) else { throw Silence() }
        }
    }

    /// Sends a line and returns the answer.
    @discardableResult
    package func ask(_ line: String) throws -> String {
        try send(line)
        return try readLine()
    }

    /// All remaining output. Call after the process ended.
    package func remaining() throws -> Data {
        let deadline = ContinuousClock.now + patience
        while try readMore(by: deadline) {}
        defer { unread = Data() }
        return unread
    }

    /// The complete remaining lines. Drops an unfinished last line. Call after the process ended.
    package func remainingLines() throws -> [String] {
        String(decoding: try remaining(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// Closes the standard input of the process.
    package func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Waits until the process ends by itself.
    ///
    /// - Returns: the exit status, or the negated number of the signal that ended the process.
    package func end() throws -> Int32 {
        let (seconds, attoseconds) = patience.components
        if ended.wait(timeout: .now() + Double(seconds) + Double(attoseconds) / 1e18) == .timedOut {
            kill()
            throw TooSlow("the process did not end within \(patience)")
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Kills the process with SIGKILL and waits for its end. To the process this is like a power cut.
    package func kill() {
        guard process.isRunning else { return }
        #if canImport(Glibc)
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
        #else
            _ = Darwin.kill(process.processIdentifier, SIGKILL)
        #endif
        ended.wait()
    }

    /// Reads available output or waits for some; false at the end.
    private func readMore(by deadline: ContinuousClock.Instant) throws -> Bool {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else {
                kill()
                throw TooSlow("the process said nothing for \(patience)")
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = min(left.seconds, 3600) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
            guard isReady(&poll, Int32(milliseconds)) else { continue }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unread += buffer[..<count]
            return true
        }
    }
}

/// Whether output or the end of it is available.
private func isReady(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Bool {
    poll(&descriptor, 1, milliseconds) > 0
}
