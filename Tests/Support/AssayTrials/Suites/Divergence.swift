/// A suite's case that the suite accepts and Assay rejects, and why the rejection is correct.
///
/// There is no register for the opposite: a wrong acceptance is never excused.
package struct Divergence: Sendable {
    let matches: @Sendable (String) -> Bool
    let name: String
    /// Why the rejection is correct.
    package let reason: String

    /// Registers one case by its identifier in the suite.
    package init(_ id: String, _ reason: String) {
        name = id
        matches = { $0 == id }
        self.reason = reason
    }

    /// Registers all cases that match a condition. `name` is for messages.
    package init(all name: String, where matches: @escaping @Sendable (String) -> Bool, _ reason: String) {
        self.name = name
        self.matches = matches
        self.reason = reason
    }
}
