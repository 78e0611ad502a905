package import AssayCore

/// An engine as Assay registers it: with what inspection and the command line know of its evidence.
package protocol InspectableEngine: EvidenceEngine {
    /// The engine's name for people, such as `App Attest`.
    static var title: String { get }

    /// The fields of the engine's section of a policy.
    static var policyFields: [PolicyField] { get }

    /// The kinds of evidence that `assay verify --kind` takes as one raw blob.
    static var rawKinds: [RawKind] { get }

    /// Whether the policy of an app leaves the challenges of a kind to the caller; nil when the app has no such evidence.
    static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool?

    /// The formats of the platform, which are recognised before the general ones.
    static var formats: [any BlobFormat.Type] { get }

    /// The format of a field of a record's evidence, such as `attestation`, and nil when it has none of its own.
    static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)?

    /// What a field of a record's evidence is, in words, and nil for fields that the kind does not have.
    static func meaning(of field: String, in kind: EvidenceKind) -> String?

    /// The kind of evidence that a blob of a format is the main part of, and nil for parts of other blobs.
    static func kind(of format: any BlobFormat.Type) -> EvidenceKind?

    /// A record of a kind for a blob that was found alone, such as a token that names its app, so that a policy can judge
    /// it; nil when the blob alone is not enough.
    ///
    /// - Parameter format: what the blob was recognised as.
    static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord?
}

extension InspectableEngine {
    /// None.
    package static var policyFields: [PolicyField] { [] }

    /// None: the engine takes records alone.
    package static var rawKinds: [RawKind] { [] }

    /// Nil: no evidence carries a challenge.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? { nil }
}
