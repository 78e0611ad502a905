import Foundation
import Logging

/// The stream by which the journal of systemd reads standard error. It takes the priority of a line from a prefix, which it removes
/// (sd-daemon(3)).
enum JournalStream {
    /// Whether standard error is a stream of the journal: `JOURNAL_STREAM` names its device and inode (systemd.exec(5)).
    static let isStandardError = isJournal(
        STDERR_FILENO, stated: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

    /// Whether a descriptor is the stream that a variable states. A process whose standard error was redirected inherits the variable
    /// too.
    static func isJournal(_ descriptor: Int32, stated: String?) -> Bool {
        var status = stat()
        guard let stated, fstat(descriptor, &status) == 0 else { return false }
        return stated == "\(status.st_dev):\(status.st_ino)"
    }

    /// The priority of syslog(3), such as `<4>` for a warning.
    static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
