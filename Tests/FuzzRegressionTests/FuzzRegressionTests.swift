import AssayFuzzTargets
import AssayTestSupport
import Foundation
import Testing

/// Runs every target of the fuzzer, each in a process of its own, over its seeds, what once found something, and
/// changes of the seeds that are the same each time.
@Suite(.timeLimit(.minutes(20)))
struct FuzzRegressionTests {
    /// How many changed seeds each target gets.
    private static let mutations = 150

    @Test(
        "no input that the fuzzer started from or found something with breaks a rule",
        arguments: FuzzTarget.all.filter { !$0.needsPeers }.map(\.name))
    func keepsItsRules(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Self.inputs(of: target)
        #expect(inputs.count > Self.mutations, "a target without seeds runs over nothing")
        let run = try ReplayRun(name, inputs)
        guard run.isComplete else {
            Issue.record(
                """
                \(name) ended with status \(run.status) at input \(run.done + 1) of \(inputs.count): \(run.errors)
                base64: \(Data(inputs[min(run.done, inputs.count - 1)]).base64EncodedString())
                """)
            return
        }
        #expect(run.done == inputs.count)
    }

    @Test("a run that does not come through its inputs is noticed")
    func noticesEnds() throws {
        let run = try ReplayRun("no-such-target", [[]])
        #expect(!run.isComplete && run.done == 0)
    }

    @Test("each target has a name of its own and seeds within its length")
    func areWellFormed() throws {
        let names = FuzzTarget.all.map(\.name)
        #expect(Set(names).count == names.count)
        for target in FuzzTarget.all {
            let seeds = try target.seeds()
            #expect(!seeds.isEmpty && seeds.allSatisfy { $0.count <= target.maximumLength }, "\(target.name)")
        }
    }

    @Test("each folder of regressions is that of a target")
    func regressionsHaveTargets() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.regressions.path)
        #expect(Set(folders).subtracting([".gitkeep"]).isSubset(of: FuzzTarget.all.map(\.name)))
    }

    @Test("the tables of the documentation name each target, once")
    func areDocumented() throws {
        let text = try String(
            contentsOf: Self.regressions.appendingPathComponent("../README.md").standardizedFileURL, encoding: .utf8)
        let cells = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.dropFirst(2).prefix { $0 != "|" } }
        let names = cells.flatMap { cell in
            cell.split(separator: ",").map { $0.trimmingCharacters(in: ["`", " "]) }
        }
        #expect(names.sorted() == FuzzTarget.all.map(\.name).sorted())
    }

    private static let regressions = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fuzz/Regressions").standardizedFileURL

    private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let seeds = try target.seeds()
        let folder = regressions.appendingPathComponent(target.name).path
        var inputs = seeds + [[]]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder, orNone: true).sorted() {
            inputs.append(Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))))
        }
        var generator = SeededGenerator(seed: 2026)
        for _ in 0..<mutations {
            guard let seed = seeds.randomElement(using: &generator) else { break }
            inputs.append(Array(generator.mutated(seed).prefix(target.maximumLength)))
        }
        return inputs
    }
}

extension FileManager {
    fileprivate func contentsOfDirectory(atPath path: String, orNone: Bool) throws -> [String] {
        orNone && !fileExists(atPath: path) ? [] : try contentsOfDirectory(atPath: path)
    }
}
