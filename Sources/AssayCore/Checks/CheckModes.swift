/// The modes of policy checks, prepared for looking them up.
///
/// A judgement asks for the mode of every policy check, and hardly any is relaxed: only those are kept, and in a list,
/// since going through a few names takes less time than hashing one.
public struct CheckModes: Sendable, ExpressibleByDictionaryLiteral {
    private struct Relaxation: Sendable {
        let check: CheckID
        let mode: CheckMode
    }

    private let relaxations: [Relaxation]
    /// Said apart, so that threads need not look at an array whose references they contend for.
    private let isStrict: Bool

    /// Prepares modes; a check without one is enforced.
    public init(_ modes: [CheckID: CheckMode]) {
        relaxations = modes.filter { $0.value != .enforce }.map { Relaxation(check: $0.key, mode: $0.value) }
        isStrict = relaxations.isEmpty
    }

    /// Prepares modes that stand in code; of two for one check the later one counts.
    public init(dictionaryLiteral elements: (CheckID, CheckMode)...) {
        self.init(Dictionary(elements) { $1 })
    }

    /// The mode of a check.
    public subscript(check: CheckID) -> CheckMode {
        if isStrict { return .enforce }
        for index in relaxations.indices where relaxations[index].check.name.isByteEqual(to: check.name) {
            return relaxations[index].mode
        }
        return .enforce
    }
}
