public import AssayCore
public import FoundationEssentials

extension ApproovEngine {
    /// Looks up the keys of a message's app, and what the ledger knows of its device, and assesses it; see
    /// ``ApproovMessageAssessor``.
    public func assess(
        _ input: ApproovMessageInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app)
        let signing: MessageSigning
        do { signing = try ApproovMessageAssessor.signing(of: expectations) } catch { throw .request(error) }
        let selection = try await tokenKeys(for: expectations, at: now)
        let messageKeys: KeySelection<ApproovMessageKey> =
            switch signing.signer {
            case .installation: KeySelection([], for: expectations.messageKeyClaim, at: now)
            case .account: try await selectKeys(expectations.messageKeyClaim, at: now)
            }
        var run = CheckRun(modes: expectations.modes, capacity: ApproovMessageAssessor.capacity(expectations))
        let token = ApproovMessageAssessor.authenticate(input, selection, expectations, &run)
        let standings = try await standings(of: token, in: ledger, at: now)
        let context = ApproovMessageAssessor.Context(
            input: input, signing: signing, keys: messageKeys, expectations: expectations, now: now)
        return context.assess(token, standings, &run)
    }
}
