/// The name of an Approov token claim, such as `did` or `anno` (Approov, Token Claims).
public struct ApproovClaim: Sendable, Hashable, ExpressibleByStringLiteral {
    package let name: String

    /// Creates a claim name, known or not.
    package init(_ name: String) { self.name = name }

    /// Creates a claim name, known or not.
    public init(stringLiteral name: String) { self.name = name }

    /// Number: the expiry, in seconds since 1970.
    package static let expiry = ApproovClaim("exp")
    /// Number: the start of validity, in seconds since 1970.
    package static let notBefore = ApproovClaim("nbf")
    /// Number: the time of issue, in seconds since 1970.
    package static let issuedAt = ApproovClaim("iat")
    /// Text: the device ID, base64 of 16 bytes.
    package static let deviceID = ApproovClaim("did")
    /// Text: the address of the device. May be empty.
    package static let address = ApproovClaim("ip")
    /// Text: the issuer, in failover and long-lived tokens.
    package static let issuer = ApproovClaim("iss")
    /// Text or a list of texts: the audience of the token.
    package static let audience = ApproovClaim("aud")
    /// Text: the subject of the token.
    package static let subject = ApproovClaim("sub")
    /// A list of texts: properties of the device.
    package static let annotations = ApproovClaim("anno")
    /// Text: the attestation response code.
    package static let responseCode = ApproovClaim("arc")
    /// Text: the digest of the bound data, base64 of SHA-256.
    package static let binding = ApproovClaim("pay")
    /// Text: the installation's public key, base64 of a DER SubjectPublicKeyInfo.
    package static let installationKey = ApproovClaim("ipk")
    /// Text: the ID of the account's message signing key.
    package static let messageKeyID = ApproovClaim("mskid")
    /// Text: the key of measurement proofs, base64 of 16 bytes.
    package static let proofKey = ApproovClaim("mpk")
    /// Text: the measurement of the app's integrity, base64 of 32 bytes.
    package static let integrityMeasurement = ApproovClaim("imh")
    /// Text: the measurement of the device, base64 of 32 bytes.
    package static let deviceMeasurement = ApproovClaim("dmh")
}
