import AssayTesting
import Foundation

/// Two threads against one, on each engine's paths.
struct ThreadsSection: Section {
    let name = "threads"
    let title = "Two threads against one"
    let note = """
        What two threads get done in units of what one does, each with evidence of its own and the policy shared. Wall time. \
        A machine whose second processor is not all its own gives the bare operation less than 2 as well, so the target is \
        1.9 or a share of 0.97 of what the bare operation gains in the same rounds.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        let appAttest = try AppAttestSubject()
        let classic = try ClassicTokenSubject(now: Date(timeIntervalSince1970: 1_795_132_800))
        let standard = try StandardAnswerSubject(now: Date(timeIntervalSince1970: 1_795_132_800))
        let approov = try ApproovTokenSubject(now: Date())
        let signedByKey = try ApproovTokenSubject(now: Date(), form: .signedES256)
        let encrypted = try ApproovTokenSubject(now: Date(), form: .encrypted)
        let messages = try ApproovMessageSubject(now: Date())
        let scaling = Scaling(
            pace: pace, bare: .thread("bare P-256", appAttest.bareP256), bareWork: appAttest.bareP256)
        return [
            try await scaling.figure("assertion") { appAttest.copied().assertions },
            try await scaling.figure("attestation, intermediate known") {
                appAttest.copied().attestationsWithoutReceipt
            },
            try await scaling.figure("attestation with its receipt") { appAttest.copied().attestations },
            try await scaling.figure("classic integrity token") { classic.copied().verify },
            try await scaling.figure("decoded standard answer") { standard.copied().assess },
            try await scaling.figure("Approov token (HS256)") { approov.copied().assess },
            try await scaling.figure("Approov token (ES256)") { signedByKey.copied().assess },
            try await scaling.figure("Approov token (JWE)") { encrypted.copied().assess },
            try await scaling.figure("signed message without a body") { messages.copied().assessReads },
            try await scaling.figure("signed message with a body") { messages.copied().assessWrites },
        ]
    }
}
