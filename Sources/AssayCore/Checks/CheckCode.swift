/// The stable code of a check's result, and its meaning. ``CheckDefinition/codes`` lists the codes of each check; those with which
/// the ledger refuses evidence, and those of engines that a backend acts on, are constants, such as ``counterNotIncreasing``.
///
/// Codes are API: verdicts, metrics, logs and vectors contain them. Never rename one.
public struct CheckCode: Hashable, Sendable, CustomStringConvertible {
    private let entry: Entry

    private final class Entry: Sendable {
        let name: String
        let meaning: String
        let remedy: Remedy?

        init(name: String, meaning: String, remedy: Remedy?) {
            (self.name, self.meaning, self.remedy) = (name, meaning, remedy)
        }
    }

    /// Declares a code, with a remedy if it differs from that of the check.
    package init(_ name: String, _ meaning: String, remedy: Remedy? = nil) {
        entry = Entry(name: name, meaning: meaning, remedy: remedy)
    }

    /// The stable code in kebab case.
    public var name: String { entry.name }
    /// One sentence: what was found, and what to do.
    public var meaning: String { entry.meaning }
    /// What a client can do about it; nil if that depends on the check.
    var remedy: Remedy? { entry.remedy }

    /// The stable code.
    public var description: String { name }

    /// Compares code and meaning: checks may use one code for different findings.
    public static func == (left: CheckCode, right: CheckCode) -> Bool {
        left.entry === right.entry
            || left.name == right.name && left.meaning == right.meaning && left.remedy == right.remedy
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
