import Assay
import Foundation

/// What a client gets: a status, what it can do, and when to try again.
struct EvidenceAnswer: Equatable {
    var status = 200
    var remedy: Remedy?
    var retryAfter: Int?

    /// False and malformed evidence is a verdict. 401 says that another attempt can help, 403 that none will.
    init(_ verdict: Verdict) {
        remedy = verdict.remedy
        switch verdict.remedy {
        case nil: status = 200
        case .retry, .newChallenge, .newAttestation: status = 401
        default: status = 403
        }
    }

    /// Without a verdict nothing was accepted.
    init(_ error: VerificationError) {
        switch error {
        // The ledger, a key store or a service of the platform does not answer.
        case .outage: (status, retryAfter) = (503, 5)
        // The policy or the call is wrong: log the sentence. The client can do nothing about it.
        case .request: status = 500
        // A record that the client composed, for backends that take records.
        case .record: status = 400
        }
    }
}

/// Judges the assertion over a body. The error in `catch` is a `VerificationError`, so that the switch is complete.
func answer(to input: AssertionInput, by verifier: Verifier) async -> EvidenceAnswer {
    do throws(VerificationError) {
        return EvidenceAnswer(try await verifier.verify(input, at: Date()))
    } catch {
        return EvidenceAnswer(error)
    }
}
