public import AssayCore
import FoundationEssentials

/// Facts about the device and the request from Approov evidence.
public struct ApproovSubject: EngineSubject {
    /// Claims of a token that is not authentic, for logs and messages to the client. They prove nothing: an attacker
    /// can write any value.
    ///
    /// Approov gives an app that fails attestation a token with a wrong secret. Support finds the reason in the claims.
    public struct Claimed: Sendable, Equatable {
        /// The attestation response code: letters and digits.
        public let responseCode: String?
        /// The device ID: 24 characters of base64.
        public let deviceID: String?
    }

    private let token: AuthenticToken?
    private let addresses: AddressRule

    /// The form of an authentic token: `jws`, `jwe` or `loggable`.
    public var form: String? { token?.form.rawValue }
    /// The name of the key that signed or encrypted an authentic token.
    public var key: String? { token?.key }
    /// The service that issued an authentic token.
    public var source: ApproovClaims.Source? { token?.source }
    /// The claims of an authentic token.
    public var claims: ApproovClaims? { token?.claims }
    /// Claims of a token that is not authentic.
    public let claimed: Claimed?
    /// The facts of a message's signature.
    public internal(set) var message: MessageFacts?
    /// The measurement that a proof proves.
    public internal(set) var measurement: ApproovMeasurement?

    /// The maximum number of unknown claims in ``fields``.
    private static let unknownShown = 32

    init?(_ outcome: ApproovTokenAssessor.Outcome, _ addresses: AddressRule) {
        guard outcome.token != nil || outcome.claimed != nil else { return nil }
        token = outcome.token
        self.addresses = addresses
        claimed = outcome.claimed
    }

    /// The facts of a token with these claims, as for the stub of a verdict.
    ///
    /// - Parameter claims: a JSON object in Approov's form, such as `{"did": "...", "exp": 1795133040}`.
    /// - Throws: ``DecodeError`` for claims that no token may have.
    public init(claims: String) throws(DecodeError) {
        let read = try ClaimsReader.read(JSONReader.readObject(Array(claims.utf8), limit: InputLimits.joseText))
        token = AuthenticToken(
            form: .jws, key: "stub", claims: read, source: read.deviceID == nil ? .failover : .app)
        claimed = nil
        addresses = .keep
    }

    init(measurement: ApproovMeasurement) {
        (token, claimed) = (nil, nil)
        addresses = .drop
        self.measurement = measurement
    }

    /// The attestation response code of an authentic token.
    public var responseCode: String? { claims?.responseCode }
    /// The device ID of an authentic token.
    public var deviceID: String? { claims?.deviceID }
    /// The device ID of an authentic token.
    package var identifier: String? { deviceID }
    /// A device.
    package var identifierKind: LedgerSubject.Kind { .device }
    /// Combines the device ID. The default implementation reads it through ``identifier``, which costs more reference counting.
    package func hashDevice(into hash: inout DeviceHash) -> Bool {
        guard let deviceID = token?.claims.deviceID else { return false }
        hash.combine(deviceID)
        return true
    }

    /// Whether a token is authentic or a measurement is proved.
    package var isProven: Bool { token != nil || measurement != nil }

    /// The response code and the device ID, claimed or not, in the fields that Approov's manual names (React Native, "Log rejections
    /// with ARC").
    package var clientFacts: [ClientFact] {
        let code = responseCode ?? claimed?.responseCode
        let device = deviceID ?? claimed?.deviceID
        return [
            code.map { ClientFact("arc", $0, field: "X-Approov-Error-ARC") },
            device.map { ClientFact("deviceId", $0, field: "X-Approov-Error-Device-ID") },
        ].compactMap(\.self)
    }

    /// What Approov's annotations say.
    package var trustworthiness: Trustworthiness {
        let properties = claims?.annotations ?? []
        let (bad, good) = (Trustworthiness.Value.contraindicated, Trustworthiness.Value.recognised)
        return Trustworthiness(
            configuration: properties.contains { ["rooted", "jailbroken"].contains($0) } ? bad : nil,
            executables: properties.contains { ["frida", "xposed"].contains($0) } ? bad : good)
    }

    /// The facts in display order.
    public var fields: [SubjectField] {
        func time(_ seconds: Double?) -> Date? {
            seconds.flatMap { abs($0) < ApproovClaims.endOfTime ? Date(timeIntervalSince1970: $0) : nil }
        }
        var fields: [SubjectField] = []
        fields.add("form", text: form)
        fields.add("key", text: key)
        fields.add("source", text: source?.rawValue)
        fields.add("deviceId", text: claims?.deviceID)
        fields.add("arc", text: claims?.responseCode)
        fields.add("claimedDeviceId", text: claimed?.deviceID)
        fields.add("claimedArc", text: claimed?.responseCode)
        fields.add("expiresAt", time: time(claims?.expiry))
        fields.add("notBefore", time: time(claims?.notBefore))
        fields.add("issuedAt", time: time(claims?.issuedAt))
        fields.add("address", text: claims?.address.flatMap(addresses.text))
        fields.add("issuer", text: claims?.issuer)
        fields.add("audiences", claims?.audiences.map { .texts($0) })
        fields.add("subject", text: claims?.subject)
        fields.add("annotations", claims?.annotations.map { .texts($0) })
        fields.add("isBound", claims.map { .flag($0.boundDigest != nil) })
        fields.add("messageKeyId", text: claims?.messageKeyID)
        fields += message?.fields ?? []
        fields.add("measurement", text: measurement?.rawValue)
        fields.add("integrityDigest", text: claims?.measurements?.integrity?.digest)
        fields.add("deviceDigest", text: claims?.measurements?.device?.digest)
        let unknown = claims?.unknown.map { "\($0.name.excerpt): \($0.value.excerpt)" } ?? []
        fields.add("unknownClaims", .list(unknown, atMost: Self.unknownShown))
        return fields
    }
}

extension SecretBytes {
    /// Base64 of the SHA-256 digest. It shows whether a measurement has changed, and proves nothing to the hardware.
    fileprivate var digest: String {
        var bytes = withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        return Base64.encode(Digest.sha256(bytes), .standard)
    }
}

extension ApproovSubject.Claimed {
    /// Reads the claims of a signed or loggable token without a valid signature; nil if it has neither.
    init?(_ parts: ApproovTokenText.Parts) {
        let object: RecordObject
        switch parts {
        case .encrypted, .excused: return nil
        case .loggable(let loggable): object = loggable.claims
        case .signed(let jws):
            guard let payload = try? JSONReader.readObject(jws.payload, limit: InputLimits.joseText) else { return nil }
            object = payload
        }
        func text(_ name: String) -> String? {
            guard case .text(let text)? = object[name]?.content else { return nil }
            return text
        }
        responseCode = text("arc").flatMap { code in
            let isPlain = code.utf8.allSatisfy(\.isASCIIAlphanumeric)
            return isPlain && (1...ClaimsReader.responseCodeLength).contains(code.utf8.count) ? code : nil
        }
        deviceID = text("did").flatMap { DeviceIDText.isValid($0) ? $0 : nil }
        guard responseCode != nil || deviceID != nil else { return nil }
    }
}

extension ApproovEngine {
    /// The form, source, key and issuer of tokens, and the properties of devices.
    package static let dimensions = [
        SubjectDimension("form", "Form of the token"),
        SubjectDimension("source", "Source of the token"),
        SubjectDimension("key", "Key"),
        SubjectDimension("issuer", "Issuer"),
        SubjectDimension("annotations", "Properties of the device"),
        SubjectDimension("signatureLabel", "Signature of the message"),
        SubjectDimension("measurement", "Measurement"),
    ]
}

extension Verdict {
    /// The facts of Approov evidence; nil for other evidence, and if there are none.
    public var approov: ApproovSubject? { facts(ApproovSubject.self) }
}
