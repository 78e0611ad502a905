public import AssayCore
public import FoundationEssentials

/// What a token says, typed (Approov, Token Claims). Every claim may be missing.
///
/// A class, so that handing it on counts one reference and not one for each of its texts.
public final class ApproovClaims: Sendable {
    /// What the failover service issues, the primary service, and whoever minted a token for a server.
    public enum Source: String, Sendable {
        /// A token of an app: it names a device.
        case app
        /// A token of the failover service: it names no device.
        case failover
        /// A long-lived token of a server: it names no device, and an issuer that the policy lists as such.
        case longLived = "long-lived"
    }

    /// The measurements of an app that talks to offline hardware.
    public struct Measurements: Sendable {
        /// `mpk`: the key of proofs, 16 bytes.
        public let proofKey: SecretBytes?
        /// `imh`: the measurement of the app's integrity, 32 bytes.
        public let integrity: SecretBytes?
        /// `dmh`: the measurement of the device, 32 bytes.
        public let device: SecretBytes?

        /// Collects measurements.
        public init(proofKey: SecretBytes?, integrity: SecretBytes?, device: SecretBytes?) {
            self.proofKey = proofKey
            self.integrity = integrity
            self.device = device
        }
    }

    /// A claim that is not in the description.
    public struct Unknown: Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: RecordValue
    }

    /// `exp`, in seconds since 1970, which may have a fraction, and may be infinite where a number was beyond all time.
    public let expiry: Double?
    /// `nbf`, in seconds since 1970.
    public let notBefore: Double?
    /// `iat`, in seconds since 1970.
    public let issuedAt: Double?
    /// `did`: the device ID, 24 characters of base64.
    public let deviceID: String?
    /// `ip`: the address of the device as Approov saw it; may be empty.
    public let address: String?
    /// `iss`.
    public let issuer: String?
    /// `aud`.
    public let audiences: [String]?
    /// `sub`.
    public let subject: String?
    /// `anno`: properties of the device, in their order.
    public let annotations: [String]?
    /// `arc`: the attestation response code, which support can look up.
    public let responseCode: String?
    /// `pay`: the SHA-256 digest of what the token is bound to, 32 bytes.
    public let boundDigest: [UInt8]?
    /// `ipk`: the installation's public key, a DER SubjectPublicKeyInfo.
    public let installationKey: [UInt8]?
    /// `mskid`: the ID of the account's message signing key.
    public let messageKeyID: String?
    /// `mpk`, `imh`, `dmh`, and nil when there is none of them.
    public let measurements: Measurements?
    /// What is not in the description, in its order.
    public let unknown: [Unknown]

    /// When the token expires, as far as calendars go.
    public var expiresAt: Date? {
        expiry.flatMap { abs($0) < Self.endOfTime ? Date(timeIntervalSince1970: $0) : nil }
    }

    /// The year 10000, in seconds since 1970, beyond which no time can be written.
    static let endOfTime: Double = 253_402_300_800

    init(_ draft: ClaimsReader) {
        expiry = draft.expiry
        notBefore = draft.notBefore
        issuedAt = draft.issuedAt
        deviceID = draft.deviceID
        address = draft.address
        issuer = draft.issuer
        audiences = draft.audiences
        subject = draft.subject
        annotations = draft.annotations
        responseCode = draft.responseCode
        boundDigest = draft.boundDigest
        installationKey = draft.installationKey
        messageKeyID = draft.messageKeyID
        let (key, integrity, device) = (draft.proofKey, draft.integrity, draft.device)
        measurements =
            key == nil && integrity == nil && device == nil
            ? nil : Measurements(proofKey: key, integrity: integrity, device: device)
        unknown = draft.unknown
    }

    /// Where the token comes from, by a policy's list of long-lived issuers.
    func source(_ configuration: ApproovConfiguration) -> Source {
        if deviceID != nil { return .app }
        if let issuer, configuration.longLivedIssuers.containsBytes(of: issuer) { return .longLived }
        return .failover
    }
}
