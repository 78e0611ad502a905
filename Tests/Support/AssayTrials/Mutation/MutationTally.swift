import Assay
import AssayCore
import Foundation

/// The results of mutating evidence of one kind.
package struct MutationTally: Sendable {
    /// A wrong acceptance or another violated rule.
    package struct Problem: Sendable {
        /// The mutated field and the change.
        package let description: String
        /// The records to reproduce it, one per line: those that the ledger must see first, and the wrongly accepted
        /// one. Empty for other problems.
        package let records: String
        /// The command-line options that judge it again.
        package let options: String
    }

    /// The number of mutated fields, counted once per form.
    package internal(set) var fields = 0
    /// The number of judged mutants.
    package internal(set) var mutants = 0
    /// The number of mutants that are no record of the kind.
    package internal(set) var unreadable = 0
    /// The number of mutants for an app or a key that the policy does not have.
    package internal(set) var unasked = 0
    /// The number of rejections by first failed check.
    package internal(set) var refusedBy: [String: Int] = [:]
    /// The number of permitted acceptances by name of the rule.
    package internal(set) var dontCares: [String: Int] = [:]
    /// The number of wrong acceptances.
    package internal(set) var wrongAcceptances = 0
    /// The problems described one by one. The number is limited.
    package internal(set) var problems: [Problem] = []

    static let toldProblems = 200

    /// The number of rejections.
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
