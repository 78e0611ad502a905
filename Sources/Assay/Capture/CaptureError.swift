/// Why a record cannot be captured, or a captured record cannot be opened.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    package enum Reason: String {
        /// The folder cannot be created, read or written.
        case folder
        /// A file cannot be written: a full disk, a quota or a limit.
        case file
        /// The record was written, but older files cannot be removed.
        case retention
        /// The capture was closed.
        case closed
        /// The record is too large to be read back, or its sensitive fields are unknown.
        case record
        /// A key is malformed or the wrong one.
        case key
        /// A sealed record cannot be opened.
        case sealed
        /// An option is out of range.
        case option
    }

    package let reason: Reason
    /// The stable code: `folder`, `file`, `retention`, `closed`, `record`, `key`, `sealed` or `option`.
    public var code: String { reason.rawValue }
    /// What failed, and why. It contains nothing of the record.
    public let message: String

    /// The sentence.
    public var description: String { message }

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}
