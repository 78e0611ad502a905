import AssayCore
import FoundationEssentials

/// A certificate above the attested one, and below the root. A class: copying one then counts one reference.
final class AttestationIssuer: Sendable {
    let certificate: Certificate
    /// Its key; nil if such a key may not issue certificates.
    let key: IssuerKey?
    /// Its basic constraints; nil if it has none, or they cannot be read.
    let basicConstraints: Certificate.BasicConstraints?
    /// Whether it is a certification authority by its own words.
    let isAuthority: Bool
    /// A critical extension that a verifier must know, and that this one does not.
    let unknownCriticalExtension: ObjectIdentifier?
    /// The serial numbers in its subject. Stored, as the kind of provisioning depends on them.
    let subjectSerialNumbers: [String]
    /// Whether it is the certificate of an attested key.
    let isAttested: Bool

    /// The extensions that may be critical. Name constraints are about names that leaves do not have.
    private static let understood = [
        ObjectIdentifier.basicConstraints, ObjectIdentifier.keyUsage, ObjectIdentifier(2, 5, 29, 30),
        KeyDescription.oid,
        ProvisioningInfo.oid,
    ]

    init(_ certificate: Certificate) {
        self.certificate = certificate
        key = IssuerKey(certificate.subjectPublicKeyInfo)
        let basicConstraints: Certificate.BasicConstraints? =
            certificate.extension(.basicConstraints).flatMap { try? .init($0.value) }
        self.basicConstraints = basicConstraints
        let usage = certificate.extension(.keyUsage)
        let maySign = usage.map { (try? Certificate.KeyUsage($0.value))?.contains(.keyCertSign) == true }
        isAuthority = basicConstraints?.isCA == true && maySign != false
        subjectSerialNumbers = Self.subjectSerialNumbers(certificate)
        isAttested = certificate.extension(KeyDescription.oid) != nil
        unknownCriticalExtension =
            certificate.extensions.first { $0.isCritical && !Self.understood.contains($0.oid) }?.oid
    }

    static func subjectSerialNumbers(_ certificate: Certificate) -> [String] { certificate.subjectTexts(serialNumber) }

    private static let serialNumber = ObjectIdentifier(2, 5, 4, 5)
    private static let organization = ObjectIdentifier(2, 5, 4, 10)
    private static let title = ObjectIdentifier(2, 5, 4, 12)

    /// Whether its subject names a place where keys are kept, `TEE` or `StrongBox`, as title or organization.
    func names(_ place: String) -> Bool {
        (certificate.subjectTexts(Self.title) + certificate.subjectTexts(Self.organization))
            .contains { $0.isByteEqual(to: place) }
    }
}

/// Issuers whose signatures lead to an anchor.
final class VerifiedIssuers: Sendable {
    /// The certificates as sent, the root included if it was.
    let certificates: [Certificate]
    /// Those below the root, from the one next to the attested certificate up.
    let issuers: [AttestationIssuer]
    /// The serial numbers of the certificates.
    let serials: [String]
    /// The pinned key that signed the last of them.
    let anchor: AndroidKeyTrust.Anchor

    /// The certificates of a chain from one place on: 1 for all, 2 without the first.
    init(_ chain: AttestationChain, from start: Int) {
        certificates = Array(chain.certificates.dropFirst(start - 1))
        issuers = Array(chain.issuers.dropFirst(start - 1))
        serials = Array(chain.serials.dropFirst(start - 1))
        anchor = chain.anchor
    }
}

/// How the attestation key came into the device.
@nonexhaustive
public enum KeyProvisioning: String, Sendable, CaseIterable {
    /// In the factory, with a certificate for years that many devices share.
    case factory
    /// From Google's server, with a certificate for weeks.
    case remote
}

/// A chain whose signatures lead to an anchor.
struct AttestationChain: Sendable {
    /// The issuers, from the one next to the attested certificate up, without the root.
    let issuers: [AttestationIssuer]
    /// The certificates above the attested one as sent, the root included if it was.
    let certificates: [Certificate]
    /// Their serial numbers, without that of a root that no pinned key signed.
    let serials: [String]
    let anchor: AndroidKeyTrust.Anchor
    /// Whether the chain came with a certificate of the root that no pinned key signed. Its key counts, and nothing else of it.
    let hasForeignRoot: Bool
    /// The place of the first issuer that was known before, 1 or 2; nil for none.
    let knownFrom: Int?

    /// Factory certificates have a serial number in the subject below the root; those of Google's server have none.
    var provisioning: KeyProvisioning {
        // A key path through `last` would copy the issuer.
        guard !issuers.isEmpty else { return .remote }
        return issuers[issuers.count - 1].subjectSerialNumbers.isEmpty ? .remote : .factory
    }

    /// Whether an issuer is the certificate of an attested key.
    var hasAttestedIssuer: Bool { issuers.contains { $0.isAttested } }

    /// Whether the chain came with a certificate of the root.
    var includesRoot: Bool { certificates.count > issuers.count }
}
