/// The ledger cannot decide. An outage gives no verdict, and never an acceptance.
public struct LedgerOutage: Outage, Equatable {
    /// The part that fails.
    public static let part = "ledger"
    /// The reason.
    public let code: OutageCode
    /// What happened, where, and what to do.
    public let message: String

    /// Describes an outage.
    public init(_ code: OutageCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
