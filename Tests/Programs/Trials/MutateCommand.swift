import ArgumentParser
import AssayTrials
import Foundation

/// Mutates every accepted vector in every small way.
struct MutateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract: "Changes every accepted vector in every small way, and splices parts of one into another.",
        discussion: """
            With ASSAY_SHARED set, the shared vectors are changed as well. Exit status: 0 nothing was accepted beyond the \
            declared don't-cares, 1 something was; it stands in a file then.
            """)

    @Option(help: "Only vectors of this kind, such as app-attest.attestation. May be given several times.")
    var kind: [String] = []
    @Option(help: "Only vectors whose name contains this. May be given several times.")
    var name: [String] = []
    @Option(help: "At most so many changes of each field, chosen by the seed.")
    var sample: Int?
    @Option(help: "What chooses.")
    var seed: UInt64 = 1
    @Option(help: "How many tasks judge at a time; one for each processor by default.")
    var tasks: Int?
    @Option(help: "The folder for records that were wrongly accepted.")
    var output = ".build/mutants"

    func validate() throws {
        if let sample, sample < 1 { throw ValidationError("--sample is 1 or more") }
        if let tasks, tasks < 1 { throw ValidationError("--tasks is 1 or more") }
    }

    func run() async throws {
        var plan = MutationPlan()
        (plan.kinds, plan.names, plan.sample, plan.seed) = (kind, name, sample, seed)
        let vectors = try AcceptedVector.all()
        let start = ContinuousClock.now
        let splices = try await SpliceRun.run(vectors, plan: plan, tasks: tasks)
        let changes = try await MutationRun.run(vectors, plan: plan, tasks: tasks) { done, all in
            let seconds = (ContinuousClock.now - start).components.seconds
            Self.tell("\r\(done) of \(all) changes (\(done * 100 / max(all, 1)) %), \(seconds) s ")
        }
        Self.tell("\n")
        print(MutationTable("Every bit flipped, every byte left out and doubled, every end", changes).markdown)
        print(MutationTable("Parts of one vector in another, and other apps", splices).markdown)
        let problems = splices.problems + changes.problems
        try keep(problems)
        if changes.total.mutants == 0 { throw ValidationError("no vector is selected") }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// Writes wrongly accepted records to files for the `judge` command.
    private func keep(_ problems: [MutationTally.Problem]) throws {
        for (number, problem) in problems.enumerated() {
            Self.tell("wrong: \(problem.description)\n")
            guard !problem.records.isEmpty else { continue }
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            let path = "\(output)/\(number).ndjson"
            try Data(problem.records.utf8).write(to: URL(fileURLWithPath: path))
            Self.tell("    again: Trials judge \(path) \(problem.options)\n")
        }
    }

    private static func tell(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
