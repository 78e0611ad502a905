/// What came of the cases of a suite, held against its expectations and the register of divergences.
package struct SuiteReport: Sendable {
    /// A case that is not held against the suite.
    package struct Inapplicable: Sendable {
        /// The case.
        package let id: String
        /// Why.
        package let reason: String
    }

    /// A case that is refused although the suite accepts it, with the reason from the register.
    package struct RegisteredRefusal: Sendable {
        /// The case.
        package let id: String
        /// Why that is right.
        package let reason: String
    }

    /// How many cases the suite has, by its own count.
    package let cases: Int
    /// What may be refused.
    var register: [Divergence]
    /// Cases that the suite accepts, and Assay too.
    package private(set) var acceptedRightly = 0
    /// Cases that the suite refuses, and Assay too.
    package private(set) var refusedRightly = 0
    /// Cases whose outcome the suite leaves open.
    package private(set) var open = 0
    /// Cases that the suite refuses and Assay accepts.
    package private(set) var wrongAcceptances: [String] = []
    /// Cases that are not held against the suite.
    package private(set) var inapplicable: [Inapplicable] = []
    /// Cases that the suite accepts and Assay refuses, registered or not.
    private var refusals: [String] = []
    /// Why some were refused, in our words.
    private var objections: [String: String] = [:]
    private var broken: [String] = []

    package init(cases: Int, register: [Divergence] = []) {
        self.cases = cases
        self.register = register
    }

    /// Records a case: whether the suite accepts it (nil when it leaves that open), and whether Assay does.
    ///
    /// - Parameter objection: why it is refused, in our words, for whoever looks for a reason.
    package mutating func record(_ id: String, expected: Bool?, accepted: Bool, because objection: String? = nil) {
        objections[id] = objection
        switch (expected, accepted) {
        case (true, true): acceptedRightly += 1
        case (false, false): refusedRightly += 1
        case (nil, _): open += 1
        case (false, true): wrongAcceptances.append(id)
        case (true, false): refusals.append(id)
        }
    }

    /// Records a case that is not held against the suite.
    package mutating func skip(_ id: String, _ reason: String) {
        inapplicable.append(Inapplicable(id: id, reason: reason))
    }

    /// Demands something more than acceptance or refusal, such as what was read.
    package mutating func demand(_ condition: Bool, _ rule: @autoclosure () -> String) {
        if !condition { broken.append(rule()) }
    }

    /// How many cases are held against the suite.
    package var applicable: Int {
        acceptedRightly + refusedRightly + open + wrongAcceptances.count + refusals.count
    }

    /// Refusals with a registered reason.
    package var divergences: [RegisteredRefusal] {
        refusals.compactMap { id in
            register.first { $0.matches(id) }.map { RegisteredRefusal(id: id, reason: $0.reason) }
        }
    }

    /// Refusals without one.
    package var wrongRefusals: [String] { refusals.filter { id in !register.contains { $0.matches(id) } } }

    /// Everything that is wrong, in words. Empty when all is well.
    package var problems: [String] {
        var problems = wrongAcceptances.map { "wrongly accepted: \($0)" }
        problems += wrongRefusals.map { "wrongly refused: \($0)" + (objections[$0].map { " (\($0))" } ?? "") }
        problems += register.filter { entry in !refusals.contains(where: entry.matches) }
            .map { "registered without need: \($0.name)" }
        problems += broken
        let seen = applicable + inapplicable.count
        if seen != cases { problems.append("\(seen) of \(cases) cases have an outcome") }
        return problems
    }
}
