/// The stable code of an error, in kebab case, and its meaning.
///
/// A class, so that an error stores one reference in place of two strings: functions that throw small errors are faster.
package final class ErrorCode: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// One sentence: what was found, and what to do.
    package let meaning: String

    /// Declares a code.
    package init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }

    package var description: String { name }

    /// Compares code and meaning.
    package static func == (left: ErrorCode, right: ErrorCode) -> Bool {
        left === right || left.name == right.name && left.meaning == right.meaning
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
