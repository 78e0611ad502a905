import AppAttest
import Assay
import AssayCore
import AssayPrimitives

extension AppAttestEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "receipt-not-demanded", EvidenceKind.appAttestAttestation,
            reason:
                "Apple's servers judge receipts; a policy demands a valid one only where it says so, and this vector has "
                + "none"
        ) { mutant in
            guard mutant.variant != .full, let (old, new) = attestations(mutant) else { return false }
            return contents(old.receipt, old) != contents(new.receipt, new) && haveSameSignedParts(old, new)
                && old.others.map { Array(old.bytes[$0]) } == new.others.map { Array(new.bytes[$0]) }
        },
        DontCare(
            "unsigned-extra-key", EvidenceKind.appAttestAttestation,
            reason:
                "keys of the attestation object that Apple's documentation does not name are ignored, as WebAuthn demands"
        ) { mutant in
            guard let (old, new) = attestations(mutant), !old.others.isEmpty else { return false }
            return old.bytes != new.bytes && haveSameSignedParts(old, new)
                && contents(old.receipt, old) == contents(new.receipt, new)
        },
        DontCare(
            "earlier-counter", EvidenceKind.appAttestAssertion, EvidenceKind.appAttestRequest,
            reason: "the stored counter may be any that is lower than the assertion's"
        ) { mutant in
            guard mutant.path.description == "key.counter", let assertion = AssertionParts(mutant.record),
                case .object(let key)? = mutant.record.evidence["key"]?.content,
                case .number(let digits)? = key["counter"]?.content, let counter = UInt32(digits)
            else { return false }
            return counter < assertion.counter
        },
    ]

    static func policyParts(of kind: EvidenceKind) -> Set<String> {
        switch kind {
        case EvidenceKind.appAttestAttestation: ["receipt"]
        case EvidenceKind.appAttestAssertion: ["challenge"]
        default: []
        }
    }

    /// The range of the receipt in an attestation.
    static func policyRange(in record: EvidenceRecord) -> (part: String, field: String, range: Range<Int>)? {
        AttestationParts(record)?.receipt.map { ("receipt", "attestation", $0) }
    }

    /// Replaces certificates, receipts, authenticator data and signatures.
    static func splices(of donor: EvidenceRecord, into record: EvidenceRecord) -> [Splice] {
        if let own = AttestationParts(record), let others = AttestationParts(donor) {
            var ranges = zip(own.certificates, others.certificates).map { ("certificate", $0, $1) }
            if let range = own.receipt, let other = others.receipt { ranges.append(("receipt", range, other)) }
            if let range = own.authenticatorData, let other = others.authenticatorData {
                ranges.append(("authenticatorData", range, other))
            }
            return ranges.map { part, range, other in
                splice(part, others.bytes[other], into: range, of: own.bytes, field: "attestation", record)
            }
        }
        guard record.kind == .appAttestAssertion, let own = AssertionParts(record), let others = AssertionParts(donor)
        else { return [] }
        return [(own.signature, others.signature), (own.authenticatorData, others.authenticatorData)].map {
            splice("assertion", others.bytes[$1], into: $0, of: own.bytes, field: "assertion", record)
        }
    }

    private static func splice(
        _ part: String, _ bytes: ArraySlice<UInt8>, into range: Range<Int>, of own: [UInt8], field: String,
        _ record: EvidenceRecord
    ) -> Splice {
        let path = RecordPath(steps: [.member(field)])
        let spliced = AttestationParts.replacing(range, of: own, with: Array(bytes))
        return Splice(
            part: part, path: path, record: record.replacing(path, with: .text(Base64.encode(spliced, .standard))))
    }

    private static func attestations(_ mutant: Mutant) -> (AttestationParts, AttestationParts)? {
        guard mutant.path.description == "attestation", let old = AttestationParts(mutant.vector.record),
            let new = AttestationParts(mutant.record)
        else { return nil }
        return (old, new)
    }

    private static func contents(_ range: Range<Int>?, _ parts: AttestationParts) -> [UInt8]? {
        range.map { Array(parts.bytes[$0]) }
    }

    private static func haveSameSignedParts(_ old: AttestationParts, _ new: AttestationParts) -> Bool {
        contents(old.authenticatorData, old) == contents(new.authenticatorData, new)
            && old.certificates.map { Array(old.bytes[$0]) } == new.certificates.map { Array(new.bytes[$0]) }
    }
}
