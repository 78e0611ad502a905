public import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// The facts of a certificate that an app saw, with those of the evidence that carries it.
public struct CertificateSubject: EngineSubject {
    /// The host to which the app connected; nil unless the evidence covers it.
    public let host: String?
    /// SHA-256 of the DER leaf that the app saw; nil unless the evidence covers it.
    public let leafSHA256: [UInt8]?
    /// The host of the record, which the evidence does not cover; nil if it does.
    let claimedHost: String?
    /// What the host's addresses presented; nil if nothing was fetched.
    let presented: PresentedLeaves?
    /// The evidence that carries the certificate.
    package let carried: CarriedEvidence?

    /// - Parameters:
    ///   - isBound: whether the evidence covers the certificate.
    ///   - assessment: that of the evidence.
    init(_ seen: DecodedCertificate, isBound: Bool, presented: PresentedLeaves?, carriedBy assessment: Assessment) {
        host = isBound ? seen.host : nil
        leafSHA256 = isBound ? seen.digest : nil
        claimedHost = isBound ? nil : seen.host
        self.presented = presented
        carried = CarriedEvidence(kind: assessment.kind, subject: assessment.subject)
    }

    private var evidence: (any EngineSubject)? { carried?.subject }

    /// Host, leaf and carried kind, then the facts of the carried evidence.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        fields.add("host", text: host)
        fields.add("claimedHost", text: claimedHost)
        fields.add("leafSHA256", text: leafSHA256.map { Base64.encode($0, .standard) })
        fields.add("binding", text: carried?.kind.name)
        return fields + (evidence?.fields ?? [])
    }

    package var dimensions: [SubjectField] {
        var dimensions = evidence?.dimensions ?? []
        dimensions.add("host", text: host)
        return dimensions
    }
    package var madeAt: Date? { evidence?.madeAt }
    package var presentedCounter: Int64? { evidence?.presentedCounter }
    package var identifier: String? { evidence?.identifier }
    package var identifierKind: LedgerSubject.Kind { evidence?.identifierKind ?? .key }
    package func hashDevice(into hash: inout DeviceHash) -> Bool { evidence?.hashDevice(into: &hash) ?? false }
    package var account: String? { evidence?.account }
    package var message: MessageFacts? { evidence?.message }
    package var clientFacts: [ClientFact] { evidence?.clientFacts ?? [] }
    package var isOfDevelopment: Bool { evidence?.isOfDevelopment ?? false }
    package var document: (any ConsultedDocument)? { evidence?.document }
    package var isProven: Bool { evidence?.isProven ?? false }
    package var trustworthiness: Trustworthiness { evidence?.trustworthiness ?? Trustworthiness() }
}

extension Verdict {
    /// The certificate that the app saw; nil for evidence without one.
    public var certificate: CertificateSubject? { engineSubject as? CertificateSubject }
}
