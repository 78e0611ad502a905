public import AssayCore
public import FoundationEssentials

/// Measurements of an app for offline hardware, encrypted with the hardware's public key (Approov, Offline Security
/// Mode, Backend Integration). The app stores the token and sends it to the hardware with each proof.
///
/// The manual does not specify the form. Assay uses a compact JWE (RFC 7516) with `ECDH-ES` on P-256 (RFC 7518 section
/// 4.6), `A256GCM` and the `typ` `approov-measurement`. Its content is JSON with the members of an Approov token:
/// `mpk`, `imh`, `dmh`, `did`, `arc`, `iat` and `exp`.
///
/// - Important: The encryption hides the measurements. It does not authenticate the backend: anyone with the hardware's
///   public key can encrypt their own measurements. Keep the public key in the backend, or let the hardware verify a
///   signature of the backend over the token.
public struct MeasurementToken: Sendable {
    /// The `typ` of the JWE.
    static let type = "approov-measurement"

    /// The measurements, with the proof key.
    public let measurements: ApproovClaims.Measurements
    /// The ID of the device: 24 characters of base64; nil if the Approov token named none.
    public let deviceID: String?
    /// The attestation response code, for Approov's support.
    public let responseCode: String?
    /// When the backend sealed the measurements.
    public let issuedAt: Date
    /// The time from which the hardware must refuse them; nil for never.
    public let expiresAt: Date?

    /// Takes the measurements of a verified Approov token.
    ///
    /// - Parameters:
    ///   - claims: The claims of an accepted verdict, `verdict.approov?.claims`.
    ///   - lifetime: How long the hardware may accept the measurements, in seconds; nil for no limit.
    ///   - now: The time of sealing.
    /// - Returns: nil for claims without measurements.
    public init?(_ claims: ApproovClaims, validFor lifetime: TimeInterval? = nil, at now: Date) {
        guard let measurements = claims.measurements else { return nil }
        self.init(
            measurements, deviceID: claims.deviceID, responseCode: claims.responseCode, issuedAt: now,
            expiresAt: lifetime.map { now + $0 })
    }

    /// Composes a token. Fractions of seconds are cut off.
    public init(
        _ measurements: ApproovClaims.Measurements, deviceID: String? = nil, responseCode: String? = nil,
        issuedAt: Date, expiresAt: Date? = nil
    ) {
        func whole(_ time: Date) -> Date { Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down)) }
        (self.measurements, self.deviceID, self.responseCode) = (measurements, deviceID, responseCode)
        self.issuedAt = whole(issuedAt)
        self.expiresAt = expiresAt.map(whole)
    }
}

// MARK: Sealing

extension MeasurementToken {
    /// Encrypts the measurements for the hardware.
    ///
    /// - Returns: A compact JWE. URLs and JSON need no escapes for its characters.
    /// - Throws: ``DecodeError`` without a proof key (16 bytes) or any measurement (32 bytes), for a malformed device
    ///   ID or response code, and for times that are not in order.
    public func sealed(for key: PublicKey) throws(DecodeError) -> String {
        try CompactJWE.seal(content(), for: key.point, type: Self.type)
    }

    /// The content in UTF-8. The base64 text of the secrets is not wiped: it remains in memory until that memory is
    /// reused.
    private func content() throws(DecodeError) -> SecretBytes {
        try require()
        var members: [(String, RecordValue.Content)] = []
        for (name, secret) in [
            ("mpk", measurements.proofKey), ("imh", measurements.integrity), ("dmh", measurements.device),
        ] {
            guard let secret else { continue }
            members.append((name, .text(secret.withUnsafeBytes { Base64.encode(Array($0), .standard) })))
        }
        if let deviceID { members.append(("did", .text(deviceID))) }
        if let responseCode { members.append(("arc", .text(responseCode))) }
        members.append(("iat", .number(Self.seconds(issuedAt))))
        if let expiresAt { members.append(("exp", .number(Self.seconds(expiresAt)))) }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        defer { SecretBytes.wipe(&bytes) }
        return SecretBytes(bytes)
    }

    /// The content as JSON, with the secrets: `mpk`, `imh`, `dmh`, `did`, `arc`, `iat` and `exp`.
    /// - Throws: ``DecodeError`` as ``sealed(for:)`` does.
    package func json() throws(DecodeError) -> String {
        try content().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private static func seconds(_ time: Date) -> String { "\(Int64(time.timeIntervalSince1970))" }

    /// Throws unless the content meets the rules that opening checks too.
    private func require() throws(DecodeError) {
        guard let key = measurements.proofKey else {
            throw DecodeError(.missing, at: 0, field: "mpk", "there is no key of proofs")
        }
        guard measurements.integrity != nil || measurements.device != nil else {
            throw DecodeError(.missing, at: 0, field: "imh", "there is no measurement, imh or dmh")
        }
        try Self.require(key.count, ClaimsReader.proofKeyLength, "mpk")
        try measurements.integrity.map { (digest) throws(DecodeError) in
            try Self.require(digest.count, ClaimsReader.digestLength, "imh")
        }
        try measurements.device.map { (digest) throws(DecodeError) in
            try Self.require(digest.count, ClaimsReader.digestLength, "dmh")
        }
        if let deviceID, !DeviceIDText.isValid(deviceID) {
            throw DecodeError(.unexpectedValue, at: 0, field: "did", "expected base64 of 16 bytes, 24 characters")
        }
        if let responseCode, responseCode.utf8.count > ClaimsReader.responseCodeLength {
            throw DecodeError(
                .tooLarge, at: 0, field: "arc", "expected at most \(ClaimsReader.responseCodeLength) bytes")
        }
        try Self.require(issuedAt, "iat")
        if let expiresAt {
            try Self.require(expiresAt, "exp")
            guard expiresAt > issuedAt else {
                throw DecodeError(.unexpectedValue, at: 0, field: "exp", "the token expires before it is issued")
            }
        }
    }

    // Not inlined: the compiler orders the instructions of the copies differently from build to build.
    @inline(never)
    private static func require(_ count: Int, _ expected: Int, _ field: String) throws(DecodeError) {
        guard count == expected else {
            throw DecodeError(.unexpectedLength, at: 0, field: field, "\(count) bytes, expected \(expected)")
        }
    }

    private static func require(_ time: Date, _ field: String) throws(DecodeError) {
        guard (0..<ApproovClaims.endOfTime).contains(time.timeIntervalSince1970) else {
            throw DecodeError(.unexpectedValue, at: 0, field: field, "expected a time from 1970 to 9999")
        }
    }
}

// MARK: Opening

extension MeasurementToken {
    /// Decrypts a token with the private key of the hardware.
    ///
    /// Does not compare ``issuedAt`` with `now`: the clock of offline hardware may be slow.
    ///
    /// - Parameter now: The hardware's time.
    /// - Throws: ``DecodeError`` for a malformed text, for one that was encrypted for another key or changed (code
    ///   `not-opened`), and for one that has expired (`measurements-expired`).
    public init(opening text: String, with key: PrivateKey, at now: Date) throws(DecodeError) {
        try self.init(opening: Self.decode(text), with: key.key, at: now)
    }

    /// Reads the outer form: a JWE with the header parameters of ``sealed(for:)`` and no other.
    static func decode(_ text: String) throws(DecodeError) -> CompactJWE {
        let jwe = try CompactJWE(Array(text.utf8), limit: InputLimits.joseText)
        let field = "JWE protected header"
        for member in jwe.header.object.members
        where !["alg", "enc", "epk", "typ"].containsBytes(of: member.name) {
            throw DecodeError(
                .unexpected, at: 0, field: "\(field).\(member.name.excerpt)", "the header parameter is not allowed")
        }
        guard let found = jwe.header.type else {
            throw DecodeError(.missing, at: 0, field: "\(field).typ", "the header does not say what the token is")
        }
        guard found.isByteEqual(to: type) else {
            throw DecodeError(
                .unexpectedValue, at: 0, field: "\(field).typ", "expected \(type), found \"\(found.excerpt)\"")
        }
        return jwe
    }

    init(opening jwe: CompactJWE, with key: AgreementPrivateKey, at now: Date) throws(DecodeError) {
        let plaintext: DecryptedClaims
        do throws(JOSEError) {
            plaintext = try DecryptedClaims(jwe, with: .ecdhES(key))
        } catch {
            guard error.reason == .decryptionFailed else {
                throw DecodeError(error.reason, at: 0, field: "JWE", error.detail)
            }
            throw DecodeError(
                .notOpened, at: 0, field: "JWE", "the token was sealed for another key, or was changed afterwards")
        }
        let claims = try ClaimsReader.read(plaintext)
        if let name = claims.nameBesideMeasurements {
            throw DecodeError(.unexpected, at: 0, field: name.excerpt, "the member is not allowed")
        }
        guard let measurements = claims.measurements else {
            throw DecodeError(.missing, at: 0, field: "mpk", "there is no key of proofs")
        }
        guard let issuedAt = Self.time(claims.issuedAt) else {
            throw DecodeError(.missing, at: 0, field: "iat", "the token does not say when it was issued")
        }
        let expiresAt = Self.time(claims.expiry)
        self.measurements = measurements
        deviceID = claims.deviceID
        responseCode = claims.responseCode
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        try require()
        if let expiresAt, expiresAt <= now {
            throw DecodeError(
                .measurementsExpired, at: 0, field: "exp",
                "the measurements expired at \(RFC3339.format(expiresAt)), and are judged at \(RFC3339.format(now))")
        }
    }

    /// The time of a NumericDate, which may have a fraction (RFC 7519 section 2).
    private static func time(_ seconds: Double?) -> Date? { seconds.map { Date(timeIntervalSince1970: $0) } }
}

extension ApproovClaims {
    /// The name of a claim that is not allowed in a measurement token; nil if there is none.
    fileprivate var nameBesideMeasurements: String? {
        if let name = unknown.first?.name { return name }
        let others: [(String, Bool)] = [
            ("nbf", notBefore != nil), ("ip", address != nil), ("iss", issuer != nil), ("aud", audiences != nil),
            ("sub", subject != nil), ("anno", annotations != nil), ("pay", boundDigest != nil),
            ("ipk", installationKey != nil), ("mskid", messageKeyID != nil),
        ]
        return others.first { $0.1 }?.0
    }
}

extension CheckCode {
    static let notOpened = CheckCode(.notOpened, remedy: .nothing)
    static let measurementsExpired = CheckCode(.measurementsExpired)
}

extension ErrorCode {
    static let notOpened = ErrorCode(
        "not-opened",
        "The measurement token was sealed for other hardware, or was changed: compare the public key that the backend uses."
    )
    static let measurementsExpired = ErrorCode(
        "measurements-expired",
        "The measurement token has expired: the app must fetch a token with `?measurement`, and the backend seal it again."
    )
}
