import Foundation

/// What it takes to start the command line program, and to do something small with it.
struct StartUpSection: Section {
    let name = "start-up"
    let title = "Start of the command line program"
    let note = """
        Processor time of whole processes, the system's part included: as a share of 15 ms, less being better, and beside \
        programs that do nothing else than to start. The program is linked as `make install` and the packages \
        have it.
        """
    private static let limit = 0.015

    func figures(_ pace: Pace) async throws -> [Figure] {
        guard FileManager.default.isExecutableFile(atPath: Places.installed.path) else {
            return [
                Figure("assay --version", against: "15 ms", notShown: "run `make bench`", target: .atMost(1))
            ]
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let guide = Places.vectors.appendingPathComponent("app-attest")
        let (record, policy) = ("\(guide.path)/apple-guide-2026.json", "\(guide.path)/apple-guide-policy.yaml")
        func assay(_ name: String, _ arguments: [String]) -> ProgramRun {
            ProgramRun(name: "assay \(name)", path: Places.installed.path, arguments: arguments)
        }
        let version = assay("--version", ["--version"])
        let whole = [
            assay("verify of an attestation", ["verify", record, "--policy", policy, "--as-captured"]),
            assay("inspect of an attestation", ["inspect", record]),
        ]
        let bare = [
            try Self.compiled("a Swift program with Foundation", "import Foundation; print(Date())", in: folder),
            try Self.compiled("a Swift program", "print(1)", in: folder),
            ProgramRun(name: "/bin/true", path: "/bin/true", arguments: []),
        ]
        let runs = [version] + whole + bare
        var times = runs.map { _ in [Double]() }
        for round in 0...pace.rounds * 2 {
            for (index, run) in runs.enumerated() {
                let time = run.processorTime()
                // The first round brings the programs into memory.
                if round > 0 { times[index].append(time) }
            }
        }
        func milliseconds(_ index: Int) -> String { "\(significant(Spread(times[index]).median * 1e3)) ms" }
        let limited = [0, 1, 2].map { index in
            Figure(
                runs[index].name, against: "15 ms", ratios: times[index].map { $0 / Self.limit },
                target: index == 0 ? .atMost(1) : .none, detail: milliseconds(index))
        }
        let compared = [0, 1].flatMap { measured in
            (3..<runs.count).map { index in
                Figure(
                    runs[measured].name, against: runs[index].name,
                    ratios: zip(times[measured], times[index]).map { $1 / $0 }, target: .none,
                    detail: "\(milliseconds(measured)) against \(milliseconds(index))")
            }
        }
        return limited + compared
    }

    private static func compiled(_ name: String, _ source: String, in folder: URL) throws -> ProgramRun {
        let file = folder.appendingPathComponent("\(UUID().uuidString).swift")
        try Data(source.utf8).write(to: file)
        let program = file.deletingPathExtension().path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["swiftc", "-O", "-module-name", "bare", "-o", program, file.path]
        try compiler.run()
        compiler.waitUntilExit()
        require(compiler.terminationStatus == 0, "\(name) cannot be compiled")
        return ProgramRun(name: name, path: program, arguments: [])
    }
}
