/// The reason for a check's result: a code for programs, and a sentence that a person can act on.
///
/// The sentence is rendered on demand. It never contains a secret, a token or a full key.
public protocol CheckFinding: Sendable {
    /// A stable code in kebab case, suitable for logs and metrics; the check's entry declares it as a ``CheckCode``.
    var code: String { get }
    /// One sentence: what was found, and what is allowed.
    var detail: String { get }
}

/// A finding with a declared code.
package struct Finding: CheckFinding {
    package let code: String
    /// What a client can do about it, if that differs from the remedy of the code.
    let remedy: Remedy?
    private let sentence: @Sendable () -> String

    /// Composes a finding. The sentence is rendered when it is read.
    ///
    /// - Parameter remedy: what a client can do about it; nil for the remedy of the code.
    package init(
        _ code: CheckCode, remedy: Remedy? = nil, _ sentence: @autoclosure @escaping @Sendable () -> String
    ) {
        self.code = code.name
        self.remedy = remedy
        self.sentence = sentence
    }

    /// One sentence: what was found, and what is allowed.
    package var detail: String { sentence() }
}

/// The failure of a check, thrown by the check's function.
@usableFromInline
package struct CheckFailure: Error {
    /// Why the check failed.
    @usableFromInline package let finding: any CheckFinding
    /// Whether a block in the ledger caused the failure. No allowance excuses a block.
    let isBlock: Bool

    /// Carries a finding.
    package init(_ finding: any CheckFinding) {
        self.finding = finding
        isBlock = false
    }

    /// A failure because of a block in the ledger.
    package init(_ code: CheckCode, _ block: LedgerBlock) {
        finding = Finding(code, block.sentence)
        isBlock = true
    }
}

extension CheckFailure {
    /// A failure with a declared code. The sentence is rendered when it is read.
    package init(_ code: CheckCode, _ sentence: @autoclosure @escaping @Sendable () -> String) {
        self.init(Finding(code, sentence()))
    }
}
