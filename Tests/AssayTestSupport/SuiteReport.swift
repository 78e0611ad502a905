/// A case of a third-party suite that Assay refuses although the suite accepts it, and why that is right.
///
/// There is no register for the opposite: a wrong acceptance is never excused.
public struct Divergence: Sendable {
    let matches: @Sendable (String) -> Bool
    let name: String
    /// Why refusing is right.
    public let reason: String

    /// One case, by its identifier in the suite.
    public init(_ id: String, _ reason: String) {
        name = id
        matches = { $0 == id }
        self.reason = reason
    }

    /// All cases for which a condition holds, named for messages.
    public init(all name: String, where matches: @escaping @Sendable (String) -> Bool, _ reason: String) {
        self.name = name
        self.matches = matches
        self.reason = reason
    }
}

/// The outcome of a third-party suite, held against its expectations and the register of divergences.
public struct SuiteReport: Sendable {
    /// How many cases were run.
    public private(set) var count = 0
    private var wrongAcceptances: [String] = []
    private var refusals: [String] = []

    /// Starts an empty report.
    public init() {}

    /// Records a case: whether the suite accepts it (nil when it leaves that open), and whether Assay does.
    public mutating func record(_ id: String, expected: Bool?, accepted: Bool) {
        count += 1
        if accepted, expected == false { wrongAcceptances.append(id) }
        if !accepted, expected == true { refusals.append(id) }
    }

    /// Everything that is wrong: accepted although the suite rejects, refused without a registered reason, registered
    /// without need, or fewer cases than there should be. Empty when all is well.
    public func problems(cases: Int, register: [Divergence] = []) -> [String] {
        var problems = wrongAcceptances.map { "wrongly accepted: \($0)" }
        problems += refusals.filter { id in !register.contains { $0.matches(id) } }.map { "wrongly refused: \($0)" }
        problems += register.filter { entry in !refusals.contains(where: entry.matches) }
            .map { "registered without need: \($0.name)" }
        if count != cases { problems.append("ran \(count) of \(cases) cases") }
        return problems
    }
}
