/// A value that a field cannot carry.
public struct SerialisationError: Error, Equatable, CustomStringConvertible {
    /// What cannot be written, and what is allowed.
    public let description: String

    /// Describes what cannot be written.
    public init(_ description: String) { self.description = description }
}
