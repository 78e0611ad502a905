import Assay
public import AssayCore
public import FoundationEssentials

/// The result of one record of a corpus.
public struct ReplayedRecord: Sendable {
    /// What one policy decided.
    public enum Judgement: Sendable {
        case verdict(Verdict)
        case failure(ReplayFailure)
    }

    /// The position of the record in the corpus.
    public let place: CorpusPlace
    /// The record's ID; nil if missing or unreadable.
    public let id: String?
    /// When the evidence was received.
    public let receivedAt: Date?
    package let expect: EvidenceRecord.Expectation?
    /// The account that the record names; nil unless exactly one of two policies accepts the record.
    let account: String?
    /// The decision of the policy.
    public let judgement: Judgement
    /// The decision of the second policy; nil without a comparison.
    public let against: Judgement?
    /// The duration of the assessment in seconds; nil unless measured.
    package let duration: Double?
    /// The refused attestation because of which the record's key is not enrolled under the policy that rejects the record; nil if
    /// it is rejected for its own sake.
    let root: ReplayRoot?

    package init(
        place: CorpusPlace, id: String?, receivedAt: Date?, expect: EvidenceRecord.Expectation?,
        judgement: Judgement, against: Judgement?, duration: Double?, account: String? = nil, root: ReplayRoot? = nil
    ) {
        (self.place, self.id, self.receivedAt) = (place, id, receivedAt)
        (self.expect, self.judgement, self.against) = (expect, judgement, against)
        (self.duration, self.account, self.root) = (duration, account, root)
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
        // Nothing contradicts the expectation of a redacted record.
        case .failure(let failure): return failure.code != ReplayFailure.redactedCode
        }
    }
}

/// Why a record could not be judged.
public struct ReplayFailure: Error, Sendable, CustomStringConvertible {
    /// A stable code in kebab case: `unreadable`, `redacted`, `no-policy`, `policy-unreadable`, or the code of a `RequestError`.
    public let code: String
    /// What was found and what is allowed. Does not contain the place.
    public let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The failure of a record that cannot be judged without fields that were removed from it.
    init(redacted fields: [String]) {
        let names = fields.prefix(8).map(\.excerpt).joined(separator: ", ")
        self.init(Self.redactedCode, "the record was redacted, and cannot be judged without \(names)")
    }

    fileprivate static let redactedCode = "redacted"

    /// The message.
    public var description: String { message }
}

/// Writes results as NDJSON in UTF-8: one JSON object per record and line.
package struct ReplayLines: Sendable {
    /// The approximate size in bytes of an assertion's verdict, the most frequent kind.
    private static let usualLength = 1280

    private var json: JSONBytes

    /// Starts without lines; reserves memory for about `expected` records.
    package init(expecting expected: Int = 0) {
        json = JSONBytes(capacity: expected * ReplayLines.usualLength)
    }

    /// The lines so far.
    package var bytes: [UInt8] { json.bytes }

    /// Adds a record: its verdict as `Verdict.json(id:)` writes it, and in a comparison the second one as `against`.
    /// Without a verdict, it writes the place and an `error`.
    package mutating func add(_ record: ReplayedRecord) {
        json.raw("{")
        switch record.judgement {
        case .verdict(let verdict): verdict.write(id: record.id, to: &json)
        case .failure(let failure): write(failure, of: record)
        }
        if let against = record.against {
            json.raw(",\"against\":{")
            switch against {
            case .verdict(let verdict): verdict.write(id: nil, to: &json)
            case .failure(let failure): write(failure)
            }
            json.raw("}")
        }
        json.raw("}\n")
    }

    /// Adds a record that exactly one of two policies accepts: its place, what each decided, and the `cause`: the check that failed
    /// first, and the record in which it did. Ignores any other record.
    package mutating func addChange(_ record: ReplayedRecord) {
        guard let against = record.against, let cause = record.cause else { return }
        json.raw("{")
        write(record.id, record.place)
        json.raw(",")
        writeDecision(record.judgement)
        json.raw(",\"against\":{")
        writeDecision(against)
        json.raw("},\"cause\":{\"check\":")
        json.string(cause.root.check)
        json.raw(",\"consequence\":")
        json.flag(cause.isConsequence)
        json.raw(",")
        write(cause.root.id, cause.root.place)
        json.raw("}}\n")
    }

    private mutating func writeDecision(_ judgement: ReplayedRecord.Judgement) {
        switch judgement {
        case .failure(let failure): write(failure)
        case .verdict(let verdict):
            json.raw("\"kind\":")
            json.string(verdict.kind.name)
            json.raw(",\"outcome\":")
            json.string(verdict.outcome.rawValue)
            json.raw(",\"failed\":")
            json.strings(verdict.failed.map(\.name))
        }
    }

    private mutating func write(_ failure: ReplayFailure, of record: ReplayedRecord) {
        write(record.id, record.place)
        json.raw(",")
        write(failure)
    }

    private mutating func write(_ id: String?, _ place: CorpusPlace) {
        if let id {
            json.raw("\"id\":")
            json.string(id)
            json.raw(",")
        }
        json.raw("\"file\":")
        json.string(place.file.name)
        if let line = place.line {
            json.raw(",\"line\":")
            json.integer(line)
        } else if place.number > 0 {
            json.raw(",\"record\":")
            json.integer(place.number)
        }
    }

    private mutating func write(_ failure: ReplayFailure) {
        json.raw("\"error\":{\"code\":")
        json.string(failure.code)
        json.raw(",\"message\":")
        json.string(failure.message)
        json.raw("}")
    }
}
