import Assay
import AssayCore
import AssayInspection
import AssayTestSupport

/// Which variant of its policy a change of a vector is judged under.
///
/// Gates authenticate nearly everything, and alone must refuse its changes. What they do not authenticate is judged under
/// every demand that the vector itself meets: an attestation's receipt, the challenge of an assertion, which a check of the
/// policy finds in its client data, and Google's answers, which come over TLS.
struct MutationVariants: Sendable {
    /// The strictest variant under which the vector is accepted.
    let strictest: PolicyVariant
    /// The part of a field's bytes that a policy check looks at.
    private let part: (part: String, field: String, range: Range<Int>)?
    private let policyParts: Set<String>

    /// The vector is not accepted where it must be.
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

    /// The variant that a change of a whole part is judged under.
    func variant(ofPart part: String) -> PolicyVariant {
        policyParts.contains(part) ? strictest : .bare
    }

    /// The numbers of changes by the variant that they are judged under.
    func numbers(of field: MutationField, chosen: [Int]) -> [(PolicyVariant, [Int])] {
        guard let part, field.path.description == part.field else {
            return [(variant(ofPart: field.path.description), chosen)]
        }
        // Three bytes are four characters.
        let covered =
            field.form == .bytes ? part.range : part.range.lowerBound / 3 * 4..<(part.range.upperBound + 2) / 3 * 4
        func isInPart(_ number: Int) -> Bool { covered.contains(ByteMutation(number: number).index) }
        return [(.bare, chosen.filter { !isInPart($0) }), (strictest, chosen.filter(isInPart))]
    }
}
