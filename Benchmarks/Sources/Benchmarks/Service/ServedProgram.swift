import Foundation

/// A server in a process of its own, on loopback.
final class ServedProgram {
    private let process = Process()
    private let output: URL
    private let clock: clockid_t
    let port: Int
    /// The token that it has printed behind its port; empty if there is none.
    let token: String

    /// Starts a program, and waits until its output names its port.
    ///
    /// - Parameters:
    ///   - folder: where its output is written.
    ///   - start: finds the port in the output, and a token behind it; nil as long as it is not there.
    init(
        _ program: URL, _ arguments: [String], in folder: URL, start: (String) -> (port: Int, token: String)?
    ) throws {
        output = folder.appendingPathComponent("\(program.lastPathComponent)-\(UUID().uuidString).log")
        require(FileManager.default.createFile(atPath: output.path, contents: nil), "\(output.path) cannot be written")
        let handle = try FileHandle(forWritingTo: output)
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        var clock = clockid_t()
        require(clock_getcpuclockid(process.processIdentifier, &clock) == 0, "there is no clock of \(program.path)")
        self.clock = clock
        while true {
            let text = try String(contentsOf: output, encoding: .utf8)
            if let found = start(text) {
                (port, token) = found
                return
            }
            require(process.isRunning, "\(program.path) does not start: \(text)")
            usleep(20_000)
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Seconds of processor time of all its threads so far, the system's part included.
    var processorTime: Double {
        var time = timespec()
        require(clock_gettime(clock, &time) == 0, "a server has ended")
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// Seconds of processor time that it takes meanwhile.
    func time(_ body: () -> Void) -> Double {
        let start = processorTime
        body()
        return processorTime - start
    }

    /// Its resident memory at present, in mebibytes.
    var memory: Double { ProcessMemory.mebibytes("VmRSS", of: "\(process.processIdentifier)") }
}
