import Foundation

/// Feeds a million assertions into a real `assay replay` and looks at its memory on the way.
struct ReplayMemoryRun {
    let keys: Int
    let rounds: Int
    private let limit = 128 * 1024

    /// Prints the resident memory after each tenth, and whether its peak stays below 128 MiB.
    func reachesTarget() throws -> Bool {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../.build/release/assay").standardizedFileURL
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            print("memory of assay replay: NOT SHOWN, there is no \(program.path); run `make build` first")
            return true
        }
        print("resident memory of assay replay while it judges \(keys * rounds) assertions")
        let policy = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: policy) }
        try Data(ReplaySubject.policyFile.utf8).write(to: policy)
        let process = Process()
        process.executableURL = program
        process.arguments = ["replay", "-", "--policy", policy.path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var minting = AssertionLines(keys: keys, appID: ReplaySubject.appID)
        var samples: [Int] = []
        for round in 1...rounds {
            try input.fileHandleForWriting.write(contentsOf: Data(minting.nextRound()))
            if round % max(1, rounds / 10) == 0 {
                samples.append(kibibytes("VmRSS", of: process.processIdentifier))
            }
        }
        let peak = kibibytes("VmHWM", of: process.processIdentifier)
        try input.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        demand(process.terminationStatus == 0, "assay replay exits with \(process.terminationStatus)")
        let isReached = peak > 0 && peak < limit
        print("after each tenth: \(samples.map { "\($0 / 1024)" }.joined(separator: " ")) MiB")
        print(text.split(separator: "\n").first.map { String($0) } ?? "")
        print("peak \(peak / 1024) MiB, target below 128 MiB, \(isReached ? "reached" : "MISSED")")
        return isReached
    }

    private func kibibytes(_ field: String, of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
