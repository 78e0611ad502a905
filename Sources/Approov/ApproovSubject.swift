public import AssayCore
import AssayPrimitives
import FoundationEssentials

/// What Approov evidence tells about the device and the request.
public struct ApproovSubject: VerdictSubject {
    /// What a token says of itself that is not authentic.
    ///
    /// Approov gives an app that fails attestation a token under a wrong secret, and these two let support find out why.
    /// Anybody can write them: they are for messages to the client and for logs, and prove nothing.
    public struct Claimed: Sendable, Equatable {
        /// The attestation response code: letters and digits.
        public let responseCode: String?
        /// The device ID: 24 characters of base64.
        public let deviceID: String?
    }

    private let token: AuthenticToken?

    /// The form of an authentic token: `jws`, `jwe` or `loggable`.
    public var form: String? { token?.form.rawValue }
    /// The name of the key that an authentic token is signed or encrypted with.
    public var key: String? { token?.key }
    /// Where an authentic token comes from.
    public var source: ApproovClaims.Source? { token?.source }
    /// The claims of an authentic token.
    public var claims: ApproovClaims? { token?.claims }
    /// What a token that is not authentic says of itself.
    public let claimed: Claimed?
    /// What is known of the signature of a message.
    public internal(set) var message: MessageFacts?
    /// Which measurement a proof proves.
    public internal(set) var measurement: ApproovMeasurement?

    /// How many unknown claims are told one by one.
    private static let unknownShown = 32

    init?(_ outcome: ApproovTokenAssessor.Outcome) {
        guard outcome.token != nil || outcome.claimed != nil else { return nil }
        token = outcome.token
        claimed = outcome.claimed
    }

    /// A subject without a token.
    init(measurement: ApproovMeasurement) {
        (token, claimed) = (nil, nil)
        self.measurement = measurement
    }

    /// The attestation response code of an authentic token.
    public var responseCode: String? { claims?.responseCode }
    /// The device ID of an authentic token.
    public var deviceID: String? { claims?.deviceID }

    /// The facts in the order in which a person would read them.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        func add(_ name: String, _ value: SubjectField.Value?) {
            if let value { fields.append(SubjectField(name, value)) }
        }
        func text(_ text: String?) -> SubjectField.Value? { text.map { .text($0) } }
        func time(_ seconds: Double?) -> SubjectField.Value? {
            seconds.flatMap { abs($0) < ApproovClaims.endOfTime ? $0 : nil }
                .map { .text(RFC3339.format(Date(timeIntervalSince1970: $0))) }
        }
        add("form", text(form))
        add("key", text(key))
        add("source", text(source?.rawValue))
        add("deviceId", text(claims?.deviceID))
        add("arc", text(claims?.responseCode))
        add("claimedDeviceId", text(claimed?.deviceID))
        add("claimedArc", text(claimed?.responseCode))
        add("expiresAt", time(claims?.expiry))
        add("notBefore", time(claims?.notBefore))
        add("issuedAt", time(claims?.issuedAt))
        add("address", text(claims?.address))
        add("issuer", text(claims?.issuer))
        add("audiences", claims?.audiences.map { .texts($0) })
        add("subject", text(claims?.subject))
        add("annotations", claims?.annotations.map { .texts($0) })
        add("isBound", claims.map { .flag($0.boundDigest != nil) })
        add("messageKeyId", text(claims?.messageKeyID))
        fields += message?.fields ?? []
        add("measurement", text(measurement?.rawValue))
        add("unknownClaims", unknownClaims)
        return fields
    }

    private var unknownClaims: SubjectField.Value? {
        guard let unknown = claims?.unknown, !unknown.isEmpty else { return nil }
        let rest = unknown.count - Self.unknownShown
        return .texts(
            unknown.prefix(Self.unknownShown).map { "\($0.name.excerpt): \($0.value.excerpt)" }
                + (rest > 0 ? ["\(rest) more"] : []))
    }
}

extension ApproovSubject.Claimed {
    /// Reads the payload of a signed token whose signature is not one of the account's; nil when it has neither claim.
    init?(_ parts: ApproovTokenText.Parts) {
        let object: RecordObject
        switch parts {
        case .encrypted: return nil
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
            let isPlain = code.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
            return isPlain && (1...ClaimsReader.responseCodeLength).contains(code.utf8.count) ? code : nil
        }
        deviceID = text("did").flatMap { DeviceIDText.isValid($0) ? $0 : nil }
        guard responseCode != nil || deviceID != nil else { return nil }
    }
}

extension ApproovEngine {
    /// The form and source of tokens, their issuers, and what they tell of devices.
    public static let dimensions = [
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
    /// What Approov evidence told, and nil for other evidence and for what tells nothing.
    public var approov: ApproovSubject? { subject as? ApproovSubject }
}
