import Foundation

/// A running LedgerStress process.
package final class StressProcess: LineProcess {
    /// Starts LedgerStress. `setup` has shell commands to run before it, as root of a new mount namespace.
    package init(setup: String? = nil) throws {
        try super.init(BuiltProducts.url("LedgerStress"), script: setup.map { "\($0); exec \"$0\"" })
    }
}
