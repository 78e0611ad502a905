/// The stable dotted name of a check, such as `app-attest.attestation.nonce`.
///
/// Names are API: verdicts, metrics, logs, policies and vectors contain them. Never rename or reuse one.
public struct CheckID: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The dotted name: the engine, the kind of evidence if the engine has several, and the check.
    public let name: String

    /// Names a check. `Verifier.catalogue` lists the existing ones.
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
