import Assay
import AssayTestSupport

/// Selects the vectors and mutations to judge.
package struct MutationPlan: Sendable {
    /// Only vectors of these kinds; empty for all.
    package var kinds: [String] = []
    /// Only vectors whose name contains one of these texts; empty for all.
    package var names: [String] = []
    /// The maximum number of changes per field, chosen by the seed; nil for all.
    package var sample: Int?
    /// The seed that chooses changes.
    package var seed: UInt64 = 1
    /// The number of donors per vector, nearest first; nil for all.
    package var donors: Int?

    /// Selects every change of every vector.
    package init() {}

    /// A range of the changes of one field.
    struct Unit: Sendable {
        let vector: AcceptedVector
        let field: MutationField
        let numbers: [Int]
        let variant: PolicyVariant
        /// Whether this is the first range of its field. It counts the field.
        let isFirst: Bool
    }

    /// The number of changes that one task judges on one ledger.
    private static let unitSize = 4096

    func selects(_ vector: AcceptedVector) -> Bool {
        (kinds.isEmpty || kinds.contains { $0.isByteEqual(to: vector.record.kind.name) })
            && (names.isEmpty || names.contains { vector.name.contains($0) })
    }

    /// The work units of a vector.
    func units(of vector: AcceptedVector) async throws -> [Unit] {
        let variants = try await MutationVariants(vector)
        var units: [Unit] = []
        for field in MutationField.all(of: vector.record, keys: TokenKeys(besides: vector.policyURL)) {
            var isFirst = true
            for (variant, numbers) in variants.numbers(of: field, chosen: chosen(of: field)) {
                for start in stride(from: 0, to: numbers.count, by: Self.unitSize) {
                    let part = Array(numbers[start..<min(start + Self.unitSize, numbers.count)])
                    units.append(
                        Unit(vector: vector, field: field, numbers: part, variant: variant, isFirst: isFirst))
                    isFirst = false
                }
            }
        }
        return units
    }

    private func chosen(of field: MutationField) -> [Int] {
        let all = stride(from: 0, to: ByteMutation.count(of: field.original.count), by: field.stride)
        guard let sample, all.underestimatedCount > sample else { return Array(all) }
        var generator = SeededGenerator(seed: seed)
        return Array(Array(all).shuffled(using: &generator).prefix(sample)).sorted()
    }
}
