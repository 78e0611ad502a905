import Assay
import AssayTestSupport

/// Which changes of which vectors are judged.
package struct MutationPlan: Sendable {
    /// Vectors of these kinds, or of all.
    package var kinds: [String] = []
    /// Vectors whose name contains one of these, or all.
    package var names: [String] = []
    /// How many changes of each field at most, chosen by the seed; nil for all.
    package var sample: Int?
    /// What chooses.
    package var seed: UInt64 = 1
    /// From how many other vectors, the nearest ones, parts are put into each; nil for all.
    package var donors: Int?

    /// Every change of every vector.
    package init() {}

    /// A stretch of the changes of one field.
    struct Unit: Sendable {
        let vector: AcceptedVector
        let field: MutationField
        let numbers: [Int]
        let variant: PolicyVariant
        /// Whether this is the first stretch, which stands for the field.
        let isFirst: Bool
    }

    /// Changes that are judged on one ledger before another task takes over.
    private static let unitSize = 4096

    func selects(_ vector: AcceptedVector) -> Bool {
        (kinds.isEmpty || kinds.contains { $0.isByteEqual(to: vector.record.kind.name) })
            && (names.isEmpty || names.contains { vector.name.contains($0) })
    }

    /// The work on a vector.
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
