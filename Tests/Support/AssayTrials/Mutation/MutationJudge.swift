import Assay
import AssayCore

/// What became of changed evidence.
enum MutationOutcome: Sendable, Equatable {
    /// Refused: by the first check that failed.
    case refused(String)
    /// No record, or none of its kind.
    case unreadable
    /// Nobody to judge it: an app, or a key, that the policy does not have.
    case unasked
    case accepted
}

/// Judges changed evidence with the whole verifier, on a ledger that has seen what the original comes after.
///
/// A rejection changes nothing in a ledger, so one serves for many changes, until one is accepted.
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

    /// Judges a record at the time of the vector. An outage ends the run: nothing here can have one.
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

    /// Whether the vector itself is accepted after all that was refused before it.
    mutating func acceptsOriginal() async throws -> Bool { try await judge(vector.record) == .accepted }
}
