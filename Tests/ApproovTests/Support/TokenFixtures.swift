import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation

/// Genuine tokens of an account, made with swift-crypto only, and the policies and verifiers for them.
enum TokenFixtures {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let seconds = 1_790_000_000
    static let deviceID = "h4gubfCFzJu81j/U2BJsdg=="
    static let session = "Bearer eyJ.session"
    static let audience = "api.example.com"
    static let address = "203.0.113.7"

    /// 64 bytes, as Approov's tool prints them.
    static let secret = Array(SHA512.hash(data: Data("the account's secret".utf8)))
    static let otherSecret = Array(SHA512.hash(data: Data("another account's secret".utf8)))
    static let signingKey = TestKey(.p256, seed: "approov", label: "tokens")

    /// Approov's claims for a genuine app on a genuine device.
    static let claims: JSONItem = [
        "did": .text(deviceID), "exp": .integer(seconds + 240), "ip": .text(address), "arc": "ABCDEF",
        "pay": .text(digest(session)), "aud": .text(audience),
    ]

    /// `pay` for bound data.
    static func digest(_ bound: String) -> String {
        Data(SHA256.hash(data: Data(bound.utf8))).base64EncodedString()
    }

    static func base64url(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes), .url) }
}

// MARK: Tokens

extension TokenFixtures {
    /// Signs a text.
    typealias Signer = @Sendable (String) throws -> [UInt8]

    static func hs256(_ secret: [UInt8] = secret) -> Signer {
        { Array(HMAC<SHA256>.authenticationCode(for: Data($0.utf8), using: SymmetricKey(data: secret))) }
    }

    static func es256(_ key: TestKey = signingKey) -> Signer {
        { try key.signature(over: Array($0.utf8)).concatenated }
    }

    static func rs256() -> Signer { { try RSATestKey.published().signature(over: Array($0.utf8)) } }

    static let header = #"{"alg":"HS256","typ":"JWT"}"#

    /// A compact JWS. `signer` makes its signature, independent of the header.
    static func jws(_ payload: String, header: String = header, by signer: Signer = hs256()) throws -> String {
        let input = "\(base64url(header.utf8)).\(base64url(payload.utf8))"
        return "\(input).\(base64url(try signer(input)))"
    }

    static func token(_ claims: JSONItem = claims) throws -> String { try jws(claims.text) }

    /// A compact JWE with the digest of a secret as its key.
    static func jwe(
        _ payload: String, secret: [UInt8] = secret, header: String = #""alg":"A256GCMKW","enc":"A256GCM""#
    ) throws -> String {
        let key = SymmetricKey(data: SHA256.hash(data: Data(secret)))
        let contentKey = SymmetricKey(size: .bits256)
        let wrapped = try AES.GCM.seal(contentKey.withUnsafeBytes { Data($0) }, using: key)
        let parameters = #","iv":"\#(base64url(wrapped.nonce))","tag":"\#(base64url(wrapped.tag))""#
        let protected = base64url("{\(header)\(parameters)}".utf8)
        let box = try AES.GCM.seal(Data(payload.utf8), using: contentKey, authenticating: Data(protected.utf8))
        return [
            protected, base64url(wrapped.ciphertext), base64url(box.nonce), base64url(box.ciphertext),
            base64url(box.tag),
        ].joined(separator: ".")
    }

    /// A loggable token of claims sorted by name.
    static func loggable(_ claims: JSONItem, secret: [UInt8] = secret) throws -> String {
        let signature = try jws(claims.text, by: hs256(secret)).split(separator: ".")[2]
        return #"\#(claims.text.dropLast()),"sip":"\#(signature.prefix(6))"}"#
    }
}

// MARK: Keys

extension TokenFixtures {
    /// The PEM of a SubjectPublicKeyInfo.
    static func pem(_ info: [UInt8]) -> String {
        let body = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n"
    }

    static func part(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    static func material(_ secret: [UInt8] = secret, keyID: String? = nil) throws -> ApproovKey {
        var parts = ["secret": part(Base64.encode(secret, .standard))]
        if let keyID { parts["keyID"] = part(keyID) }
        return try ApproovKey.reading(parts)
    }

    static func publicKey(_ info: [UInt8], keyID: String? = nil) throws -> ApproovKey {
        var parts = ["publicKey": part(Base64.encode(info, .standard))]
        if let keyID { parts["keyID"] = part(keyID) }
        return try ApproovKey.reading(parts)
    }

    static func key(
        _ name: String = "approov", _ material: ApproovKey? = nil, scope: String? = "api",
        window: KeyWindow = .always, retiredAt: Date? = nil
    ) throws -> NamedKey {
        NamedKey(
            name: name, scope: scope, window: window, retiredAt: retiredAt, material: try material ?? self.material())
    }

    /// A secret and a public key of either kind, each with an ID.
    static func keys() throws -> [NamedKey] {
        [
            try key("hs", material(keyID: "hs")),
            try key("es", publicKey(signingKey.subjectPublicKeyInfo(), keyID: "es")),
            try key("rs", publicKey(RSATestKey.published().subjectPublicKeyInfo, keyID: "rs")),
        ]
    }
}

// MARK: Judgement

extension TokenFixtures {
    /// Settings with every requirement.
    static var strict: ApproovConfiguration.Settings {
        var settings = ApproovConfiguration.Settings()
        settings.binding = ["Authorization"]
        settings.failover = .reject
        settings.audiences = [audience]
        settings.annotations = AnnotationRules(reject: ["frida"])
        settings.maximumLifetime = 600
        return settings
    }

    /// Settings without requirements.
    static var lenient: ApproovConfiguration.Settings {
        var settings = ApproovConfiguration.Settings()
        settings.audiences = [audience]
        return settings
    }

    static func verifier(
        _ settings: ApproovConfiguration.Settings = strict, keys: [NamedKey]? = nil, modes: [CheckID: CheckMode] = [:],
        ledger: any Ledger = MemoryLedger(), use: VerdictUse = .admission
    ) throws -> Verifier {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "api", ApproovConfiguration(settings))], keys: try keys ?? [key()], modes: modes,
            catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger, engines: .standard, use: use)
    }

    /// The verdict on a token that comes with its bound session.
    static func judge(
        _ token: String, _ settings: ApproovConfiguration.Settings = strict, keys: [NamedKey]? = nil,
        modes: [CheckID: CheckMode] = [:], ledger: any Ledger = MemoryLedger(), at now: Date = now
    ) async throws -> Verdict {
        let binding = settings.binding.isEmpty ? [] : [session]
        return try await verifier(settings, keys: keys, modes: modes, ledger: ledger).verify(
            ApproovTokenInput(token: token, binding: binding, address: address), at: now)
    }

    /// The expectations for assessors, shared by many tokens.
    static func expectations(_ settings: ApproovConfiguration.Settings) throws -> ApproovExpectations {
        ApproovExpectations(app: "api", configuration: try ApproovConfiguration(settings), modes: [:])
    }
}

extension Verdict {
    /// The result of a check of an Approov token.
    func tokenResult(_ check: CheckID) -> CheckResult? { checks.first { $0.check == check } }

    /// The code of a check's finding.
    func tokenCode(_ check: CheckID) -> String? { tokenResult(check)?.finding?.code }

    /// The sentence of a check's finding.
    func tokenDetail(_ check: CheckID) -> String { tokenResult(check)?.finding?.detail ?? "" }
}
