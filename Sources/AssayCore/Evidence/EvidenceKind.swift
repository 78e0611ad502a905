/// A kind of evidence, such as `app-attest.assertion`.
public struct EvidenceKind: Hashable, Sendable, CustomStringConvertible {
    /// The dotted name that a record carries.
    public let name: String

    /// Names a kind. Whether an engine judges it is for the facade to say.
    public init(_ name: String) {
        self.name = name
    }

    /// The dotted name.
    public var description: String { name }
}
