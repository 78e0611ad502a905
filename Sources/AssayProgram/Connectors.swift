package import Assay
import AssayAndroidStatus
import AssayAppleServices
package import AssayCore
import AssayGooglePlay
import AssayHTTPClient
import AssayKeyStore
import AssayLedgerPostgreSQL

/// Connects to Google's servers through AssayGooglePlay.
struct HTTPGoogleConnector: GoogleConnector {
    func check(url: String) throws(DecodeError) {
        _ = try ServerURL(url)
    }

    func connect(account: SecretBytes, url: String?) throws -> any GoogleConnection {
        var settings = PlayIntegrityClientSettings()
        if let url { settings.baseURL = try ServerURL(url) }
        return PlayIntegrityClient(account: try ServiceAccount(json: account), settings: settings)
    }
}

extension PlayIntegrityClient: GoogleConnection {}

/// Fetches Google's list of revoked attestation certificates through AssayAndroidStatus.
struct HTTPStatusListConnector: StatusListConnector {
    func connect(
        sharing documents: (any LedgerDocuments)?, url: String?
    ) throws(DecodeError) -> any StatusListConnection {
        var settings = AttestationStatusClientSettings()
        if let url { settings.url = try ServerURL(url) }
        return AttestationStatusClient(sharing: documents, settings: settings)
    }
}

extension AttestationStatusClient: StatusListConnection {}

/// Connects to Apple's servers through AssayAppleServices.
struct HTTPAppleConnector: AppleConnector {
    var queue: String { KeptReceipt.queue }

    func connect(
        ledger: any LedgerAdministration, masterKey: MasterKey?, servers: AppleServers
    ) throws(AppleServerError) -> any AppleConnection {
        var settings = AppleServicesSettings()
        if let url = try Self.url(servers.appAttest, of: "appAttestURL") {
            (settings.appAttest, settings.appAttestDevelopment) = (url, url)
        }
        if let url = try Self.url(servers.deviceCheck, of: "deviceCheckURL") {
            (settings.deviceCheck, settings.deviceCheckDevelopment) = (url, url)
        }
        return AppleServices(ledger: ledger, masterKey: masterKey, settings: settings)
    }

    private static func url(_ text: String?, of key: String) throws(AppleServerError) -> ServerURL? {
        guard let text else { return nil }
        do { return try ServerURL(text) } catch { throw AppleServerError(key: key, detail: error.detail) }
    }

    func describe(_ task: LedgerTask) -> KeptReceiptDescription? {
        guard let kept = try? KeptReceipt(task: task), let times = try? kept.times() else { return nil }
        return KeptReceiptDescription(
            app: kept.app, createdAt: times.createdAt, expiresAt: times.expiresAt, riskMetric: kept.riskMetric,
            outcome: kept.outcome?.rawValue, isSealed: kept.isSealed)
    }
}

extension AppleServices: AppleConnection {
    package func exchange(
        keyID: [UInt8], _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: String, outage: (any Outage)?)? {
        try await refresh(keyID: keyID, verifier).map { ($0.outcome.rawValue, $0.outage) }
    }

    package func exchangeDue(_ verifier: Verifier) async throws(LedgerOutage) -> (count: Int, outage: (any Outage)?) {
        let round = try await refreshDue(verifier)
        return (round.count, round.outage)
    }
}

/// Opens ledgers in PostgreSQL through libpq.
struct LibpqConnector: PostgreSQLConnector {
    func objection(to url: String) -> String? { PostgreSQLLedger.objection(to: url)?.description }

    func open(
        _ url: String, purging: LedgerPurging
    ) async throws(LedgerOutage) -> any LedgerAdministration & SealedKeyStorage {
        do { return try await PostgreSQLLedger.open(url, purging: purging) } catch { throw Self.outage(error) }
    }

    func openToMove(_ url: String) async throws(LedgerOutage) -> any MovableLedger & LedgerAdministration {
        do { return try await PostgreSQLLedger.openToMove(url) } catch { throw Self.outage(error) }
    }

    func create(_ url: String, grantingTo role: String?) async throws(LedgerOutage) -> Bool {
        do { return try await PostgreSQLLedger.create(url, grantingTo: role) } catch { throw Self.outage(error) }
    }

    private static func outage(_ error: any Error) -> LedgerOutage {
        error as? LedgerOutage ?? LedgerOutage(.unreachable, "\(error)")
    }
}
