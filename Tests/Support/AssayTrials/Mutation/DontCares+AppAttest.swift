import AppAttest
import Assay
import AssayCore

extension DontCare {
    static let appAttest: [DontCare] = [
        DontCare(
            "receipt-not-demanded", AttestationCheck.kind,
            reason:
                "Apple's servers judge receipts; a policy demands a valid one only where it says so, and this vector has "
                + "none"
        ) { mutant in
            guard mutant.variant != .full, let (old, new) = attestations(mutant) else { return false }
            return contents(old.receipt, old) != contents(new.receipt, new) && haveSameSignedParts(old, new)
                && old.others.map { Array(old.bytes[$0]) } == new.others.map { Array(new.bytes[$0]) }
        },
        DontCare(
            "unsigned-extra-key", AttestationCheck.kind,
            reason:
                "keys of the attestation object that Apple's documentation does not name are ignored, as WebAuthn demands"
        ) { mutant in
            guard let (old, new) = attestations(mutant), !old.others.isEmpty else { return false }
            return old.bytes != new.bytes && haveSameSignedParts(old, new)
                && contents(old.receipt, old) == contents(new.receipt, new)
        },
        DontCare(
            "earlier-counter", AssertionCheck.kind,
            reason: "the stored counter may be any that is lower than the assertion's"
        ) { mutant in
            guard mutant.path.description == "key.counter", let assertion = AssertionParts(mutant.record),
                case .object(let key)? = mutant.record.evidence["key"]?.content,
                case .number(let digits)? = key["counter"]?.content, let counter = UInt32(digits)
            else { return false }
            return counter < assertion.counter
        },
    ]

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
