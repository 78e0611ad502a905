package import Assay
package import AssayPrimitives
package import FoundationEssentials

/// What a pin check reads of a certificate. The certificate is not trusted, and its signature is not verified.
package struct PresentedCertificate: Sendable, Equatable {
    /// The pin: SHA-256 of the DER SubjectPublicKeyInfo.
    package let pin: Pin
    /// The start of validity, inclusive.
    package let notBefore: Date
    /// The last valid second.
    package let notAfter: Date
    /// The subject for display.
    package let subject: String
    /// The issuer for display.
    package let issuer: String
    /// Whether subject and issuer are equal, as in a root or a self-signed leaf.
    package let isSelfIssued: Bool

    /// Reads a certificate in DER, with any extensions.
    package init(der: [UInt8]) throws(DecodeError) {
        let certificate = try Certificate(der: der[...], profile: .keystore)
        pin = Pin(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo)
        (notBefore, notAfter) = (certificate.notBefore, certificate.notAfter)
        (subject, issuer) = (certificate.subjectDescription, certificate.issuerDescription)
        isSelfIssued = certificate.isSelfIssued
    }

    /// Reads the certificates of a file: PEM, or one in DER.
    package static func read(file bytes: [UInt8]) throws(DecodeError) -> [PresentedCertificate] {
        // 0x30 begins a DER SEQUENCE.
        if bytes.first == 0x30 { return [try PresentedCertificate(der: bytes)] }
        var found: [PresentedCertificate] = []
        for block in try PEM.blocks(in: bytes) { found.append(try PresentedCertificate(der: block.der)) }
        return found
    }

    /// Whole days until the end; negative after it.
    package func daysLeft(at now: Date) -> Int { Int((notAfter.timeIntervalSince(now) / 86_400).rounded(.down)) }
}
