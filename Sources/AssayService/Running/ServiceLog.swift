import Logging

/// The log of the service before the service is made, and of its libraries.
package enum ServiceLog {
    private static var logger: Logger { Logger(label: "assay") { _ in JSONLogHandler(level: .info) } }

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
