import Foundation

/// LedgerStress, running.
package final class StressProcess: LineProcess {
    /// Starts LedgerStress; with `setup`, shell commands that run before it as root of a mount namespace of their own.
    package init(setup: String? = nil) throws {
        try super.init(BuiltProducts.url("LedgerStress"), script: setup.map { "\($0); exec \"$0\"" })
    }
}
