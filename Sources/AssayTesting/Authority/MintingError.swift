/// Test evidence that cannot be minted: a part that was handed in is not what it has to be.
public struct MintingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was expected and what was found.
    public let description: String

    /// States what is wrong.
    package init(_ description: String) {
        self.description = description
    }
}
