/// The stable dotted name of a check, such as `app-attest.attestation.nonce`.
///
/// Names are API: verdicts, metrics, logs, policies and vectors contain them. Never rename or reuse one.
public struct CheckID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The dotted name: the engine, the kind of evidence if the engine has several, and the check.
    public let name: String

    /// Names a check by a text from outside the program. In code, use the constants, such as `.appAttestAssertionCounter`: a
    /// misspelt one does not compile. `CheckCatalogue` has the checks that exist.
    public init(_ name: String) {
        self.name = name
    }

    /// The dotted name.
    public var description: String { name }

    /// Orders by name, for listings.
    public static func < (lhs: CheckID, rhs: CheckID) -> Bool { lhs.name < rhs.name }
}
