import AssayAndroidStatus
import AssayAppleServices
package import AssayCore
import AssayGooglePlay
import AssayLedgerPostgreSQL
import AssayService

extension MetricName {
    /// The metrics of the service, and of the ledgers and clients that the program gives it.
    package static let program: [MetricName] = service + postgreSQL + statusList + googlePlay + appleServices
}
