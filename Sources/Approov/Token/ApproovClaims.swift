public import AssayCore
public import FoundationEssentials

/// The typed claims of a token (Approov, Token Claims); each may be missing. A class: passing it counts one reference.
public final class ApproovClaims: Sendable {
    /// The issuer of a token.
    @nonexhaustive
    public enum Source: String, Sendable {
        /// An app token. It names a device.
        case app
        /// A failover token. It names no device.
        case failover
        /// A long-lived server token. It names no device, and its issuer is in the policy's list.
        case longLived = "long-lived"
    }

    /// The measurements of an app that authenticates to offline hardware.
    public struct Measurements: Sendable {
        /// `mpk`: the proof key, 16 bytes.
        package let proofKey: SecretBytes?
        /// `imh`: the measurement of the app's integrity, 32 bytes.
        package let integrity: SecretBytes?
        /// `dmh`: the measurement of the device, 32 bytes.
        package let device: SecretBytes?

        /// Creates measurements.
        public init(proofKey: SecretBytes?, integrity: SecretBytes?, device: SecretBytes?) {
            (self.proofKey, self.integrity, self.device) = (proofKey, integrity, device)
        }
    }

    /// An undocumented claim.
    package struct Unknown: Sendable {
        package let name: String
        package let value: RecordValue
    }

    private let draft: ClaimsReader

    /// `exp`, in seconds since 1970. May have a fraction; infinite for a number beyond the range of doubles.
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
    /// `anno`: device properties, in order.
    public var annotations: [String]? { draft.annotations }
    /// `arc`: the attestation response code, for Approov's support.
    public var responseCode: String? { draft.responseCode }
    /// `pay`: the SHA-256 digest of the bound data, 32 bytes.
    package var boundDigest: [UInt8]? { draft.boundDigest }
    /// `ipk`: the installation's public key, a DER SubjectPublicKeyInfo.
    package var installationKey: [UInt8]? { draft.installationKey }
    /// `mskid`: the ID of the account's message signing key.
    package var messageKeyID: String? { draft.messageKeyID }
    /// `mpk`, `imh`, `dmh`; nil without any of them.
    public var measurements: Measurements? {
        let (key, integrity, device) = (draft.proofKey, draft.integrity, draft.device)
        guard key != nil || integrity != nil || device != nil else { return nil }
        return Measurements(proofKey: key, integrity: integrity, device: device)
    }
    package var unknown: [Unknown] { draft.unknown }

    /// The expiry; nil if missing or not before the year 10000.
    public var expiresAt: Date? {
        expiry.flatMap { abs($0) < Self.endOfTime ? Date(timeIntervalSince1970: $0) : nil }
    }

    /// The year 10000 in seconds since 1970. Times from then on cannot be written in RFC 3339.
    static let endOfTime: Double = 253_402_300_800

    /// Keeps the reader's draft instead of copying it: a draft has space for many claims, and most tokens have few.
    init(_ draft: consuming ClaimsReader) {
        self.draft = draft
    }

    /// The source of the token, given the policy's list of long-lived issuers.
    func source(_ configuration: ApproovConfiguration) -> Source {
        if deviceID != nil { return .app }
        if let issuer, configuration.longLivedIssuers.containsBytes(of: issuer) { return .longLived }
        return .failover
    }
}
