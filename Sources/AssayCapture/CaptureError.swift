/// Why a record could not be captured.
public struct CaptureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, and what went wrong.
    public let message: String

    /// Describes what went wrong.
    public init(_ message: String) {
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
