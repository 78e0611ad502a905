import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation

/// A genuine request of an app. Every part can be changed before signing.
///
/// Builds the signature base with its own simple code: the tests then do not sign the verifier's output.
struct MessageFixture {
    static let seconds: Int64 = 1_790_000_000
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let uri = "https://api.example.com/v1/items?a=1&b=2"
    static let secret = [UInt8](0..<64)
    static let accountSecret = [UInt8](repeating: 0x3C, count: 32)
    static let installationKey = TestKey(.p256, seed: "messages", label: "installation")

    var signer = MessageSigning.Signer.installation
    var method = "GET"
    var targetURI = Self.uri
    /// The fields besides those of the token, the digest and the signature.
    var fields: [ApproovMessageInput.Field] = []
    var body: [UInt8] = []
    /// The field with the digest; nil for the body's digest, or for no field if there is no body.
    var contentDigest: String?

    var tokenSecret = Self.secret
    var expiry: Int64 = Self.seconds + 300
    var installationKeyClaim: String? = Base64.encode(Self.installationKey.subjectPublicKeyInfo(), .standard)
    var messageKeyClaim: String? = "acc"
    var otherClaims = ""
    var tokenPrefix = ""

    var label: String?
    /// The covered components as written; nil for those that Approov's clients sign.
    var components: [String]?
    /// The parameters as written; nil for those that Approov's clients write.
    var parameters: String?
    var created: Int64 = Self.seconds - 2
    var expires: Int64 = Self.seconds + 13
    /// Values to sign in place of those of the message.
    var signedValues: [String: String] = [:]
    var signingKey = Self.installationKey
    var accountSecret = Self.accountSecret
    var writeSignature: (ECDSASignature) -> [UInt8] = { $0.concatenated }
    var signatureText: ([UInt8]) -> String = { ":\(Base64.encode($0, .standard)):" }
    /// A change of the fields after signing.
    var changeFields: (inout [ApproovMessageInput.Field]) -> Void = { _ in }

    /// A request with a body.
    static func post(_ body: String = #"{"hello":"world"}"#) -> Self {
        var fixture = Self()
        fixture.method = "POST"
        fixture.body = Array(body.utf8)
        return fixture
    }

    static func digestText(_ body: [UInt8]) -> String {
        "sha-256=:\(Base64.encode(Array(SHA256.hash(data: body)), .standard)):"
    }

    var token: String {
        get throws {
            var claims = #"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":\#(expiry),"arc":"ABCDEF""#
            if let installationKeyClaim { claims += #","ipk":"\#(installationKeyClaim)""# }
            if let messageKeyClaim { claims += #","mskid":"\#(messageKeyClaim)""# }
            return try tokenPrefix
                + JWSBlueprint(payload: Array((claims + otherClaims + "}").utf8), signer: .hs256(tokenSecret)).mint()
        }
    }

    /// Signs the request.
    func mint() throws -> ApproovMessageInput {
        var fields = [ApproovMessageInput.Field("Approov-Token", try token)] + self.fields
        let digest = contentDigest ?? (body.isEmpty ? "" : Self.digestText(body))
        if !digest.isEmpty { fields.append(.init("Content-Digest", digest)) }
        let standard = [#""@method""#, #""@target-uri""#, #""approov-token""#]
        let list = (components ?? standard + (digest.isEmpty ? [] : [#""content-digest""#]))
        let input =
            "(\(list.joined(separator: " ")))"
            + (parameters ?? ";alg=\"\(signer.algorithm)\";created=\(created);expires=\(expires)")
        let lines = list.map { "\($0): \(value(of: $0, fields))" } + ["\"@signature-params\": \(input)"]
        let base = Array(lines.joined(separator: "\n").utf8)
        let signature =
            switch signer {
            case .installation: writeSignature(try signingKey.signature(over: base))
            case .account: Array(HMAC<SHA256>.authenticationCode(for: base, using: SymmetricKey(data: accountSecret)))
            }
        let label = label ?? signer.label
        fields.append(.init("Signature-Input", "\(label)=\(input)"))
        fields.append(.init("Signature", "\(label)=\(signatureText(signature))"))
        changeFields(&fields)
        return ApproovMessageInput(
            method: method, targetURI: targetURI, fields: fields, body: .bytes(body), address: nil)
    }

    private func value(of component: String, _ fields: [ApproovMessageInput.Field]) -> String {
        let name = component.split(separator: "\"").first.map(String.init) ?? ""
        if let value = signedValues[name] { return value }
        switch name {
        case "@method": return method
        case "@target-uri": return targetURI
        case "@authority": return URL(string: targetURI)?.host() ?? ""
        default:
            return fields.filter { $0.name.lowercased() == name }
                .map { $0.value.trimmingCharacters(in: .whitespaces) }.joined(separator: ", ")
        }
    }
}

extension MessageFixture {
    static func settings(_ signing: MessageSigning) -> ApproovConfiguration.Settings {
        var settings = ApproovConfiguration.Settings()
        settings.messageSigning = signing
        return settings
    }

    static func keys() throws -> [NamedKey] {
        func text(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(Array(Base64.encode(bytes, .standard).utf8)) }
        return [
            NamedKey(name: "tokens", scope: "shop", material: try ApproovKey.reading(["secret": text(secret)])),
            NamedKey(
                name: "messages", scope: "shop",
                material: try ApproovMessageKey.reading([
                    "secret": text(accountSecret), "keyID": SecretBytes(Array("acc".utf8)),
                ])),
        ]
    }

    /// A verifier with a policy of one app.
    static func verifier(
        _ settings: ApproovConfiguration.Settings, keys: [NamedKey]? = nil, ledger: any Ledger = MemoryLedger()
    ) throws -> Verifier {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", try ApproovConfiguration(settings))], keys: keys ?? self.keys(),
            catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger)
    }

    static func verifier(_ signing: MessageSigning, ledger: any Ledger = MemoryLedger()) throws -> Verifier {
        try verifier(settings(signing), ledger: ledger)
    }

    /// The verdict on this request, with a new ledger.
    func verdict(_ signing: MessageSigning? = nil, at now: Date = now) async throws -> Verdict {
        try await Self.verifier(signing ?? MessageSigning(signer: signer)).verify(mint(), at: now)
    }
}

extension Verdict {
    /// The result of a check.
    func messageResult(_ check: CheckID) -> CheckResult? { checks.first { $0.check == check } }

    /// The failed checks with the codes of their findings.
    var failures: [String] {
        checks.filter { $0.status == .failed }.map { "\($0.check.name) \($0.finding?.code ?? "")" }
    }
}
