package import AssayCore

/// Evidence that was rejected, for ``InspectableEngine/diagnose(_:)``.
///
/// A diagnosis is for a person at a command line. It runs after the verdict, changes none, and belongs in no answer to a client: it
/// says how evidence must be changed to come closer to an acceptance.
package struct RejectedEvidence: Sendable {
    package let record: EvidenceRecord
    /// The first check that failed.
    package let check: CheckID
    /// The public key that the ledger has under the record's `keyId`: SubjectPublicKeyInfo in DER, or an X9.63 point. Nil for none.
    package let enrolledKey: [UInt8]?

    package init(_ record: EvidenceRecord, failing check: CheckID, enrolledKey: [UInt8]?) {
        self.record = record
        self.check = check
        self.enrolledKey = enrolledKey
    }
}

extension InspectableEngine {
    /// None.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] { [] }
}
