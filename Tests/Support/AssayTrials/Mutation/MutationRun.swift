import Assay
import AssayTestSupport
import Foundation

/// Mutates accepted evidence in every small way and judges the results.
package enum MutationRun {
    /// The results of a run.
    package struct Outcome: Sendable {
        /// The results by kind of evidence.
        package internal(set) var kinds: [String: MutationTally] = [:]
        /// The number of mutated vectors by kind.
        package internal(set) var vectors: [String: Int] = [:]

        /// All problems.
        package var problems: [MutationTally.Problem] { kinds.sorted { $0.key < $1.key }.flatMap { $0.value.problems } }
        /// The sum over all kinds.
        package var total: MutationTally { kinds.values.reduce(into: MutationTally()) { $0.add($1) } }
    }

    /// Runs a plan with `tasks` parallel tasks; nil for one per processor.
    ///
    /// - Parameter progress: receives the number of judged changes and the total.
    package static func run(
        _ vectors: [AcceptedVector], plan: MutationPlan,
        tasks: Int? = nil,
        progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        var units: [MutationPlan.Unit] = []
        var outcome = Outcome()
        for vector in vectors where plan.selects(vector) {
            units += try await plan.units(of: vector)
            outcome.vectors[vector.record.kind.name, default: 0] += 1
        }
        let all = units.reduce(0) { $0 + $1.numbers.count }
        var done = 0
        try await withThrowingTaskGroup(of: (String, MutationTally).self) { group in
            var waiting = units.makeIterator()
            for _ in 0..<(tasks ?? ProcessInfo.processInfo.activeProcessorCount) {
                guard let unit = waiting.next() else { break }
                group.addTask { (unit.vector.record.kind.name, try await judge(unit)) }
            }
            while let (kind, tally) = try await group.next() {
                outcome.kinds[kind, default: MutationTally()].add(tally)
                done += tally.mutants
                progress(done, all)
                guard let unit = waiting.next() else { continue }
                group.addTask { (unit.vector.record.kind.name, try await judge(unit)) }
            }
        }
        return outcome
    }

    private static func judge(_ unit: MutationPlan.Unit) async throws -> MutationTally {
        var tally = MutationTally()
        if unit.isFirst { tally.fields = 1 }
        var judge = try MutationJudge(unit.vector, variant: unit.variant)
        for number in unit.numbers {
            let mutation = ByteMutation(number: number)
            let changed = mutation.apply(to: unit.field.original)
            guard let record = unit.field.record(unit.vector.record, changedTo: changed) else {
                tally.count(nil, .unreadable)
                continue
            }
            let outcome = try await judge.judge(record)
            let mutant = Mutant(
                vector: unit.vector, field: "\(unit.field.path) (\(unit.field.form.rawValue))", path: unit.field.path,
                change: "\(mutation)", record: record, variant: unit.variant)
            tally.count(mutant, outcome)
        }
        if try await !judge.acceptsOriginal() {
            tally.report("\(unit.vector.name): \(unit.field.name): what was refused changed something in the ledger")
        }
        return tally
    }
}
