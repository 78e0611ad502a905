import AssayCore

/// The certificates of a key attestation, decoded and not yet trusted.
package struct KeyAttestationEvidence: Sendable {
    /// The most certificates of a chain. Genuine ones have four or five.
    package static let maximumCertificates = 10

    /// Certificate 0, of the attested key.
    let leaf: Certificate
    /// The other certificates, in order.
    let issuers: [Certificate]
    /// What an earlier chain has verified of ``issuers``.
    let known: KnownIssuers?

    /// Decodes certificates in DER, the leaf first. `trust` only caches issuers and does not affect the result.
    init(_ certificates: [[UInt8]], _ trust: AndroidKeyTrust) throws(DecodeError) {
        guard let first = certificates.first else {
            throw DecodeError(.missing, at: 0, field: "certificates", "the chain has no certificate")
        }
        guard certificates.count <= Self.maximumCertificates else {
            throw DecodeError(
                .tooLarge, at: 0, field: "certificates",
                "\(certificates.count) certificates, at most \(Self.maximumCertificates) are allowed")
        }
        for (index, certificate) in certificates.enumerated() where certificate.count > InputLimits.certificate {
            throw DecodeError(
                .tooLarge, at: 0, field: "certificates[\(index)]",
                "\(certificate.count) bytes, at most \(InputLimits.certificate) are allowed")
        }
        leaf = try Self.certificate(first, at: 0)
        let rest = certificates.dropFirst()
        known = trust.issuers(rest)
        var issuers: [Certificate] = []
        for (index, certificate) in rest.enumerated() {
            if let known, index + 1 >= known.start {
                issuers.append(known.issuers.certificates[index + 1 - known.start])
            } else {
                issuers.append(try Self.certificate(certificate, at: index + 1))
            }
        }
        self.issuers = issuers
    }

    private static func certificate(_ der: [UInt8], at index: Int) throws(DecodeError) -> Certificate {
        do { return try Certificate(der: der[...], profile: .keystore) } catch {
            throw error.within("certificates[\(index)]")
        }
    }
}
