public import AssayCore
public import FoundationEssentials

/// What came of one record of a corpus.
public struct ReplayedRecord: Sendable {
    /// What one policy says of a record.
    public enum Judgement: Sendable {
        /// It was judged.
        case verdict(Verdict)
        /// It could not be judged.
        case failure(ReplayFailure)
    }

    /// Where it stands.
    public let place: CorpusPlace
    /// Its name, as far as it could be read.
    public let id: String?
    /// When the evidence was received.
    public let receivedAt: Date?
    /// What the record expects.
    public let expect: EvidenceRecord.Expectation?
    /// What the policy says.
    public let judgement: Judgement
    /// What the policy that it is compared with says; nil without one.
    public let against: Judgement?
    /// How long assessing it took, in seconds; nil when that was not measured.
    public let duration: Double?

    /// Collects what came of a record.
    public init(
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

    /// Why it could not be judged, under its policy or under the one that it is compared with; nil when it was.
    public var failure: ReplayFailure? {
        switch (judgement, against) {
        case (.failure(let failure), _), (.verdict, .failure(let failure)?): failure
        case (.verdict, _): nil
        }
    }

    /// Whether the record expects something else than its verdict. A record that could not be judged meets no
    /// expectation.
    public var isMismatch: Bool {
        guard let expect else { return false }
        switch judgement {
        case .verdict(let verdict): return !expect.isMet(by: verdict)
        case .failure: return true
        }
    }
}

/// Why a record could not be judged.
public struct ReplayFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A stable code in kebab case: `unreadable`, `no-policy`, or that of a ``AssayCore/RequestError``.
    public let code: String
    /// What was found and what is allowed, without the place.
    public let message: String

    /// Describes why there is no verdict.
    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
