import Assay
import AssayCore

/// The outcome of judging a mutant.
enum MutationOutcome: Sendable, Equatable {
    /// Rejected; the value is the first failed check.
    case refused(String)
    /// No record, or a record of another kind.
    case unreadable
    /// Not judged: the policy has no such app or key.
    case unasked
    case accepted
}

/// Judges mutants with the whole verifier, on a ledger that contains the records preceding the original.
///
/// A rejection does not change the ledger, so one ledger serves many mutants, until one is accepted.
struct MutationJudge {
    private let vector: AcceptedVector
    private let policy: VerificationPolicy
    private var verifier: Verifier
    private var isFresh = false

    init(_ vector: AcceptedVector, variant: PolicyVariant) throws {
        self.vector = vector
        policy = try variant.applied(to: vector.policy)
        verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
    }

    /// Judges a record at the time of the vector. Throws on an outage, which nothing here can cause.
    mutating func judge(_ record: EvidenceRecord) async throws -> MutationOutcome {
        if !isFresh {
            verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
            for record in vector.preceding {
                _ = try await verifier.verify(record, at: record.receivedAt ?? vector.time)
            }
            isFresh = true
        }
        do {
            let verdict = try await verifier.verify(record, at: vector.time)
            guard verdict.outcome == .accept else { return .refused(verdict.failed.first?.name ?? "none") }
            isFresh = false
            return .accepted
        } catch .record {
            return .unreadable
        } catch .request {
            return .unasked
        } catch {
            throw error
        }
    }

    /// Whether the original vector is still accepted after all rejected mutants.
    mutating func acceptsOriginal() async throws -> Bool { try await judge(vector.record) == .accepted }
}
