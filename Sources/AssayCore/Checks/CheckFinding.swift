/// Why a check came out as it did: a code that programs match, and a sentence that a person can act on.
///
/// The sentence is rendered on demand. It never contains a secret, a token or a full key.
public protocol CheckFinding: Sendable {
    /// A stable code in kebab case, unique within the check, suitable for logs and metrics.
    var code: String { get }
    /// One sentence: what was found, and what is allowed.
    var detail: String { get }
}

/// A finding whose code and sentence stand where the check is written.
public struct Finding: CheckFinding {
    /// The stable code.
    public let code: String
    private let sentence: @Sendable () -> String

    /// Composes a finding; the sentence is rendered when somebody asks for it.
    public init(_ code: String, _ sentence: @autoclosure @escaping @Sendable () -> String) {
        self.code = code
        self.sentence = sentence
    }

    /// One sentence: what was found, and what is allowed.
    public var detail: String { sentence() }
}

/// A check that does not hold, on its way from the check's function to the verdict.
public struct CheckFailure: Error {
    /// Why it does not hold.
    public let finding: any CheckFinding

    /// Carries a finding.
    public init(_ finding: any CheckFinding) {
        self.finding = finding
    }
}

extension CheckFailure {
    /// A failure with a finding that is composed in place.
    public init(_ code: String, _ sentence: @autoclosure @escaping @Sendable () -> String) {
        self.init(Finding(code, sentence()))
    }
}
