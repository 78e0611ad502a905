import AndroidKey
import Assay
import AssayCore
import AssayPrimitives

extension AndroidKeyEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "root-certificate", EvidenceKind.androidKeyAttestation,
            reason:
                "roots are pinned by their keys: the certificate of a root that comes with a chain is dropped, and what is below "
                + "must be signed by a pinned key"
        ) { mutant in
            guard let (old, new) = certificates(mutant), let last = old.indices.last, new.count == old.count,
                old[..<last] == new[..<last], let before = key(of: old[last]), let after = key(of: new[last])
            else { return false }
            return before == after || testRoots(of: mutant).contains(after)
        },
        DontCare(
            "cross-certificate", EvidenceKind.androidKeyAttestation,
            reason:
                "an authority has a certificate of each root, for one name and one key: with either of them the chain leads to a "
                + "pinned key"
        ) { mutant in
            guard mutant.donor != nil, let (old, new) = certificates(mutant), old.count == new.count else {
                return false
            }
            return zip(old, new).allSatisfy { before, after in
                before == after
                    || subject(of: before).map { $0 == subject(of: after) && key(of: before) == key(of: after) } == true
            }
        },
    ]

    /// The public keys of the test roots that the policy of a mutant trusts.
    private static func testRoots(of mutant: Mutant) -> [[UInt8]] {
        let apps = mutant.vector.policy.apps.filter { $0.name == mutant.record.app }
        return apps.flatMap { app in
            (app.configuration(AndroidKeyConfiguration.self)?.testRoots ?? []).map { Array($0.subjectPublicKeyInfo) }
        }
    }

    /// Replaces each certificate of the chain with one of the donor's chain.
    static func splices(of donor: EvidenceRecord, into record: EvidenceRecord) -> [Splice] {
        guard record.kind == .androidKeyAttestation, donor.kind == .androidKeyAttestation else { return [] }
        let (own, others) = (certificates(record), certificates(donor))
        return own.indices.flatMap { index in
            others.indices.filter { $0 != index }.map { other in
                let path = RecordPath(steps: [.member("certificates"), .element(index)])
                return Splice(
                    part: "certificate", path: path,
                    record: record.replacing(path, with: .text(Base64.encode(others[other], .standard))))
            }
        }
    }

    private static func certificates(_ mutant: Mutant) -> ([[UInt8]], [[UInt8]])? {
        guard mutant.record.kind == .androidKeyAttestation else { return nil }
        return (certificates(mutant.vector.record), certificates(mutant.record))
    }

    private static func certificates(_ record: EvidenceRecord) -> [[UInt8]] {
        guard case .array(let values)? = record.evidence["certificates"]?.content else { return [] }
        return values.map { value in
            guard case .text(let text) = value.content else { return [] }
            return (try? Base64.decode(text, .standard)) ?? []
        }
    }

    private static func subject(of certificate: [UInt8]) -> [UInt8]? {
        (try? Certificate(der: certificate[...], profile: .keystore)).map { Array($0.subject) }
    }

    private static func key(of certificate: [UInt8]) -> [UInt8]? {
        (try? Certificate(der: certificate[...], profile: .keystore)).map { Array($0.subjectPublicKeyInfo) }
    }
}
