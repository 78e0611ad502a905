package import Foundation

/// A program that a test has run to its end.
package struct ProgramRun: Sendable {
    /// The exit status, or the negated number of the signal that ended the program.
    package let status: Int32
    /// The bytes of standard output, and of standard error.
    package let outputBytes: [UInt8], errorBytes: [UInt8]

    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
    /// All that the program has printed: its output, then its errors.
    package var said: [UInt8] { outputBytes + errorBytes }
    package var text: String { String(decoding: said, as: UTF8.self) }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - program: its path; a name without a slash is looked for in `PATH`.
    ///   - folder: the working directory; nil for that of this process.
    ///   - input: its standard input.
    ///   - environment: all its variables; nil for those of this process.
    ///   - limit: after which it is killed.
    /// - Throws: ``TooSlow`` if it does not end, with the command and what it has printed; errors of starting it.
    package init(
        _ program: String, _ arguments: [String] = [], in folder: URL? = nil, input: String = "",
        environment: [String: String]? = nil, within limit: Duration = TooSlow.limit
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
        process.arguments = (program.contains("/") ? [] : [program]) + arguments
        if let folder { process.currentDirectoryURL = folder }
        if let environment { process.environment = environment.merging(Sanitizer.environment) { $1 } }
        try self.init(process, input: input, within: limit)
    }

    /// Runs a process that has not been started.
    package init(_ process: Process, input: String = "", within limit: Duration = TooSlow.limit) throws {
        // Files and not pipes: neither side can then wait for the other.
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let files = try ["input", "output", "errors"].map {
            URL(fileURLWithPath: try folder.write($0, $0 == "input" ? input : ""))
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        do { try process.end(within: limit) } catch {
            throw TooSlow(
                "\(error)\n" + files[1...].map { (try? String(contentsOf: $0, encoding: .utf8)) ?? "" }.joined())
        }
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        outputBytes = Array(try Data(contentsOf: files[1]))
        errorBytes = Array(try Data(contentsOf: files[2]))
    }
}

extension Process {
    /// Waits for the end of the process, which leads a process group as each one does that Foundation starts.
    ///
    /// - Throws: ``TooSlow``, with the command, after the limit, when it and all that it has started are killed.
    package func end(within limit: Duration = TooSlow.limit) throws {
        let end = ContinuousClock.now + limit
        while isRunning {
            if ContinuousClock.now > end {
                kill(-processIdentifier, SIGKILL)
                let command = [executableURL?.path ?? ""] + (arguments ?? [])
                throw TooSlow("killed, since it did not end within \(limit): \(command.joined(separator: " "))")
            }
            usleep(5_000)
        }
        // Returns at once, and ends a cycle of references that would keep the process and its files open.
        waitUntilExit()
    }
}
