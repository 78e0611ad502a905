import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation

/// A classic integrity token with all that a genuine one tells, its keys, and what it is held against.
struct ClassicTokenSubject: Sendable {
    /// The token as text.
    private(set) var token: String
    private(set) var input: ClassicIntegrityInput
    let keys: [NamedKey]
    let expectations: PlayIntegrityExpectations
    let now: Date
    /// The token taken apart, for the bare operations.
    let parts: ClassicTokenParts

    /// The payload, as JSON.
    let payload: [UInt8]
    let testKeys: PlayIntegrityTestKeys

    static let packageName = "com.example.shop"
    static let digest = [UInt8](repeating: 0x6A, count: 32)

    /// Mints a token.
    init(now: Date) throws {
        // A multiple of three: pyattest refuses a nonce whose base64 lacks its padding.
        let nonce = [UInt8](repeating: 0x4E, count: 33)
        let testKeys = PlayIntegrityTestKeys(seed: "benchmark", label: "classic")
        let minted = try ClassicTokenBlueprint(
            keys: testKeys, packageName: Self.packageName, nonce: nonce, certificateDigests: [Self.digest],
            issuedAt: now
        ).mint()
        self.now = now
        payload = minted.payload
        self.testKeys = testKeys
        token = minted.token
        input = ClassicIntegrityInput(
            token: token, packageName: Self.packageName, nonce: Base64.encode(nonce, .url))
        let material = try PlayIntegrityKeys.reading([
            "decryptionKey": SecretBytes(Array(testKeys.decryptionKeyFile.utf8)),
            "verificationKey": SecretBytes(Array(testKeys.verificationKeyFile.utf8)),
        ])
        keys = [NamedKey(name: "benchmark", scope: Self.packageName, material: material)]
        let configuration = try PlayIntegrityConfiguration(
            packageName: Self.packageName,
            android: PlayIntegrityConfiguration.AndroidRules(certificateDigests: [Self.digest]), challenge: .caller)
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "benchmark", configuration)], catalogue: PlayIntegrityEngine.catalogue)
        expectations = PlayIntegrityExpectations(
            app: "benchmark", configuration: configuration, modes: policy.modes)
        parts = try Self.takeApart(minted.token, testKeys)
    }

    /// The same, with a token in memory of its own.
    func copied() -> ClassicTokenSubject {
        var copy = self
        copy.token = String(decoding: Array(token.utf8), as: UTF8.self)
        copy.input = ClassicIntegrityInput(
            token: copy.token, packageName: input.packageName, nonce: Base64.encode(input.nonce, .url))
        return copy
    }

    private static func takeApart(_ token: String, _ keys: PlayIntegrityTestKeys) throws -> ClassicTokenParts {
        let jwe = try CompactJWE(Array(token.utf8), limit: token.utf8.count)
        let jws = try JWEKey.a256KW(SecretBytes(keys.decryptionKey)).decrypt(jwe)
        let signed = try CompactJWS(jws, limit: jws.count)
        let key = try P256.Signing.PublicKey(derRepresentation: keys.verificationKey)
        return ClassicTokenParts(
            decryptionKey: keys.decryptionKey, encryptedKey: jwe.encryptedKey,
            initializationVector: jwe.initializationVector, additionalData: Array(jwe.additionalData),
            ciphertext: jwe.ciphertext, tag: jwe.tag, verificationKey: key, signingInput: Data(signed.signingInput),
            signature: try P256.Signing.ECDSASignature(rawRepresentation: signed.signature))
    }

    /// Tokens under the same keys that ours refuses, and what is wrong with them.
    func refused() throws -> [(name: String, token: String)] {
        let changes: [(name: String, issuedAt: Date, isTest: Bool)] = [
            ("a token that is a year old", now - 365 * 86_400, false), ("a test response", now, true),
        ]
        return try changes.map { change in
            var blueprint = ClassicTokenBlueprint(
                keys: testKeys, packageName: Self.packageName, nonce: input.nonce, certificateDigests: [Self.digest],
                issuedAt: change.issuedAt)
            if change.isTest { blueprint.payload[.isTestingResponse] = true }
            let token = try blueprint.mint().token
            let input = ClassicIntegrityInput(
                token: token, packageName: Self.packageName, nonce: Base64.encode(input.nonce, .url))
            let assessment = ClassicIntegrityAssessor.assess(input, keys: keys, expectations: expectations, now: now)
            require(!assessment.isAcceptable, "\(change.name) holds")
            return (change.name, token)
        }
    }

    /// Judges the token a number of times.
    @Sendable func verify(_ count: Int) {
        for _ in 0..<count {
            let assessment = ClassicIntegrityAssessor.assess(input, keys: keys, expectations: expectations, now: now)
            require(assessment.isAcceptable, "the classic token does not hold")
        }
    }

    /// The cryptography of the token and nothing else.
    @Sendable func bare(_ count: Int) {
        guard let bare = BareTokenCryptography(parts) else { stop("OpenSSL has no AES") }
        for _ in 0..<count { require(bare.run(), "the bare cryptography of the classic token") }
    }

    /// The steps of a verification, each by itself, in their order. What is left is that of the checks.
    var steps: [(name: String, work: @Sendable (Int) -> Void)] {
        get throws {
            let text = Array(token.utf8)
            let key = try JWEKey.a256KW(SecretBytes(parts.decryptionKey))
            let jwe = try CompactJWE(text, limit: text.count)
            let plaintext = try key.decrypt(jwe)
            let jws = try CompactJWS(plaintext, limit: plaintext.count)
            let verification = try JWSKey.es256(
                ECDSAPublicKey(x963: Array(parts.verificationKey.x963Representation), curve: .p256))
            let payload = jws.payload
            return [
                ("take the JWE apart", repeating { _ = try CompactJWE(text, limit: text.count) }),
                ("unwrap the key and decrypt", repeating { _ = try key.decrypt(jwe) }),
                ("take the JWS apart", repeating { _ = try CompactJWS(plaintext, limit: plaintext.count) }),
                ("verify the signature", repeating { try verification.verify(jws) }),
                (
                    "read the payload as JSON",
                    repeating { _ = try JSONReader.readObject(payload, limit: payload.count) }
                ),
            ]
        }
    }
}
