public import AssayCore
public import FoundationEssentials

/// The typed claims of a token (Approov, Token Claims). Every claim may be missing.
///
/// A class: passing it on counts one reference instead of one for each text.
public final class ApproovClaims: Sendable {
    /// The issuer of a token.
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
        package let proofKey: SecretBytes?
        /// `imh`: the measurement of the app's integrity, 32 bytes.
        package let integrity: SecretBytes?
        /// `dmh`: the measurement of the device, 32 bytes.
        package let device: SecretBytes?

        /// Collects measurements.
        public init(proofKey: SecretBytes?, integrity: SecretBytes?, device: SecretBytes?) {
            self.proofKey = proofKey
            self.integrity = integrity
            self.device = device
        }
    }

    /// A claim that is not in the description.
    package struct Unknown: Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: RecordValue
    }

    private let draft: ClaimsReader

    /// `exp`, in seconds since 1970, which may have a fraction, and may be infinite where a number was beyond all time.
    package var expiry: Double? { draft.expiry }
    /// `nbf`, in seconds since 1970.
    package var notBefore: Double? { draft.notBefore }
    /// `iat`, in seconds since 1970.
    package var issuedAt: Double? { draft.issuedAt }
    /// `did`: the device ID, 24 characters of base64.
    public var deviceID: String? { draft.deviceID }
    /// `ip`: the address of the device as Approov saw it; may be empty.
    public var address: String? { draft.address }
    /// `iss`.
    public var issuer: String? { draft.issuer }
    /// `aud`.
    public var audiences: [String]? { draft.audiences }
    /// `sub`.
    package var subject: String? { draft.subject }
    /// `anno`: properties of the device, in their order.
    public var annotations: [String]? { draft.annotations }
    /// `arc`: the attestation response code, which support can look up.
    public var responseCode: String? { draft.responseCode }
    /// `pay`: the SHA-256 digest of what the token is bound to, 32 bytes.
    package var boundDigest: [UInt8]? { draft.boundDigest }
    /// `ipk`: the installation's public key, a DER SubjectPublicKeyInfo.
    package var installationKey: [UInt8]? { draft.installationKey }
    /// `mskid`: the ID of the account's message signing key.
    package var messageKeyID: String? { draft.messageKeyID }
    /// `mpk`, `imh`, `dmh`, and nil when there is none of them.
    public var measurements: Measurements? {
        let (key, integrity, device) = (draft.proofKey, draft.integrity, draft.device)
        guard key != nil || integrity != nil || device != nil else { return nil }
        return Measurements(proofKey: key, integrity: integrity, device: device)
    }
    /// The claims that are not documented, in their order.
    package var unknown: [Unknown] { draft.unknown }

    /// When the token expires, as far as calendars go.
    public var expiresAt: Date? {
        expiry.flatMap { abs($0) < Self.endOfTime ? Date(timeIntervalSince1970: $0) : nil }
    }

    /// The year 10000, in seconds since 1970, beyond which no time can be written.
    static let endOfTime: Double = 253_402_300_800

    /// Takes over what was read, as it is: there are many claims, and most tokens have few.
    init(_ draft: consuming ClaimsReader) {
        self.draft = draft
    }

    /// Where the token comes from, by a policy's list of long-lived issuers.
    func source(_ configuration: ApproovConfiguration) -> Source {
        if deviceID != nil { return .app }
        if let issuer, configuration.longLivedIssuers.containsBytes(of: issuer) { return .longLived }
        return .failover
    }
}
