import Foundation
import Logging
import Synchronization

/// How the log of the service is written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line, for programs.
    case json
    /// One line of text per entry, for a person.
    case text
}

/// The log of the service before the service is made, and of its libraries.
package enum ServiceLog {
    private static var logger: Logger { Logger(label: "assay") { _ in JSONLogHandler(level: .info) } }
    private static let format = Atomic(isatty(STDERR_FILENO) == 1)

    /// Whether entries are text: on a terminal, unless the configuration says otherwise.
    package static var isText: Bool { format.load(ordering: .relaxed) }

    /// Sets the format of all later entries.
    package static func use(_ format: LogFormat) { self.format.store(format == .text, ordering: .relaxed) }

    /// Makes warnings of all libraries entries of the log; otherwise swift-log writes them as plain lines. Call it once.
    package static func bootstrap() {
        LoggingSystem.bootstrap { _ in JSONLogHandler(level: .warning) }
    }

    /// Writes why the service does not run.
    package static func failure(_ problem: String) {
        logger.critical("not running", metadata: ["assay.problem": "\(problem)"])
    }

    /// Writes what happened at the start.
    package static func note(_ text: String) { logger.notice("start", metadata: ["assay.notice": "\(text)"]) }
}
