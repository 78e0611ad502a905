import Foundation

/// The sanitizer that the tests run under, which `Scripts/sanitize` names in the environment variable `ASSAY_SANITIZER`.
package enum Sanitizer {
    /// Its name, `thread` or `address`, and nil without one.
    package static let name = ProcessInfo.processInfo.environment["ASSAY_SANITIZER"]

    /// Whether there is none. For `.enabled(if:)`, on tests that limit memory or search it: sanitizers map terabytes.
    package static var isOff: Bool { name == nil }

    /// What a skipped test says that limits the size of files.
    package static let filesHint = "sanitizers map files, which a limit on their size cuts"

    /// What a skipped test says.
    package static let hint = "sanitizers map far more memory than this test allows or can search"

    /// How many times as long as without it something may take.
    package static var slowdown: Int { isOff ? 1 : 60 }

    /// What children need to run under it as their parent does.
    package static let environment = ProcessInfo.processInfo.environment.filter {
        $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "LD_PRELOAD"
    }
}
