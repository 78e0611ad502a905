import AssayCore
import AssayPrimitives

/// The claims of tokens in formats that are not Assay's own.
enum ForeignClaims {
    /// `typ` of a client attestation (draft-ietf-oauth-attestation-based-client-auth-11, section 4).
    static let clientAttestationType = "oauth-client-attestation+jwt"

    /// The claims of a client attestation, for servers of the drafts -07 to -11: -07 demands `iss`, and later drafts ignore it. Keycloak
    /// takes the algorithm of the client's key from `alg` of its JSON Web Key.
    ///
    /// - Parameters:
    ///   - publicKey: the uncompressed point of the client's key, 65 bytes.
    ///   - mark: what stands behind the evidence, as `env`. The draft lets readers ignore claims that they do not know.
    static func clientAttestation(
        issuer: String, clientID: String, publicKey: [UInt8], issuedAt: Int64, expiresAt: Int64, mark: TokenMark?
    ) -> [UInt8] {
        let (x, y) = JWKThumbprint.coordinates(publicKey)
        let key = RecordObject([
            ("kty", .text("EC")), ("crv", .text("P-256")), ("x", .text(x)), ("y", .text(y)), ("alg", .text("ES256")),
        ])
        var members: [(String, RecordValue.Content)] = [
            ("iss", .text(issuer)), ("sub", .text(clientID)), ("iat", .number("\(issuedAt)")),
            ("exp", .number("\(expiresAt)")), ("cnf", .object(RecordObject([("jwk", .object(key))]))),
        ]
        if let mark { members.append(("env", .text(mark.rawValue))) }
        return json(members)
    }

    /// The claims of a token in Approov's format (Approov, Token Payload), in the order of their names.
    struct Approov {
        /// `anno`: properties of the device.
        var properties: [String]
        /// `arc`: the attestation response code.
        var code: String
        /// `did`: 16 bytes that name the device in this app.
        var device: [UInt8]
        /// `exp`.
        var expiresAt: Int64
        /// `ip`: the address, as the record has it.
        var address: String?
        /// `ipk`: the uncompressed point of the installation's key.
        var publicKey: [UInt8]?
        /// `mskid`: the ID of the account's key for message signing.
        var messageKeyID: String?
        /// `pay`: the token binding.
        var binding: String?

        var json: [UInt8] {
            var members: [(String, RecordValue.Content)] = []
            if !properties.isEmpty {
                members.append(("anno", .array(properties.map { RecordValue(.text($0), offset: 0) })))
            }
            members += [
                ("arc", .text(code)), ("did", .text(Base64.encode(device, .standard))),
                ("exp", .number("\(expiresAt)")),
            ]
            if let address { members.append(("ip", .text(address))) }
            if let publicKey, let key = try? ECDSAPublicKey(x963: publicKey, curve: .p256) {
                members.append(("ipk", .text(Base64.encode(key.subjectPublicKeyInfo, .standard))))
            }
            if let messageKeyID { members.append(("mskid", .text(messageKeyID))) }
            if let binding { members.append(("pay", .text(binding))) }
            return ForeignClaims.json(members)
        }

        /// The property of evidence of App Attest's development environment.
        static let developmentProperty = "development-environment"
        /// The property of evidence that a test authority signed.
        static let testProperty = "test-authority"

        /// Approov's word for a check that did not hold, or the name of the check.
        static func property(_ result: CheckResult) -> String {
            switch result.check.name {
            case "device-check.ban": "devicecheck-ban"
            case "device-check.answer": "devicecheck-apple-err"
            default: result.finding?.code == "devices-exceeded" ? "devices-exceeded" : result.check.name
            }
        }
    }

    private static func json(_ members: [(String, RecordValue.Content)]) -> [UInt8] {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return bytes
    }
}
