import Assay
import AssayCore

/// How much of a policy is held against changed evidence. No change may hide behind a demand that it fails by chance, and
/// none be forgiven for want of the demand that is there to catch it.
enum PolicyVariant: String, Sendable, CaseIterable {
    /// Gates and the ledger alone: every policy check is off.
    case bare
    /// The policy as it is written.
    case written
    /// Every policy check is enforced.
    case full

    func applied(to policy: VerificationPolicy) throws -> VerificationPolicy {
        guard self != .written else { return policy }
        var modes = policy.modes
        for definition in Verifier.catalogue {
            switch definition.kind {
            case .policy: modes[definition.id] = self == .bare ? .off : .enforce
            case .signal: modes[definition.id] = self == .bare ? .off : .annotate
            case .gate, .ledger: break
            }
        }
        return try VerificationPolicy(apps: policy.apps, keys: policy.keys, modes: modes, catalogue: Verifier.catalogue)
    }
}
