import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LedgerStress, running. Reading blocks the thread.
public final class StressProcess {
    /// There is nothing more to read: the process has ended.
    public struct Silence: Error {}

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// Starts LedgerStress; with `setup`, shell commands that run before it as root of a mount namespace of their own.
    public init(setup: String? = nil) throws {
        let program = try BuiltProducts.url("LedgerStress")
        if let setup {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["unshare", "-m", "sh", "-ec", "\(setup); exec \"$0\"", program.path]
        } else {
            process.executableURL = program
        }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

    /// Whether this process may mount file systems that only its children see.
    public static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-m", "sh", "-ec", "mount -t tmpfs tmpfs /mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Sends a line.
    public func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line, without its end.
    public func readLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw Silence() }
            unread += more
        }
    }

    /// Sends a line and returns the answer.
    public func ask(_ line: String) throws -> String {
        try send(line)
        return try readLine()
    }

    /// What remains to be read after the end, without the line that the end cut off.
    public func remainingLines() throws -> [String] {
        unread += try output.fileHandleForReading.readToEnd() ?? Data()
        let text = String(decoding: unread, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Ends the process as a power cut would, from its point of view.
    public func kill() {
        guard process.isRunning else { return }
        #if canImport(Glibc)
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
        #else
            _ = Darwin.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }
}
