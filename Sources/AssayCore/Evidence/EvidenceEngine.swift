package import FoundationEssentials

/// A section of an app in the policy, and the checks that it configures.
package protocol PolicySection: Sendable {
    /// What is read from the section.
    associatedtype Configuration: ReadableConfiguration

    /// Every check, in the declared order.
    static var catalogue: [CheckDefinition] { get }

    /// The types of keys that the checks use.
    static var keyMaterials: [any KeyMaterial.Type] { get }
}

extension PolicySection {
    package static var configuration: any ReadableConfiguration.Type { Configuration.self }

    /// None: the checks need no keys.
    package static var keyMaterials: [any KeyMaterial.Type] { [] }
}

/// Judges the evidence of one platform. The verifier uses engines only through this protocol.
package protocol EvidenceEngine: PolicySection {
    static var kinds: [EvidenceKind] { get }

    /// The kinds of evidence that carry a challenge of the ledger.
    static var challengeKinds: [EvidenceKind] { get }

    /// The length of these challenges in bytes.
    static var challengeLength: Int { get }

    /// Whether an app's policy leaves the challenges of a kind to the caller; nil if the app has no evidence of this
    /// kind, or none that carries a challenge.
    static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool?

    /// The fields of evidence that a redacted capture omits or replaces, for documentation.
    static var sensitiveFields: [SensitiveField] { get }

    /// The fields of a kind that a redacted capture keeps, because they name no person and authorise nobody. It also keeps values of
    /// ``sensitiveFields`` that are not sensitive, and omits all other fields, known or not.
    static func retainedFields(of kind: EvidenceKind) -> [String]

    /// The evidence as a capture keeps it, with what its judgement has consulted, such as Google's answer in place of a token: a replay
    /// asks nobody.
    static func captured(_ evidence: RecordObject, judged verdict: Verdict) -> RecordObject

    /// The facts of the subjects by which reports group verdicts, in the order of the report.
    static var dimensions: [SubjectDimension] { get }

    /// Identifies the ledger entry that a record uses, such as a key or a nonce; nil when the order does not matter.
    /// Records with the same text must be judged in their order.
    static func orderingKey(of record: EvidenceRecord) -> String?

    /// The kinds of evidence that the platform gives an app at a limited rate: a server slows their challenges down.
    static var limitedKinds: [EvidenceKind] { get }

    /// Whether the ledger enrols keys of the engine.
    static var enrolsKeys: Bool { get }

    /// The checks that an allowance of a device excuses if it names none.
    static var deviceAllowance: [CheckID] { get }

    /// The form of the device IDs in the evidence; nil if the evidence names no device.
    static var deviceIDs: DeviceIDForm? { get }

    /// The problem with an enrolled key, as a predicate such as "has no P-256 point"; nil if there is none. `assay
    /// ledger check` calls this for each key.
    static func problem(withKey key: EnrolledKey) -> String?

    init(policy: VerificationPolicy, resources: EngineResources)

    /// What is weaker than necessary in force, with the services that the engine has: sentences for the log of a server. The
    /// remarks of a policy only know what is written.
    var warnings: [String] { get }

    /// Assesses a record: decodes it, asks the ledger and the key store, and runs the checks. Commits nothing.
    func assess(_ record: EvidenceRecord, ledger: any Ledger, at now: Date) async throws(VerificationError)
        -> Assessment
}

extension EvidenceEngine {
    /// None: redaction omits all fields that are not declared.
    package static func retainedFields(of kind: EvidenceKind) -> [String] { [] }

    package static func captured(_ evidence: RecordObject, judged verdict: Verdict) -> RecordObject { evidence }

    /// None: reports group verdicts by kind and app only.
    package static var dimensions: [SubjectDimension] { [] }

    /// See ``LedgerChallenge/length``.
    package static var challengeLength: Int { LedgerChallenge.length }

    package var warnings: [String] { [] }

    package static var limitedKinds: [EvidenceKind] { [] }

    package static var enrolsKeys: Bool { false }

    package static var deviceAllowance: [CheckID] { [] }

    package static var deviceIDs: DeviceIDForm? { nil }

    package static func problem(withKey key: EnrolledKey) -> String? { nil }

    /// Nil: no evidence carries a challenge.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? { nil }

    /// The kinds with a ledger check named `<kind>.challenge`.
    package static var challengeKinds: [EvidenceKind] {
        kinds.filter { kind in catalogue.contains { $0.kind == .ledger && $0.id.name == "\(kind).challenge" } }
    }
}

/// The form of a platform's device IDs, for names that operators type.
package struct DeviceIDForm: Sendable {
    /// In words, such as `of Approov, which is base64`.
    package let description: String
    /// The padding at the end of an ID, which is easily lost.
    package let padding: String
    /// Whether a text has this form.
    package let isValid: @Sendable (String) -> Bool

    package init(_ description: String, padding: String, isValid: @escaping @Sendable (String) -> Bool) {
        (self.description, self.padding, self.isValid) = (description, padding, isValid)
    }
}
