import AssayPrimitives
package import FoundationEssentials

/// The facts of a verdict about the device, the app and the key; each engine has its own type.
public protocol VerdictSubject: Sendable {
    /// Every known fact as a named value, in a natural reading order.
    var fields: [SubjectField] { get }
}

/// The additional facts of a subject for reports.
package protocol EngineSubject: VerdictSubject {
    /// The facts by which reports group verdicts. May include fields that are not declared dimensions.
    var dimensions: [SubjectField] { get }
    /// When the platform made the evidence, if the evidence states it.
    var madeAt: Date? { get }
    /// The counter that the evidence presented.
    var presentedCounter: Int64? { get }
    /// The key ID or device ID of authentic evidence, as the ledger's blocks name it.
    var identifier: String? { get }
    /// What ``identifier`` names.
    var identifierKind: LedgerSubject.Kind { get }
    /// Combines the key ID or device ID into a hash, without creating ``identifier``. False if the evidence names none.
    func hashDevice(into hash: inout DeviceHash) -> Bool
    /// The account that the ledger has for the key.
    var account: String? { get }
    /// The facts of a request's signature.
    var message: MessageFacts? { get }
    /// The facts that logs, and the answers to refused requests, state about the evidence.
    var clientFacts: [ClientFact] { get }
    /// Whether the evidence is of the platform's environment for development.
    var isOfDevelopment: Bool { get }
    /// The document that the judgement consulted, for captures.
    var document: (any ConsultedDocument)? { get }
    /// What the evidence says in an attestation result.
    var trustworthiness: Trustworthiness { get }
    /// Whether a platform vouches for the facts. False for facts that the sender only claims.
    var isProven: Bool { get }
    /// The evidence of another kind in this evidence, which vouches for the device; nil for none.
    var carried: CarriedEvidence? { get }
}

extension EngineSubject {
    /// All facts. An engine may implement this faster.
    package var dimensions: [SubjectField] { fields }
    /// The evidence states no time.
    package var madeAt: Date? { nil }
    /// The evidence has no counter.
    package var presentedCounter: Int64? { nil }
    /// The evidence names no key and no device.
    package var identifier: String? { nil }
    /// A key.
    package var identifierKind: LedgerSubject.Kind { .key }
    /// Combines the identifier.
    package func hashDevice(into hash: inout DeviceHash) -> Bool {
        guard let identifier else { return false }
        hash.combine(identifier)
        return true
    }
    /// The ledger has no account.
    package var account: String? { nil }
    /// The evidence is not about a request.
    package var message: MessageFacts? { nil }
    /// The identifier, as the ID of a key.
    package var clientFacts: [ClientFact] { identifier.map { [ClientFact("keyId", $0)] } ?? [] }
    /// The platform has no such environment.
    package var isOfDevelopment: Bool { false }
    package var document: (any ConsultedDocument)? { nil }
    package var trustworthiness: Trustworthiness { Trustworthiness() }
    /// True: most engines have a subject for authentic evidence only.
    package var isProven: Bool { true }
    package var carried: CarriedEvidence? { nil }
}

/// The facts of evidence that stands in evidence of another kind.
package struct CarriedEvidence: Sendable {
    package let kind: EvidenceKind
    /// Its facts; nil without authenticity.
    package let subject: (any EngineSubject)?

    /// Names a kind and the facts.
    package init(kind: EvidenceKind, subject: (any EngineSubject)?) {
        (self.kind, self.subject) = (kind, subject)
    }
}

extension Verdict {
    /// The facts of one engine, also of carried evidence; nil for evidence of another engine.
    package func facts<Subject: EngineSubject>(_: Subject.Type) -> Subject? {
        engineSubject as? Subject ?? engineSubject?.carried?.subject as? Subject
    }

    /// The kind of the evidence that vouches for the device: that of carried evidence, else ``kind``.
    package var evidenceKind: EvidenceKind { engineSubject?.carried?.kind ?? kind }
}

/// A fact by which a client's user or developer can ask about refused evidence. It may be claimed only.
package struct ClientFact: Sendable {
    /// The name in JSON and in logs.
    package let name: String
    /// The value, which may contain anything.
    package let value: String
    /// The field of the answer that contains it too; nil for none.
    package let field: String?

    package init(_ name: String, _ value: String, field: String? = nil) {
        (self.name, self.value, self.field) = (name, value, field)
    }
}

/// A fact by which reports group verdicts: a version or a label, never the identifier of a device or request.
package struct SubjectDimension: Sendable, Equatable {
    /// The name of the field; see ``SubjectField/name``.
    package let name: String
    /// The title in reports.
    package let title: String

    package init(_ name: String, _ title: String) {
        self.name = name
        self.title = title
    }
}

/// One fact of a verdict's subject.
public struct SubjectField: Sendable, Equatable {
    /// The value of a fact.
    @nonexhaustive
    public enum Value: Sendable, Equatable {
        /// Text. Binary values are standard base64 with padding, times RFC 3339.
        case text(String)
        /// Several texts, in their order.
        case texts([String])
        /// An integer.
        case integer(Int64)
        /// True or false.
        case flag(Bool)
        /// Several integers, in their order.
        case integers([Int64])
        /// Facts that belong together.
        case object([SubjectField])
        /// Several groups of facts, in their order.
        case objects([[SubjectField]])
    }

    /// The field's name in JSON, in camel case.
    public let name: String
    /// Its value.
    public let value: Value

    @inlinable
    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension [SubjectField] {
    /// Appends a fact, unless its value is nil.
    @inlinable
    package mutating func add(_ name: String, _ value: SubjectField.Value?) {
        if let value { append(SubjectField(name, value)) }
    }

    /// Appends a text, unless it is nil.
    @inlinable
    package mutating func add(_ name: String, text: String?) { add(name, text.map { .text($0) }) }

    /// Appends an integer, unless it is nil.
    @inlinable
    package mutating func add(_ name: String, integer: (some BinaryInteger)?) {
        add(name, integer.map { .integer(Int64(clamping: $0)) })
    }

    /// Appends a time as text, unless it is nil.
    package mutating func add(_ name: String, time: Date?) { add(name, text: time.map(RFC3339.format)) }
}

extension SubjectField.Value {
    /// The value as one line for people.
    package var text: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.isEmpty ? "none" : texts.joined(separator: ", ")
        case .integer(let number): "\(number)"
        case .flag(let flag): flag ? "yes" : "no"
        case .integers(let numbers):
            numbers.isEmpty ? "none" : numbers.map { "\($0)" }.joined(separator: ", ")
        case .object(let fields): fields.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        case .objects(let groups):
            groups.isEmpty ? "none" : groups.map { SubjectField.Value.object($0).text }.joined(separator: "; ")
        }
    }

    /// A list of variable length: the first texts, and the number of further ones; nil for an empty list.
    package static func list(_ texts: [String], atMost limit: Int) -> SubjectField.Value? {
        guard !texts.isEmpty else { return nil }
        let rest = texts.count - limit
        return .texts(texts.prefix(limit) + (rest > 0 ? ["\(rest) more"] : []))
    }
}
