import Foundation

/// The sanitizer of this test run. `Scripts/sanitize` sets the environment variable `ASSAY_SANITIZER`.
package enum Sanitizer {
    /// `thread` or `address`; nil without a sanitizer.
    package static let name = ProcessInfo.processInfo.environment["ASSAY_SANITIZER"]

    /// True without a sanitizer. For `.enabled(if:)` on tests that limit or search memory: sanitizers map terabytes.
    package static var isOff: Bool { name == nil }

    /// The reason for skipping a test that limits the size of files.
    package static let filesHint = "sanitizers map files, which a limit on their size cuts"

    /// The reason for skipping a test that limits or searches memory.
    package static let hint = "sanitizers map far more memory than this test allows or can search"

    /// The factor for time limits.
    package static var slowdown: Int { isOff ? 1 : 60 }

    /// The environment variables that make child processes use the same sanitizer.
    package static let environment = ProcessInfo.processInfo.environment.filter {
        $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "LD_PRELOAD"
    }
}
