/// A case of a suite that Assay refuses although the suite accepts it, and why that is right.
///
/// There is no register for the opposite: a wrong acceptance is never excused.
package struct Divergence: Sendable {
    let matches: @Sendable (String) -> Bool
    let name: String
    /// Why refusing is right.
    package let reason: String

    /// One case, by its identifier in the suite.
    package init(_ id: String, _ reason: String) {
        name = id
        matches = { $0 == id }
        self.reason = reason
    }

    /// All cases for which a condition holds, named for messages.
    package init(all name: String, where matches: @escaping @Sendable (String) -> Bool, _ reason: String) {
        self.name = name
        self.matches = matches
        self.reason = reason
    }
}
