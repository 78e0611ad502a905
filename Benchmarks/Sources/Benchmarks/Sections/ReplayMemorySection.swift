import Foundation

/// Feeds assertions into a real `assay replay` and looks at its memory on the way.
struct ReplayMemorySection: Section {
    let name = "replay-memory"
    let title = "Memory of `assay replay`"
    let note = "The peak of the program's resident memory as a share of what it may take: less is better."

    func figures(_ pace: Pace) async throws -> [Figure] {
        let (keys, rounds) = (1000, pace.count(1000))
        let subject = "a corpus of \(keys * rounds) assertions"
        guard FileManager.default.isExecutableFile(atPath: Places.program.path) else {
            return [
                Figure(
                    subject, against: "128 MiB", notShown: "there is no \(Places.program.path): run `make build`",
                    target: .atMost(1))
            ]
        }
        let policy = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: policy) }
        try Data(ReplaySubject.policyFile.utf8).write(to: policy)
        let process = Process()
        process.executableURL = Places.program
        process.arguments = ["replay", "-", "--policy", policy.path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let identifier = String(process.processIdentifier)
        var minting = AssertionLines(keys: keys, appID: ReplaySubject.appID)
        var samples: [Double] = []
        for round in 1...rounds {
            try input.fileHandleForWriting.write(contentsOf: Data(minting.nextRound()))
            if round % max(1, rounds / 10) == 0 { samples.append(ProcessMemory.mebibytes("VmRSS", of: identifier)) }
        }
        let peak = ProcessMemory.mebibytes("VmHWM", of: identifier)
        try input.fileHandleForWriting.close()
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        require(process.terminationStatus == 0, "assay replay exits with \(process.terminationStatus)")
        return [.memory(subject, peak: peak, limit: 128, samples: samples)]
    }
}
