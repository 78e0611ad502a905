/// A kind of evidence, such as `app-attest.assertion`.
public struct EvidenceKind: Hashable, Sendable, CustomStringConvertible {
    /// The dotted name that a record carries.
    public let name: String

    /// Names a kind. `Verifier.kinds` lists those that an engine judges.
    public init(_ name: String) {
        self.name = name
    }

    /// The dotted name.
    public var description: String { name }
}
