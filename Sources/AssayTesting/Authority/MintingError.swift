/// A part of the requested test evidence is invalid.
public struct MintingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The expected and the found value.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
