package import AssayCore

/// Verifies the hash chain of an audit trail, entry by entry, and that the ledger is as the trail says.
package struct AuditReview {
    /// The maximum number of findings. Damage beyond this many gives no new information.
    private static let maximumProblems = 100

    private let expected: String?
    private var chain = LedgerAuditChain()
    /// What is wrong with the trail, one sentence for each finding.
    package private(set) var problems: [String] = []
    /// Whether an entry has the expected hash, or no hash is expected.
    package private(set) var isFound: Bool

    /// Starts before the first entry.
    ///
    /// - Parameter expected: the hash of an entry that must be there, hexadecimal; nil for none.
    package init(expecting expected: String?) {
        self.expected = expected?.lowercased()
        isFound = expected == nil || self.expected == LedgerAuditEntry.noHash.hexadecimal
    }

    /// Whether a text is a hash: 64 hexadecimal digits.
    package static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { $0.hexadecimalValue != nil }
    }

    /// Verifies the next entry.
    package mutating func take(_ entry: LedgerAuditEntry) {
        if let problem = chain.problem(with: entry), problems.count < Self.maximumProblems { problems.append(problem) }
        if let expected, entry.hash.hexadecimal == expected { isFound = true }
    }

    /// Replays the trail of a ledger: verifies its entries, and compares them with what the ledger has.
    package mutating func take(_ ledger: any LedgerAdministration) async throws {
        var review = self
        let differences = try await ledger.replayAudit { review.take($0) }
        review.problems += differences
        self = review
    }

    /// The number of verified entries.
    package var count: Int { chain.count }

    /// The hash of the last entry, hexadecimal.
    package var lastHash: String { chain.hash.hexadecimal }
}
