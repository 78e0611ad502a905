package import AssayCore

/// Evidence that was rejected, for ``InspectableEngine/diagnose(_:)``: for a person at a command line. A diagnosis changes no verdict,
/// and belongs in no answer to a client: it says how evidence comes closer to an acceptance.
package struct RejectedEvidence: Sendable {
    package let record: EvidenceRecord
    package let check: CheckID
    /// The public key that the ledger has under the record's `keyId`: SubjectPublicKeyInfo in DER, or an X9.63 point. Nil for none.
    package let enrolledKey: [UInt8]?
    /// Other enrolled keys of the account, at most ``maximumOthers``: one of them may have made the evidence.
    package let otherKeys: [EnrolledKey]

    /// What the verdict says of the evidence; nil if it is not authentic.
    package let subject: (any VerdictSubject)?

    /// The most keys that are tried.
    package static let maximumOthers = 1000

    package init(
        _ record: EvidenceRecord, failing check: CheckID, enrolledKey: [UInt8]?, otherKeys: [EnrolledKey] = [],
        subject: (any VerdictSubject)? = nil
    ) {
        (self.subject, self.record, self.check, self.enrolledKey) = (subject, record, check, enrolledKey)
        self.otherKeys = Array(otherKeys.prefix(Self.maximumOthers))
    }

    /// The sentence about another key that made the evidence; nil if none did.
    func sentence(ofKeyThat verifies: (_ publicKey: [UInt8]) -> Bool) -> String? {
        otherKeys.first { verifies($0.publicKey) }.map { key in
            "the signature is that of \(key.label), of the same account: the app sent the identifier of another device or installation"
        }
    }
}

extension InspectableEngine {
    /// None.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] { [] }
}
