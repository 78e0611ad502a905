import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTesting
import AssayTokens
import Foundation

/// A service with a ledger and a key store, and the apps that attest to it.
struct TokenWorld {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let appID = "1234567890.com.example.shop"
    static let audience = "https://api.example.com"
    static let issuer = "https://attest.example.com"
    static let authority: Result<TestAuthority, any Error> = Result {
        try TestAuthority(seed: "token tests", notBefore: now.addingTimeInterval(-90 * 86400))
    }

    let ledger: any LedgerAdministration
    let store: SealedKeyStore
    let policy: VerificationPolicy
    let verifier: Verifier

    /// - Parameters:
    ///   - tokens: further lines of the policy's section, `KEY: VALUE` between commas.
    ///   - appAttest: further lines of `appAttest`, `KEY: VALUE`.
    ///   - checks: modes of checks, `NAME: MODE` between commas.
    ///   - hasKeys: whether keys were made.
    init(
        tokens: String = "testAuthorities: allow", challenge: String = "ledger", environments: String = "production",
        appAttest: String = "counter: increasing", checks: String = "",
        ledger: any LedgerAdministration = MemoryLedger(), hasKeys: Bool = true
    ) async throws {
        self.ledger = ledger
        store = try Self.keyStore()
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Self.appID)]
                  environments: [\(environments)]
                  challenge: \(challenge)
                  clientData: { challengeAt: /challenge }
                  testRoots: ["file:root.pem"]
                  \(appAttest)
                tokens: { issuer: \(Self.issuer), audiences: [\(Self.audience), other], \(tokens) }
            checks: { \(checks) }
            """
        policy = try PolicyFile.parse(text, file: nil, files: RootFile())
        verifier = Verifier(policy: policy, ledger: ledger, keyStores: [store])
        if hasKeys { try await TokenKeyRotation(store).run(at: Self.now) }
    }

    static func keyStore(_ storage: any SealedKeyStorage = MemoryKeyStorage()) throws -> SealedKeyStore {
        let masterKey = try MasterKey(text: SecretBytes(Array(String(repeating: "07", count: 32).utf8)))
        return SealedKeyStore(storage: storage, masterKey: masterKey, materials: Verifier.keyMaterials)
    }

    /// A verifier with the same ledger that has this issuer's published key set.
    ///
    /// - Parameters:
    ///   - scopes: the app that each copy of the set is for; nil for none.
    ///   - store: further keys.
    func verifier(ofKeySetsFor scopes: [String?], beside store: SealedKeyStore? = nil) async throws -> Verifier {
        let set = SecretBytes(Array(try await verifier.tokenKeys(at: Self.now).keySet.utf8))
        let sets = StaticKeyStore(
            try scopes.map {
                NamedKey(name: "set", scope: $0, material: try TokenKey(parts: [TokenKey.keySetPart: set]))
            })
        return Verifier(
            policy: policy, ledger: ledger, keyStores: [sets] + (store.map { [$0] } ?? [] as [any KeyStore]))
    }

    /// A request for a token with a new attestation.
    ///
    /// - Parameters:
    ///   - keyProof: the proof of the client's key for a challenge; nil for a genuine one where the request names the key.
    ///   - evidence: what the app attests in place of the derived challenge; nil for the derived challenge.
    func attestation(
        _ key: AttestedKey = AttestedKey(), client: TestKey?, audience: String = audience, account: String? = nil,
        isLimitedUse: Bool = false, namesKey: Bool = false, binding: String? = nil, hasEAR: Bool = false,
        environment: AttestEnvironment = .production, keyProof: ((String) throws -> String?)? = nil,
        evidence: ((String) -> [UInt8])? = nil, at time: Date = now
    ) async throws -> TokenRequest {
        let challenge = try await verifier.issueChallenge(app: "shop", for: .appAttestAttestation, at: time).text
        let thumbprint = client.map { JWKThumbprint.p256($0.publicPoint) }
        let derived =
            evidence?(challenge)
            ?? TokenRequest.evidenceChallenge(
                challenge, audience: audience, keyThumbprint: thumbprint, binding: binding)
        let minted = try AttestationBlueprint(
            authority: Self.authority.get(), key: key, appID: Self.appID, environment: environment,
            clientData: .bytes(derived), issuedAt: time
        ).mint()
        var record = minted.record(id: "attestation", app: "shop", receivedAt: time)
        record.account = account
        let proof =
            try keyProof.map { try $0(challenge) }
            ?? (namesKey ? client.map { try Self.keyProof($0, challenge: challenge, at: time) } : nil)
        return TokenRequest(
            record: record, challenge: challenge, audience: audience, keyThumbprint: thumbprint,
            publicKey: namesKey ? client?.publicPoint : nil, keyProof: proof, binding: binding,
            isLimitedUse: isLimitedUse,
            hasEAR: hasEAR)
    }

    /// A proof of the client's key for a request.
    static func keyProof(
        _ client: TestKey, challenge: String, at time: Date = now, _ change: (inout JSONItem) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONItem = [
            "jti": "key proof", "htm": "POST", "htu": .text("\(issuer)/v1/tokens"),
            "iat": .integer(Int64(time.timeIntervalSince1970)), "nonce": .text(challenge),
        ]
        change(&claims)
        var proof = JWSBlueprint(payload: claims.encoded, signer: .es256(client))
        proof.header["typ"] = "dpop+jwt"
        proof.header["jwk"] = AssayTokenBlueprint.jwk(client)
        return try proof.mint()
    }

    /// The token for a new attestation.
    func token(
        _ key: AttestedKey = AttestedKey(), client: TestKey?, account: String? = nil, isLimitedUse: Bool = false,
        at time: Date = now
    ) async throws -> String {
        let request = try await attestation(
            key, client: client, account: account, isLimitedUse: isLimitedUse, at: time)
        guard case .issued(let token, _) = try await verifier.issueToken(request, at: time) else {
            throw MintingError("no token was issued")
        }
        return token.text
    }

    /// A request with a token, and with a proof if there is a client's key.
    func request(
        _ token: String, client: TestKey?, proofID: String = "proof", at time: Date = now,
        _ change: (inout JSONItem) -> Void = { _ in }
    ) throws -> SignedRequest {
        var fields = [SignedRequest.Field("Authorization", "\(client == nil ? "Bearer" : "DPoP") \(token)")]
        if let client {
            var claims: JSONItem = [
                "jti": .text(proofID), "htm": "GET", "htu": "https://api.example.com/items",
                "iat": .integer(Int64(time.timeIntervalSince1970)),
                "ath": .text(Base64.encode(Digest.sha256(Array(token.utf8)), .url)),
            ]
            change(&claims)
            var proof = JWSBlueprint(payload: claims.encoded, signer: .es256(client))
            proof.header["typ"] = "dpop+jwt"
            proof.header["jwk"] = AssayTokenBlueprint.jwk(client)
            fields.append(SignedRequest.Field("DPoP", try proof.mint()))
        }
        return SignedRequest(
            method: "GET", targetURI: "https://api.example.com/items?page=2", fields: fields, body: .bytes([]))
    }

    /// The verdict on a request with a token.
    func judge(
        _ token: String, client: TestKey?, account: String? = nil, proofID: String = "proof", at time: Date = now,
        _ change: (inout JSONItem) -> Void = { _ in }
    ) async throws -> Verdict {
        try await verifier.verifyTokenRequest(
            try request(token, client: client, proofID: proofID, at: time, change), account: account, at: time)
    }

    private struct RootFile: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
            do { return Array(try TokenWorld.authority.get().rootPEM.utf8) } catch { throw node.error("\(error)") }
        }
    }
}

/// The first failed check of a verdict with its code, such as `binding key-differs`; `accept` for none.
func outcome(_ verdict: Verdict) -> String {
    guard let failed = verdict.checks.first(where: { $0.status == .failed }) else {
        return verdict.outcome == .accept ? "accept" : "reject without a failed check"
    }
    return "\(failed.check.name.replacing("assay.token.", with: "")) \(failed.finding?.code ?? "")"
}
