/// The results of a suite's cases, compared with the suite's expectations and the register of divergences.
package struct SuiteReport: Sendable {
    /// A case that does not apply to Assay.
    package struct Inapplicable: Sendable {
        /// The identifier.
        package let id: String
        /// The reason.
        package let reason: String
    }

    /// A case that the suite accepts and Assay rejects, with the registered reason.
    package struct RegisteredRefusal: Sendable {
        /// The identifier.
        package let id: String
        /// Why the rejection is correct.
        package let reason: String
    }

    /// The number of cases that the suite states.
    package let cases: Int
    /// The permitted rejections.
    var register: [Divergence]
    /// The number of cases that both accept.
    package private(set) var acceptedRightly = 0
    /// The number of cases that both reject.
    package private(set) var refusedRightly = 0
    /// The number of cases whose result the suite leaves open.
    package private(set) var open = 0
    /// The cases that the suite rejects and Assay accepts.
    package private(set) var wrongAcceptances: [String] = []
    /// The cases that do not apply to Assay.
    package private(set) var inapplicable: [Inapplicable] = []
    /// The cases that the suite accepts and Assay rejects, registered or not.
    private var refusals: [String] = []
    /// The reasons for rejections, by case.
    private var objections: [String: String] = [:]
    private var broken: [String] = []

    package init(cases: Int, register: [Divergence] = []) {
        self.cases = cases
        self.register = register
    }

    /// Records a case: whether the suite accepts it (nil if it leaves this open), and whether Assay does.
    ///
    /// - Parameter objection: Assay's reason for a rejection, for debugging.
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

    /// Records a case that does not apply to Assay.
    package mutating func skip(_ id: String, _ reason: String) {
        inapplicable.append(Inapplicable(id: id, reason: reason))
    }

    /// Demands a condition other than acceptance or rejection, such as a correctly read value.
    package mutating func require(_ condition: Bool, _ rule: @autoclosure () -> String) {
        if !condition { broken.append(rule()) }
    }

    /// The number of cases that apply to Assay.
    package var applicable: Int {
        acceptedRightly + refusedRightly + open + wrongAcceptances.count + refusals.count
    }

    /// The rejections with a registered reason.
    package var divergences: [RegisteredRefusal] {
        refusals.compactMap { id in
            register.first { $0.matches(id) }.map { RegisteredRefusal(id: id, reason: $0.reason) }
        }
    }

    /// The rejections without a registered reason.
    package var wrongRefusals: [String] { refusals.filter { id in !register.contains { $0.matches(id) } } }

    /// All problems in words; empty for none.
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
