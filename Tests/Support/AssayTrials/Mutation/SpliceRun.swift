import Assay
import Foundation

/// Splices parts of accepted vectors into each other.
package enum SpliceRun {
    /// Judges every splice of two vectors of one kind and policy, and every vector under the other apps.
    ///
    /// - Returns: the results by kind. `fields` is 0.
    package static func run(
        _ vectors: [AcceptedVector], plan: MutationPlan, tasks: Int? = nil
    ) async throws -> MutationRun.Outcome {
        let selected = vectors.filter(plan.selects)
        var outcome = MutationRun.Outcome()
        try await withThrowingTaskGroup(of: (String, MutationTally).self) { group in
            var waiting = selected.makeIterator()
            func add(_ vector: AcceptedVector) {
                let all = selected.filter { $0.policyURL == vector.policyURL && $0.record.kind == vector.record.kind }
                let own = all.firstIndex { $0.name == vector.name } ?? 0
                // Start after the vector itself, so that a limited number of donors differs for each vector.
                let donors = all[own...].dropFirst() + all[..<own]
                let chosen = Array(donors.prefix(plan.donors ?? donors.count))
                group.addTask { (vector.record.kind.name, try await judge(vector, chosen)) }
            }
            for _ in 0..<(tasks ?? ProcessInfo.processInfo.activeProcessorCount) {
                if let vector = waiting.next() { add(vector) }
            }
            while let (kind, tally) = try await group.next() {
                outcome.kinds[kind, default: MutationTally()].add(tally)
                outcome.vectors[kind, default: 0] += 1
                if let vector = waiting.next() { add(vector) }
            }
        }
        return outcome
    }

    private static func judge(_ vector: AcceptedVector, _ donors: [AcceptedVector]) async throws -> MutationTally {
        let variants = try await MutationVariants(vector)
        var judges: [PolicyVariant: MutationJudge] = [:]
        var tally = MutationTally()
        let splices = donors.flatMap { donor in Splice.all(of: donor, into: vector).map { ($0, donor) } }
        for (splice, donor) in splices + Splice.otherApps(vector).map({ ($0, vector) }) {
            let variant = variants.variant(ofPart: splice.part)
            var judge = try judges[variant] ?? MutationJudge(vector, variant: variant)
            let outcome = try await judge.judge(splice.record)
            judges[variant] = judge
            let mutant = Mutant(
                vector: vector, field: "\(splice.path) (\(splice.part))", path: splice.path,
                change: "from \(donor.name)",
                record: splice.record, variant: variant, donor: splice.part == "segment" ? nil : donor)
            tally.count(mutant, outcome)
        }
        return tally
    }
}
