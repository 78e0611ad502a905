import AssayTestSupport
import Foundation

/// One run of a target of the fuzzer over some inputs, in a process of its own.
struct ReplayRun {
    /// How many inputs it came through.
    let done: Int
    /// The exit status, or the signal that ended it.
    let status: Int32
    /// Whether it ended by itself, and well.
    let isComplete: Bool
    /// The end of what it wrote to standard error.
    let errors: String

    init(_ target: String, _ inputs: [[UInt8]]) throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let (frames, output, log) = (
            folder.url.appendingPathComponent("frames"), folder.url.appendingPathComponent("output"),
            folder.url.appendingPathComponent("errors")
        )
        var bytes = Data()
        for input in inputs {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: input.count >> (24 - 8 * $0)) }
            bytes += input
        }
        try bytes.write(to: frames)
        for file in [output, log] { try Data().write(to: file) }

        let process = Process()
        process.executableURL = try BuiltProducts.url("FuzzReplay")
        process.arguments = [target, "--frames", frames.path]
        // A backtrace takes seconds, and the input says more.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        isComplete = process.terminationReason == .exit && status == 0
        done = try Data(contentsOf: output).count
        errors = String(decoding: try Data(contentsOf: log).suffix(2000), as: UTF8.self)
    }
}
