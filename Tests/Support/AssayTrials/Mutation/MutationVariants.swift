import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import PlayIntegrity

/// Which variant of its policy a change of a vector is judged under.
///
/// Gates authenticate nearly everything, and alone must refuse its changes. What they do not authenticate is judged under
/// every demand that the vector itself meets: an attestation's receipt, the challenge of an assertion, which a check of the
/// policy finds in its client data, and Google's answers, which come over TLS.
struct MutationVariants: Sendable {
    /// The strictest variant under which the vector is accepted.
    let strictest: PolicyVariant
    private let receipt: Range<Int>?
    private let kind: EvidenceKind

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
        kind = vector.record.kind
        receipt = AttestationParts(vector.record)?.receipt
    }

    /// The variant that a change of a whole part is judged under.
    func variant(ofPart part: String) -> PolicyVariant {
        let isPolicy: Bool =
            switch kind {
            case PlayIntegrityCheck.standardKind: part == "decoded"
            case AssertionCheck.kind: part == "challenge"
            case AttestationCheck.kind: part == "receipt"
            default: false
            }
        return isPolicy ? strictest : .bare
    }

    /// The numbers of changes by the variant that they are judged under.
    func numbers(of field: MutationField, chosen: [Int]) -> [(PolicyVariant, [Int])] {
        guard kind == AttestationCheck.kind, let receipt, field.path.description == "attestation" else {
            return [(variant(ofPart: field.path.description), chosen)]
        }
        // Three bytes are four characters.
        let covered =
            field.form == .bytes ? receipt : receipt.lowerBound / 3 * 4..<(receipt.upperBound + 2) / 3 * 4
        func isInReceipt(_ number: Int) -> Bool { covered.contains(ByteMutation(number: number).index) }
        return [(.bare, chosen.filter { !isInReceipt($0) }), (strictest, chosen.filter(isInReceipt))]
    }
}
