/// Why a check came out as it did, as a word that programs match, and what the word means.
///
/// Codes are API: they stand in verdicts, metrics, logs and vectors, and are never renamed. A finding can only be
/// composed from a declared code, and ``CheckDefinition/codes`` lists the codes of each check.
public struct CheckCode: Hashable, Sendable, CustomStringConvertible {
    /// The stable code in kebab case.
    public let name: String
    /// One sentence: what was found, and what to do about it.
    public let meaning: String

    /// Declares a code.
    package init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }

    /// The stable code.
    public var description: String { name }
}
