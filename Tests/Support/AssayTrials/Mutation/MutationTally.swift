import Assay
import AssayCore
import Foundation

/// What came of changes of evidence of one kind.
package struct MutationTally: Sendable {
    /// A change that was accepted and must not be, or another broken rule.
    package struct Problem: Sendable {
        /// What was done to what.
        package let description: String
        /// What the ledger has seen before, and at the end what was wrongly accepted: records, one to a line. Empty when the
        /// problem is no acceptance.
        package let records: String
        /// The options that judge it again.
        package let options: String
    }

    /// Fields that were changed, counted once for each form.
    package internal(set) var fields = 0
    /// Changes that were judged.
    package internal(set) var mutants = 0
    /// Changes that make no record of the kind.
    package internal(set) var unreadable = 0
    /// Changes that make a record for an app, or under a key, that the policy does not have.
    package internal(set) var unasked = 0
    /// Verdicts that reject, by the first check that failed.
    package internal(set) var refusedBy: [String: Int] = [:]
    /// Acceptances that a declared rule covers, by its name.
    package internal(set) var dontCares: [String: Int] = [:]
    /// Everything else that was accepted.
    package internal(set) var wrongAcceptances = 0
    /// Those that are told one by one.
    package internal(set) var problems: [Problem] = []

    static let toldProblems = 200

    /// Verdicts that reject.
    package var refused: Int { refusedBy.values.reduce(0, +) }

    mutating func count(_ mutant: Mutant?, _ outcome: MutationOutcome) {
        mutants += 1
        switch outcome {
        case .refused(let check): refusedBy[check, default: 0] += 1
        case .unreadable: unreadable += 1
        case .unasked: unasked += 1
        case .accepted:
            guard let mutant else { return }
            if let rule = DontCare.rule(for: mutant) {
                dontCares[rule.name, default: 0] += 1
            } else {
                wrongAcceptances += 1
                report("\(mutant.vector.name): \(mutant.field), \(mutant.change) (\(mutant.variant.rawValue))", mutant)
            }
        }
    }

    mutating func report(_ description: String, _ mutant: Mutant? = nil) {
        guard problems.count < Self.toldProblems else { return }
        let records = mutant.map { $0.vector.preceding + [$0.record] } ?? []
        let options = mutant.map { "--policy \($0.vector.policyURL.path) --variant \($0.variant.rawValue)" } ?? ""
        problems.append(
            Problem(
                description: description, records: records.map { $0.jsonLine + "\n" }.joined(), options: options))
    }

    mutating func add(_ other: MutationTally) {
        fields += other.fields
        mutants += other.mutants
        unreadable += other.unreadable
        unasked += other.unasked
        refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
        dontCares.merge(other.dontCares, uniquingKeysWith: +)
        wrongAcceptances += other.wrongAcceptances
        problems = Array((problems + other.problems).prefix(Self.toldProblems))
    }
}
