/// The stable dotted name of a check, such as `app-attest.attestation.nonce`.
///
/// Names are API: they stand in verdicts, metrics, logs, policies and vectors, and are never renamed or reused.
public struct CheckID: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The dotted name: the engine, the kind of evidence where there are several, the check.
    public let name: String

    /// Names a check. `Verifier.catalogue` lists those that exist.
    public init(_ name: String) {
        self.name = name
    }

    /// Names a check, as in `verdict.failed.contains("app-attest.assertion.counter")`.
    public init(stringLiteral name: String) {
        self.name = name
    }

    /// The dotted name.
    public var description: String { name }

    /// Orders by name, for listings.
    public static func < (lhs: CheckID, rhs: CheckID) -> Bool { lhs.name < rhs.name }
}
