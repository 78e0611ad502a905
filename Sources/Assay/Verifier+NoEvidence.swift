public import AssayCore
public import FoundationEssentials

/// Direct calls for backends that have the parts of a request instead of a record.
extension Verifier {
    /// Judges the statement of a device that it can give no evidence, under the policy's `noEvidence`. An accepting verdict has
    /// ``CheckID/noneEvidence`` among its annotated checks. The ledger keeps nothing of it.
    ///
    /// - Parameters:
    ///   - input: the statement as the device sent it.
    ///   - app: the policy's app; nil for the only one with `noEvidence`.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; `.request` for an app without `noEvidence`.
    public func verify(
        _ input: DeviceStatementInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.noEvidence.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }
}
