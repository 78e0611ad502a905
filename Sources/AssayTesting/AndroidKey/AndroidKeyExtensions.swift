extension CertificateExtension {
    /// The description of an attested key: 1.3.6.1.4.1.11129.2.1.17, not critical.
    package static func keyDescription(_ description: [UInt8]) -> CertificateExtension {
        CertificateExtension(OID.androidKeyDescription, value: description)
    }

    /// The provisioning information of a remotely provisioned attestation key: 1.3.6.1.4.1.11129.2.1.30, CBOR.
    package static func provisioningInfo(_ info: CBORItem) -> CertificateExtension {
        CertificateExtension(OID.androidProvisioningInfo, value: info.encoded)
    }

    /// The revocation list of factory certificates: one URI (RFC 5280 section 4.2.1.13).
    package static func revocationList(_ uri: String) -> CertificateExtension {
        CertificateExtension(
            [2, 5, 29, 31],
            value: DERBuilder.sequence(
                DERBuilder.sequence(
                    DERBuilder.context(
                        0, DERBuilder.context(0, DERBuilder.element(0x86, Array(uri.utf8)))))))
    }

    /// The invalid revocation list in some Huawei leaves: one zero octet, which is not DER.
    package static let emptyRevocationList = CertificateExtension([2, 5, 29, 31], value: [0])

    /// The invalid name constraints of attestation certificates of 2016: one malformed DNS name.
    package static let invalidNames = CertificateExtension(
        [2, 5, 29, 30], isCritical: true,
        value: DERBuilder.sequence(
            DERBuilder.context(
                0, DERBuilder.sequence(DERBuilder.element(0x82, Array("invalid;email:invalid".utf8))))))
}
