public import AssayCore
public import FoundationEssentials

extension ApproovEngine {
    /// Looks up the keys of a message's app, and what the ledger knows of its device, and assesses it.
    public func assess(
        _ input: ApproovMessageInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        throw .request(RequestError(.unknownKind, "messages"))
    }
}
