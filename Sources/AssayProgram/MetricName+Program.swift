package import AssayCore
import AssayLedgerPostgreSQL
import AssayPlatforms
import AssayService

extension MetricName {
    /// The metrics of the service, and of the ledgers and clients that the program gives it.
    package static let program: [MetricName] = service + postgreSQL + statusList + googlePlay + appleServices
}
