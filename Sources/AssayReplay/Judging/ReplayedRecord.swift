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

    /// Where the record stands.
    public let place: CorpusPlace
    /// The record's ID; nil without one, or when it cannot be read.
    public let id: String?
    /// When the evidence was received.
    public let receivedAt: Date?
    /// The expectation of the record.
    package let expect: EvidenceRecord.Expectation?
    /// The decision of the policy.
    public let judgement: Judgement
    /// The decision of the second policy; nil without one.
    public let against: Judgement?
    /// How long assessing took, in seconds; nil unless measured.
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

    /// Why there is no verdict under the first or else the second policy; nil when each gave one.
    public var failure: ReplayFailure? {
        switch (judgement, against) {
        case (.failure(let failure), _), (.verdict, .failure(let failure)?): failure
        case (.verdict, _): nil
        }
    }

    /// Whether the record expects another verdict. A record without a verdict meets no expectation.
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
    /// A stable code in kebab case: `unreadable`, `no-policy`, `policy-unreadable`, or that of a `RequestError`.
    public let code: String
    /// What was found and what is allowed, without the place.
    public let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
