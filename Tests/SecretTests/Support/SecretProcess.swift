import AssayTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// SecretStress, running. Reading blocks the thread.
final class SecretProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors: URL
    private var unread = Data()
    /// Everything that it has said, on its output and on its error stream.
    private(set) var said = Data()

    /// Starts it, with its error stream in a file.
    init(errors: String, environment: [String: String] = [:]) throws {
        self.errors = URL(fileURLWithPath: errors)
        try Data().write(to: self.errors)
        process.executableURL = try BuiltProducts.url("SecretStress")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: self.errors)
        try process.run()
    }

    deinit {
        guard process.isRunning else { return }
        _ = kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Its identifier, while it waits for a command.
    var identifier: Int32 { process.processIdentifier }

    /// Sends a command and returns the answer.
    @discardableResult
    func ask(_ words: String...) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((words.joined(separator: " ") + "\n").utf8))
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return "" }
            unread += more
            said += more
        }
    }

    /// Waits for the end, and returns everything that was said.
    func end() throws -> (status: Int32, said: [UInt8]) {
        try input.fileHandleForWriting.close()
        said += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, Array(said + (try Data(contentsOf: errors))))
    }
}
