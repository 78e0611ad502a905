import Foundation

/// LedgerStress, running.
public final class StressProcess: LineProcess {
    /// Starts LedgerStress; with `setup`, shell commands that run before it as root of a mount namespace of their own.
    public init(setup: String? = nil) throws {
        try super.init(BuiltProducts.url("LedgerStress"), script: setup.map { "\($0); exec \"$0\"" })
    }
}
