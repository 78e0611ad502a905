import AssayTesting
import Crypto
import Foundation
import Testing

/// What is minted, taken apart with swift-crypto alone.
@Suite("Minted Approov evidence")
struct ApproovBlueprintTests {
    private let keys: ApproovTestKeys
    private let expiry = Date(timeIntervalSince1970: 1_795_133_040)

    init() throws { keys = try ApproovTestKeys(seed: "tests", label: "account") }

    private func data(_ text: String) throws -> Data {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    private func parts(_ token: String) throws -> [Data] {
        try token.split(separator: ".", omittingEmptySubsequences: false).map { try data(String($0)) }
    }

    @Test("a genuine token is HS256 under the account's secret, with the claims that an app gets")
    func signed() throws {
        let token = try ApproovTokenBlueprint(keys: keys, claims: ApproovClaimsBlueprint(expiresAt: expiry)).mint()
            .token
        let parts = try parts(token)
        #expect(String(decoding: parts[0], as: UTF8.self) == #"{"alg":"HS256","typ":"JWT"}"#)
        #expect(
            String(decoding: parts[1], as: UTF8.self)
                == #"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":1795133040,"ip":"203.0.113.7","arc":"ABCDEF"}"#)
        let input = Data(token.prefix { $0 != "." }.utf8) + Data(".".utf8) + Data(token.split(separator: ".")[1].utf8)
        let key = SymmetricKey(data: keys.secret)
        #expect(HMAC<SHA256>.isValidAuthenticationCode(parts[2], authenticating: input, using: key))
    }

    @Test("an encrypted token is A256GCM under a key that A256GCMKW hands over, under the digest of the secret")
    func encrypted() throws {
        var blueprint = ApproovTokenBlueprint(keys: keys, claims: .failover(expiresAt: expiry))
        blueprint.form = .encrypted
        let token = try blueprint.mint().token
        let parts = try parts(token)
        let header = try #require(try JSONSerialization.jsonObject(with: parts[0]) as? [String: String])
        #expect(header["alg"] == "A256GCMKW")
        #expect(header["enc"] == "A256GCM")
        let wrapping = SymmetricKey(data: Data(SHA256.hash(data: keys.secret)))
        let contentKey = try AES.GCM.open(
            AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: data(header["iv"] ?? "")), ciphertext: parts[1],
                tag: data(header["tag"] ?? "")),
            using: wrapping)
        let claims = try AES.GCM.open(
            AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: parts[2]), ciphertext: parts[3], tag: parts[4]),
            using: SymmetricKey(data: contentKey), authenticating: Data(token.prefix { $0 != "." }.utf8))
        #expect(String(decoding: claims, as: UTF8.self) == #"{"exp":1795133040}"#)
        #expect(try blueprint.mint().token != token)
    }

    @Test("a token of an app that fails attestation has the same claims, under a secret that is not the account's")
    func rejected() throws {
        let blueprint = ApproovTokenBlueprint(keys: keys, claims: ApproovClaimsBlueprint(expiresAt: expiry))
        let (genuine, rejected) = (try blueprint.mint(), try blueprint.rejected().mint())
        #expect(genuine.claims == rejected.claims)
        #expect(genuine.token != rejected.token)
        #expect(genuine.loggable != rejected.loggable)
    }

    @Test("binding gives the digests of the vendor's description, without the white space around values")
    func binding() throws {
        func digest(_ values: String...) -> JSONItem? {
            var claims = ApproovClaimsBlueprint.failover(expiresAt: expiry)
            claims.bind(to: values)
            return claims[.binding]
        }
        #expect(digest("custom-data") == "tih+xRFV8PMsDhKthuFdvqWtQpKdT+K8X5W3258EJnU=")
        #expect(digest(" custom-data\t") == "tih+xRFV8PMsDhKthuFdvqWtQpKdT+K8X5W3258EJnU=")
        #expect(
            digest("Bearer myauth_token", "my-device-id") == "71tnS3rSq2lanEWrKz4MoexiOMtv7w0fspfM8BAQKNU=")
        #expect(digest("   ") == digest(""))
    }

    @Test("a loggable token has its claims in order, and the beginning of the signature over them")
    func loggable() throws {
        let minted = try ApproovTokenBlueprint(keys: keys, claims: ApproovClaimsBlueprint(expiresAt: expiry)).mint()
        let sorted = #"{"arc":"ABCDEF","did":"h4gubfCFzJu81j/U2BJsdg==","exp":1795133040,"ip":"203.0.113.7""#
        let input =
            Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + Base64URL.text(Array("\(sorted)}".utf8))
        let signature = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: keys.secret))
        #expect(minted.loggable == "\(sorted),\"sip\":\"\(Base64URL.text(Array(signature)).prefix(6))\"}")
    }

    @Test("a message is signed over the lines of RFC 9421, the same every time")
    func message() throws {
        var blueprint = ApproovMessageBlueprint(
            method: "POST", targetURI: "https://api.example.com/v1/items?a=1", token: "t",
            signer: .installation(keys.installationKey), createdAt: expiry)
        blueprint.body = Array(#"{"hello":"world"}"#.utf8)
        let message = try blueprint.mint()
        let input =
            #"("@method" "@target-uri" "approov-token" "content-digest");alg="ecdsa-p256-sha256";"#
            + "created=1795133040;expires=1795133055"
        let base = """
            "@method": POST
            "@target-uri": https://api.example.com/v1/items?a=1
            "approov-token": t
            "content-digest": sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:
            "@signature-params": \(input)
            """
        #expect(String(decoding: message.signatureBase, as: UTF8.self) == base)
        #expect(message[field: "signature-input"] == "install=\(input)")
        let field = try #require(message[field: "Signature"])
        let signature = try #require(Data(base64Encoded: String(field.dropFirst("install=:".count).dropLast())))
        let key = try P256.Signing.PublicKey(derRepresentation: keys.installationPublicKey)
        #expect(try key.isValidSignature(.init(rawRepresentation: signature), for: Data(base.utf8)))
        #expect(try blueprint.mint()[field: "Signature"] == field)
    }

    @Test("a proof is the HMAC of nonce and measurement under the key of proofs")
    func proof() throws {
        let measurements = ApproovTestMeasurements(seed: "tests", label: "app")
        let nonce = [UInt8](repeating: 7, count: 16)
        let proof = ApproovProofBlueprint(deviceOf: measurements, nonce: nonce).proof
        let expected = HMAC<SHA256>.authenticationCode(
            for: nonce + (measurements.device ?? []), using: SymmetricKey(data: measurements.proofKey ?? []))
        #expect(proof == Array(expected))
    }

    @Test("the same seed gives the same keys, and other labels and seeds others")
    func seeds() throws {
        let again = try ApproovTestKeys(seed: "tests", label: "account")
        #expect(again.secret == keys.secret)
        #expect(again.installationPublicKey == keys.installationPublicKey)
        for other in [
            try ApproovTestKeys(seed: "tests", label: "other"), try ApproovTestKeys(seed: "more", label: "account"),
            try ApproovTestKeys(),
        ] {
            #expect(other.secret != keys.secret)
            #expect(other.messageKey != keys.messageKey)
            #expect(other.installationPublicKey != keys.installationPublicKey)
            #expect(other.secret.count == ApproovTestKeys.secretLength)
        }
    }

    @Test("RS256 keys with another exponent than 65537, and what is no RSA key, are refused")
    func rsaKeys() throws {
        #expect(try RSATestKey.published().modulus.count == 256)
        #expect(throws: MintingError.self) { try RSATestKey(pem: TestKey(.p256).pem) }
        #expect(throws: MintingError.self) { try RSATestKey(pem: "") }
    }
}
