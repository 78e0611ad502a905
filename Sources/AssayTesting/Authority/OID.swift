/// The encoded object identifiers in test certificates and receipts.
enum OID {
    static let ecPublicKey = DERBuilder.objectIdentifier([1, 2, 840, 10045, 2, 1])
    static let prime256v1 = DERBuilder.objectIdentifier([1, 2, 840, 10045, 3, 1, 7])
    static let secp384r1 = DERBuilder.objectIdentifier([1, 3, 132, 0, 34])
    static let ecdsaWithSHA1 = DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 1])
    static let ecdsaWithSHA256 = DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 2])
    static let ecdsaWithSHA384 = DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 3])
    static let rsaEncryption = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 1])
    static let sha1WithRSA = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 5])
    static let sha256WithRSA = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 11])
    static let sha384WithRSA = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 12])
    static let ed25519 = DERBuilder.objectIdentifier([1, 3, 101, 112])
    static let sha1 = DERBuilder.objectIdentifier([1, 3, 14, 3, 2, 26])
    static let sha384 = DERBuilder.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 2])
    static let sha256 = DERBuilder.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])

    static let signedData = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 7, 2])
    static let data = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    static let contentType = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 9, 3])
    static let messageDigest = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 9, 4])
    static let signingTime = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 9, 5])

    /// Android's key description, 1.3.6.1.4.1.11129.2.1.17.
    static let androidKeyDescription: [UInt64] = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]
    /// The provisioning information of remotely provisioned attestation keys.
    static let androidProvisioningInfo: [UInt64] = [1, 3, 6, 1, 4, 1, 11129, 2, 1, 30]

    /// Apple's arc, 1.2.840.113635.100.
    static func apple(_ components: UInt64...) -> [UInt64] { [1, 2, 840, 113635, 100] + components }
}
