package import Assay
package import AssayCore
package import AssayKeyStore
package import Foundation

/// Connects to Apple's services.
package protocol AppleConnector: Sendable {
    /// The queue of a ledger that has the kept receipts.
    var queue: String { get }

    /// Connects. Sends nothing before a receipt is exchanged.
    ///
    /// - Parameters:
    ///   - ledger: keeps the receipts.
    ///   - masterKey: opens and seals receipts; nil for none.
    ///   - servers: where the services are.
    /// - Throws: ``AppleServerError`` for a URL that is none.
    func connect(
        ledger: any LedgerAdministration, masterKey: MasterKey?, servers: AppleServers
    ) throws(AppleServerError) -> any AppleConnection

    /// Describes a kept receipt; nil for a task that cannot be read.
    func describe(_ task: LedgerTask) -> KeptReceiptDescription?
}

/// Where Apple's services are, for builds of all environments; nil for Apple's own servers.
package struct AppleServers: Sendable {
    /// The base URL of the server that exchanges receipts.
    package var appAttest: String?
    /// The base URL of DeviceCheck.
    package var deviceCheck: String?

    /// Apple's own servers.
    package init() {}
}

/// A URL of Apple's services that cannot be used.
package struct AppleServerError: Error {
    /// The configuration key.
    package let key: String
    /// What was found, and what is allowed.
    package let detail: String

    package init(key: String, detail: String) {
        self.key = key
        self.detail = detail
    }
}

/// A connection to Apple's services, which keeps the receipts of attestations, too.
package protocol AppleConnection: EngineService {
    /// Exchanges the receipt of a key now; nil if none is kept, or another process works on it.
    func exchange(
        keyID: [UInt8], _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: String, outage: (any Outage)?)?

    /// Exchanges the receipts that are due, at most one batch.
    ///
    /// - Returns: how many were due, and an outage after which others would fail too.
    func exchangeDue(_ verifier: Verifier) async throws(LedgerOutage) -> (count: Int, outage: (any Outage)?)

    /// Ends the connection.
    func shutdown() async
}

/// A kept receipt, without its bytes.
package struct KeptReceiptDescription: Sendable {
    package let app: String
    package let createdAt: Date
    package let expiresAt: Date
    package let riskMetric: Int?
    package let outcome: String?
    package let isSealed: Bool

    package init(
        app: String, createdAt: Date, expiresAt: Date, riskMetric: Int?, outcome: String?, isSealed: Bool
    ) {
        self.app = app
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.riskMetric = riskMetric
        self.outcome = outcome
        self.isSealed = isSealed
    }
}

/// Apple's services in the commands.
enum AppleServicesChoice {
    /// Connects; nil in a program without HTTP.
    @TaskLocal static var connector: (any AppleConnector)?

    /// Connects; nil in a program without HTTP.
    static func connection(
        ledger: any LedgerAdministration, masterKey: MasterKey?, servers: AppleServers = AppleServers()
    ) throws(CommandFailure) -> (any AppleConnection)? {
        do throws(AppleServerError) {
            return try connector?.connect(ledger: ledger, masterKey: masterKey, servers: servers)
        } catch {
            throw CommandFailure(.unreadable, "\(error.key): \(error.detail)")
        }
    }

    /// The connector, for a command that needs it.
    static func required(_ command: String) throws(CommandFailure) -> any AppleConnector {
        if let connector { return connector }
        throw CommandFailure(.usage, "\(command): this program was built without HTTP; `make install` has it")
    }
}
