package import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A child that is told by lines on its standard input and answers by lines on its standard output.
///
/// Waiting blocks the thread. Waits for an answer or the end have an end: a child that says nothing for too long is killed.
/// `send` waits for one that does not read more than a pipe holds. At the latest a child is killed, and waited for, with the last reference to this.
open class LineProcess {
    /// There is nothing more to read: the process has ended.
    package struct Silence: Error {}

    /// The process said nothing for so long, or did not end, and was killed.
    package struct TooSlow: Error, CustomStringConvertible {
        /// What was waited for.
        package let description: String
    }

    /// How long each wait may take.
    package let patience: Duration
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let ended = DispatchGroup()
    private var unread = Data()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - script: shell commands that run the program, which is their `"$0" "$@"`, as root of a mount namespace of their
    ///     own; nil runs it as it is.
    ///   - environment: what is added to that of this process.
    ///   - folder: where it runs.
    ///   - errors: what takes its error stream; nil is that of this process.
    package init(
        _ program: URL, _ arguments: [String] = [], script: String? = nil, environment: [String: String] = [:],
        folder: URL? = nil, errors: FileHandle? = nil, patience: Duration = .seconds(120) * Sanitizer.slowdown
    ) throws {
        self.patience = patience
        // Writing to a child that has ended shall be an error, and not the end of all tests.
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

    /// Whether this process may mount file systems that only its children see.
    package static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-m", "sh", "-ec", "mount -t tmpfs tmpfs /mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Its identifier, for as long as it runs.
    package var identifier: Int32 { process.processIdentifier }

    /// Whether it runs.
    package var isRunning: Bool { process.isRunning }

    /// Sends a line.
    package func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line, without its end.
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

    /// Everything that remains to be read, after the end.
    package func remaining() throws -> Data {
        let deadline = ContinuousClock.now + patience
        while try readMore(by: deadline) {}
        defer { unread = Data() }
        return unread
    }

    /// The whole lines that remain to be read after the end, without one that the end cut off.
    package func remainingLines() throws -> [String] {
        String(decoding: try remaining(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// Tells the process that nothing more comes.
    package func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Waits for the end, which has to come by itself.
    ///
    /// - Returns: the exit status, or as a negative number the signal that ended the process.
    package func end() throws -> Int32 {
        let (seconds, attoseconds) = patience.components
        if ended.wait(timeout: .now() + Double(seconds) + Double(attoseconds) / 1e18) == .timedOut {
            kill()
            throw TooSlow(description: "the process did not end within \(patience)")
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Ends the process as a power cut would, from its point of view, and waits for the end.
    package func kill() {
        guard process.isRunning else { return }
        #if canImport(Glibc)
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
        #else
            _ = Darwin.kill(process.processIdentifier, SIGKILL)
        #endif
        ended.wait()
    }

    /// Reads what is there, or waits for something; false after the end.
    private func readMore(by deadline: ContinuousClock.Instant) throws -> Bool {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else {
                kill()
                throw TooSlow(description: "the process said nothing for \(patience)")
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

/// Whether there is something to read, or the end of it.
private func isReady(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Bool {
    poll(&descriptor, 1, milliseconds) > 0
}
