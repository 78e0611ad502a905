import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An account with its keys, and an installation of an app.
enum ApproovMint {
    static let now = AppleMint.now
    static let seconds = 1_790_000_000
    static let session = "Bearer eyJ.session"
    static let audience = "api.example.com"

    static let signer: FixedNonceSigner = {
        do { return try FixedNonceSigner("fuzz/approov") } catch { FuzzTarget.broken("no key: \(error)") }
    }()
    static let installation: FixedNonceSigner = {
        do { return try FixedNonceSigner("fuzz/installation") } catch { FuzzTarget.broken("no key: \(error)") }
    }()

    /// The key of offline hardware.
    static let hardware = TestKey(.p256, seed: "fuzz/approov", label: "hardware")

    /// The claims of a token that is bound to the session, can authenticate message signatures and carries
    /// measurements.
    static let claims: JSONItem = {
        var claims = ApproovClaimsBlueprint(expiresAt: now + 240)
        claims.bind(to: [session])
        claims[.audience] = .text(audience)
        claims[.annotations] = ["rooted"]
        claims[.installationKey] = ApproovClaimsBlueprint.base64(installation.key.subjectPublicKeyInfo())
        claims[.messageKeyID] = "account-key"
        return claims.json
    }()

    static let measured: JSONItem = {
        var claims = ApproovClaimsBlueprint(expiresAt: now + 240)
        claims.measure(EngineKeys.measurements)
        claims[.audience] = .text(audience)
        return claims.json
    }()

    /// Signs a token with the account's secret.
    static func token(_ claims: [UInt8], header: [UInt8] = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) -> [UInt8] {
        TokenMint.jws(header, claims) { HMAC.sha256(key: EngineKeys.secret, $0) }
    }

    /// A verifier. The parameters are the settings of its policy besides the audience.
    static func verifier(
        format: ApproovConfiguration.TokenFormat = .jws, binding: [String] = ["Authorization"],
        signing: MessageSigning? = nil, texts: TextSigning? = nil
    ) -> Verifier {
        do {
            var settings = ApproovConfiguration.Settings()
            settings.format = format
            settings.binding = binding
            settings.failover = .reject
            settings.audiences = [audience]
            settings.annotations = AnnotationRules(reject: ["frida"])
            settings.maximumLifetime = 600
            settings.messageSigning = signing
            settings.textSigning = texts
            // Signed tokens with measurements are genuine here.
            settings.proof = ProofRules(tokens: .any)
            var keys = [
                NamedKey(
                    name: "hs", scope: "api",
                    material: try ApproovKey.reading([
                        "secret": SecretBytes(Array(Base64.encode(EngineKeys.secret, .standard).utf8)),
                        "keyID": SecretBytes(Array("hs".utf8)),
                    ])),
                NamedKey(
                    name: "message", scope: "api",
                    material: try ApproovMessageKey.reading([
                        "secret": SecretBytes(Array(Base64.encode(EngineKeys.message, .standard).utf8)),
                        "keyID": SecretBytes(Array("account-key".utf8)),
                    ])),
            ]
            keys.append(
                NamedKey(
                    name: "hardware", scope: "api",
                    material: try ApproovHardwareKey.reading([
                        "privateKey": SecretBytes(Array(hardware.pem.utf8))
                    ])))
            if format == .jws {
                let info = Base64.encode(signer.key.subjectPublicKeyInfo(), .standard)
                keys.append(
                    NamedKey(
                        name: "es", scope: "api",
                        material: try ApproovKey.reading([
                            "publicKey": SecretBytes(Array(info.utf8)), "keyID": SecretBytes(Array("es".utf8)),
                        ])))
            }
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "api", try ApproovConfiguration(settings))], keys: keys,
                catalogue: Verifier.catalogue)
            return Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }

    /// Why a token with some changed claims must not be accepted; nil if no reason is known.
    static func objection(to claims: JSONItem, session: String?, delay: Int) -> String? {
        guard case .object(let members) = claims else {
            if case .raw = claims { return nil }
            return "the claims are no object"
        }
        guard Set(members.map { Array($0.name.utf8) }).count == members.count else { return "a claim comes twice" }
        switch claims["exp"] {
        case .number(let text):
            if let end = Double(text), end <= Double(seconds + delay) { return "the token has expired" }
        case .raw: break
        default: return "the token does not say when it expires"
        }
        switch claims["aud"] {
        case .text(let text): if !text.utf8.elementsEqual(audience.utf8) { return "it is for another audience" }
        case .null, .flag, nil: return "it is for nobody"
        default: break
        }
        guard let session else { return nil }
        guard case .text(let pay)? = claims["pay"] else {
            if case .raw? = claims["pay"] { return nil }
            return "the token is bound to nothing"
        }
        let trimmed = HTTPFieldText.trimmed(Array(session.utf8)[...])
        guard pay.utf8.elementsEqual(Base64.encode(Digest.sha256(Array(trimmed)), .standard).utf8) else {
            return "the token is bound to something else"
        }
        return nil
    }
}
