/// The modes of policy checks, prepared for fast lookup. Stores only the relaxed checks, in a list: they are few, and
/// comparing a few names is faster than hashing one.
package struct CheckModes: Sendable, ExpressibleByDictionaryLiteral {
    private struct Relaxation: Sendable {
        let check: CheckID
        let mode: CheckMode
    }

    private let relaxations: [Relaxation]
    /// Stored as a flag: reading the array would contend for its reference count across threads.
    private let isStrict: Bool

    /// Enforces every check.
    package static let strict = CheckModes([:])

    /// Prepares modes. A check without a mode is enforced.
    package init(_ modes: [CheckID: CheckMode]) {
        relaxations = modes.filter { $0.value != .enforce }.map { Relaxation(check: $0.key, mode: $0.value) }
        isStrict = relaxations.isEmpty
    }

    /// Prepares modes from a literal. For a check that occurs twice, the later mode counts.
    package init(dictionaryLiteral elements: (CheckID, CheckMode)...) {
        self.init(Dictionary(elements) { $1 })
    }

    package subscript(check: CheckID) -> CheckMode {
        if isStrict { return .enforce }
        for index in relaxations.indices where relaxations[index].check.name.isByteEqual(to: check.name) {
            return relaxations[index].mode
        }
        return .enforce
    }
}
