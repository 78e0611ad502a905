/// An extension of a certificate (RFC 5280 section 4.2).
package struct CertificateExtension: Sendable, Equatable {
    /// The components of the object identifier.
    package var identifier: [UInt64]
    /// True if verifiers that do not know the extension must reject the certificate.
    package var isCritical: Bool
    /// The encoded value, without the enclosing OCTET STRING.
    package var value: [UInt8]

    package init(_ identifier: [UInt64], isCritical: Bool = false, value: [UInt8]) {
        (self.identifier, self.isCritical, self.value) = (identifier, isCritical, value)
    }

    package var encoded: [UInt8] {
        DERBuilder.element(
            0x30,
            DERBuilder.objectIdentifier(identifier) + (isCritical ? DERBuilder.boolean(true) : [])
                + DERBuilder.octetString(value))
    }

    /// Basic constraints (section 4.2.1.9), critical.
    package static func basicConstraints(isCA: Bool, pathLength: UInt64? = nil) -> CertificateExtension {
        let limit = pathLength.map(DERBuilder.integer) ?? []
        return CertificateExtension(
            [2, 5, 29, 19], isCritical: true,
            value: DERBuilder.element(0x30, isCA ? DERBuilder.boolean(true) + limit : limit))
    }

    /// Key usage (section 4.2.1.3), critical. `bits` is the first octet: 0x80 digitalSignature, 0x06 keyCertSign and
    /// cRLSign, 0xF0 the four of an App Attest leaf.
    package static func keyUsage(_ bits: UInt8) -> CertificateExtension {
        CertificateExtension(
            [2, 5, 29, 15], isCritical: true,
            value: DERBuilder.bitString([bits], unusedBits: UInt8(min(bits.trailingZeroBitCount, 7))))
    }

    /// Extended key usage (section 4.2.1.12) with one purpose.
    package static func extendedKeyUsage(_ purpose: [UInt64]) -> CertificateExtension {
        CertificateExtension([2, 5, 29, 37], value: DERBuilder.sequence(DERBuilder.objectIdentifier(purpose)))
    }

    /// The subject key identifier (section 4.2.1.2): SHA-1 of the public point.
    package static func subjectKeyIdentifier(point: [UInt8]) -> CertificateExtension {
        CertificateExtension([2, 5, 29, 14], value: DERBuilder.octetString(sha1(point)))
    }

    /// The authority key identifier (section 4.2.1.1): SHA-1 of the issuer's public point.
    package static func authorityKeyIdentifier(point: [UInt8]) -> CertificateExtension {
        CertificateExtension([2, 5, 29, 35], value: DERBuilder.sequence(DERBuilder.element(0x80, sha1(point))))
    }

    /// An extension that marks the purpose of a certificate. Its value is NULL.
    package static func marker(_ identifier: [UInt64]) -> CertificateExtension {
        CertificateExtension(identifier, value: DERBuilder.null)
    }

    /// The marker of Apple's authorities that issue receipt signers.
    package static let receiptAuthorityMarker = marker(OID.apple(6, 2, 3))

    /// The marker of App Attest receipt signers.
    package static let receiptSignerMarker = marker(OID.apple(12, 15))
}
