import AssayCLI
import AssayCore
import AssayKeyStore
import AssayLedgerPostgreSQL

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

    func upgrade(_ url: String) async throws(LedgerOutage) -> (from: Int, to: Int) {
        do { return try await PostgreSQLLedger.upgrade(url) } catch { throw Self.outage(error) }
    }

    private static func outage(_ error: any Error) -> LedgerOutage {
        error as? LedgerOutage ?? LedgerOutage(.unreachable, "\(error)")
    }
}
