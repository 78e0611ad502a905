public import AssayCore
public import FoundationEssentials

/// The result of one record of a corpus.
public struct ReplayedRecord: Sendable {
    /// What one policy decided.
    public enum Judgement: Sendable {
        /// The record was judged.
        case verdict(Verdict)
        /// The record could not be judged.
        case failure(ReplayFailure)
    }

    /// The position of the record in the corpus.
    public let place: CorpusPlace
    /// The record's ID; nil if missing or unreadable.
    public let id: String?
    /// When the evidence was received.
    public let receivedAt: Date?
    /// The record's expectation.
    package let expect: EvidenceRecord.Expectation?
    /// The decision of the policy.
    public let judgement: Judgement
    /// The decision of the second policy; nil without a comparison.
    public let against: Judgement?
    /// The duration of the assessment in seconds; nil unless measured.
    package let duration: Double?

    /// Composes a result.
    package init(
        place: CorpusPlace, id: String?, receivedAt: Date?, expect: EvidenceRecord.Expectation?,
        judgement: Judgement, against: Judgement?, duration: Double?
    ) {
        self.place = place
        self.id = id
        self.receivedAt = receivedAt
        self.expect = expect
        self.judgement = judgement
        self.against = against
        self.duration = duration
    }

    /// The failure under the first policy, otherwise under the second; nil if both gave a verdict.
    public var failure: ReplayFailure? {
        switch (judgement, against) {
        case (.failure(let failure), _), (.verdict, .failure(let failure)?): failure
        case (.verdict, _): nil
        }
    }

    /// Whether the verdict differs from the record's expectation. Without a verdict, any expectation is unmet.
    package var isMismatch: Bool {
        guard let expect else { return false }
        switch judgement {
        case .verdict(let verdict): return !expect.isMet(by: verdict)
        case .failure: return true
        }
    }
}

/// Why a record could not be judged.
public struct ReplayFailure: Error, Sendable, CustomStringConvertible {
    /// A stable code in kebab case: `unreadable`, `no-policy`, `policy-unreadable`, or the code of a `RequestError`.
    public let code: String
    /// What was found and what is allowed. Does not contain the place.
    public let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
