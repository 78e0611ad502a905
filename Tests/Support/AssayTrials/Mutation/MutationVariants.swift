import Assay
import AssayCore
import AssayTestSupport

/// Chooses the policy variant under which each change of a vector is judged.
///
/// Gates authenticate nearly all evidence and must reject its changes alone. Evidence that no gate authenticates is
/// judged under the strictest variant that accepts the vector: the receipt of an attestation, the challenge in an
/// assertion's client data, and Google's answers, which TLS protects.
struct MutationVariants: Sendable {
    /// The strictest variant that accepts the vector.
    let strictest: PolicyVariant
    /// The part of a field that a policy check evaluates.
    private let part: (part: String, field: String, range: Range<Int>)?
    private let policyParts: Set<String>

    /// No variant accepts the vector, although one must.
    struct NotAccepted: Error, CustomStringConvertible {
        let description: String
    }

    init(_ vector: AcceptedVector) async throws {
        var accepted: [PolicyVariant] = []
        for variant in PolicyVariant.allCases {
            var judge = try MutationJudge(vector, variant: variant)
            if try await judge.acceptsOriginal() { accepted.append(variant) }
        }
        guard accepted.contains(.bare), accepted.contains(.written), let last = accepted.last else {
            throw NotAccepted(description: "\(vector.name) is not accepted unchanged")
        }
        strictest = last
        let engine = EngineRegistry.standard.mutated(vector.record.kind)
        policyParts = engine?.policyParts(of: vector.record.kind) ?? []
        part = engine?.policyRange(in: vector.record)
    }

    /// The variant for changes of a whole part.
    func variant(ofPart part: String) -> PolicyVariant {
        policyParts.contains(part) ? strictest : .bare
    }

    /// Groups the numbers of changes by variant.
    func numbers(of field: MutationField, chosen: [Int]) -> [(PolicyVariant, [Int])] {
        guard let part, field.path.description == part.field else {
            return [(variant(ofPart: field.path.description), chosen)]
        }
        // In base64, three bytes are four characters.
        let covered =
            field.form == .bytes ? part.range : part.range.lowerBound / 3 * 4..<(part.range.upperBound + 2) / 3 * 4
        func isInPart(_ number: Int) -> Bool { covered.contains(ByteMutation(number: number).index) }
        return [(.bare, chosen.filter { !isInPart($0) }), (strictest, chosen.filter(isInPart))]
    }
}
