import Assay
import AssayCore

/// Which policy checks judge a mutant. An unrelated policy check must not mask a wrong acceptance, and the check that catches a
/// mutant must not be missing: each mutant is judged under every variant.
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
            case .policy where self == .bare: modes[definition.id] = definition.mayBeOff ? .off : .annotate
            case .policy: modes[definition.id] = .enforce
            case .signal: modes[definition.id] = self == .bare ? .off : .annotate
            case .gate, .ledger: break
            }
        }
        return try VerificationPolicy(apps: policy.apps, keys: policy.keys, modes: modes, catalogue: Verifier.catalogue)
    }
}
