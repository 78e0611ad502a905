import AssayCore

/// The certificates of a key attestation, decoded and not yet trusted. A class: copying it then counts one reference.
package final class KeyAttestationEvidence: Sendable {
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
        let known = trust.issuers(rest)
        self.known = known
        var issuers = known?.issuers.certificates ?? []
        for index in 0..<rest.count - issuers.count {
            issuers.insert(try Self.certificate(rest[1 + index], at: 1 + index), at: index)
        }
        self.issuers = issuers
    }

    private static func certificate(_ der: [UInt8], at index: Int) throws(DecodeError) -> Certificate {
        do { return try Certificate(der: der[...], profile: .keystore) } catch {
            throw error.within("certificates[\(index)]")
        }
    }
}

/// A key attestation to verify, as the app sent it.
public struct KeyAttestationInput: Sendable {
    /// The certificates in DER, that of the attested key first.
    package let certificates: [[UInt8]]
    /// The challenge that the app gave to the keystore.
    package let challenge: [UInt8]
    /// The SubjectPublicKeyInfo that the attested key must have; nil for any.
    package let publicKey: [UInt8]?

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - certificates: what `KeyStore.getCertificateChain(alias)` returns, each as its `encoded` bytes, in that order.
    ///   - challenge: the bytes that the app gave to `setAttestationChallenge`, compared as they are.
    ///   - publicKey: the key that the app claims to have, as SubjectPublicKeyInfo in DER; nil to take the attested one.
    public init(
        certificates: some Sequence<[UInt8]>, challenge: some Sequence<UInt8>, publicKey: [UInt8]? = nil
    ) {
        self.certificates = Array(certificates)
        self.challenge = Array(challenge)
        self.publicKey = publicKey
    }
}
