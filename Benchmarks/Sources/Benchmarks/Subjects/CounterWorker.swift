import Foundation

/// Steps counters from a process of its own: this program, told so by its environment and then by lines on standard
/// input.
///
///     ledger COUNT WRITERS     steps by the ledger; answers when they are done
///     bare COUNT TOGETHER      steps by SQLite alone
final class CounterWorker {
    private static let variable = "ASSAY_BENCHMARK_COUNTERS"
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts a process.
    init(folder: URL, part: Int, of parts: Int) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Self.variable: "\(part) \(parts) \(folder.path)"], uniquingKeysWith: { $1 })
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Has all workers do the same at once, and returns when the last one is done.
    static func run(_ workers: [CounterWorker], _ command: String) throws {
        for worker in workers { try worker.input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8)) }
        for worker in workers {
            let answer = worker.output.fileHandleForReading.availableData
            require(answer == Data("done\n".utf8), "a worker says \(String(decoding: answer, as: UTF8.self))")
        }
    }

    /// Does what this process was started for. Returns whether it is a worker.
    static func serve() async throws -> Bool {
        guard let words = ProcessInfo.processInfo.environment[variable]?.split(separator: " ", maxSplits: 2),
            words.count == 3, let part = Int(words[0]), let parts = Int(words[1])
        else { return false }
        let devices = CounterFile.devices(part: part, of: parts)
        let ledger = try LedgerCounters(path: "\(words[2])/ledger", devices)
        let bare = BareCounters(path: "\(words[2])/bare", devices)
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Int(words[1]), let together = Int(words[2]) else { stop(line) }
            if words[0] == "ledger" {
                try await ledger.step(count, writers: together)
            } else {
                bare.step(count, together: together)
            }
            FileHandle.standardOutput.write(Data("done\n".utf8))
        }
        return true
    }
}
