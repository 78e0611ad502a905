import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTesting
import AssayTokens
import Foundation
import PlayIntegrity
import Synchronization

/// A service whose app has every section, and evidence of every kind for it.
struct EvidenceWorld {
    /// What evidence is bound to.
    struct Binding: Sendable {
        /// The challenge of the request, as text.
        let challengeText: String
        /// What the evidence contains in its place.
        let derived: [UInt8]

        var challenge: [UInt8] { (try? Base64.decode(challengeText, .url)) ?? [] }
        var text: String { Base64.encode(derived, .url) }
    }

    private static let packageName = "com.example.shop"
    private static let digest = [UInt8](repeating: 0x6A, count: 32)
    private static let now = TokenWorld.now
    private static let key = AttestedKey(seed: "evidence world", label: "apple")
    private static let androidKey = Result { try AndroidAttestedKey(seed: "evidence world", label: "android") }
    private static let androidAuthority = Result {
        try AndroidKeyTestAuthority(seed: "evidence world", notBefore: now.addingTimeInterval(-400 * 86_400))
    }
    private static let integrityKeys = PlayIntegrityTestKeys(seed: "evidence world", label: "keys")
    private static let approovKeys = Result { try ApproovTestKeys(seed: "evidence world", label: "account") }

    let ledger = MemoryLedger()
    let store: SealedKeyStore
    let verifier: Verifier
    private let decoder: Decoder

    /// A stand-in for Google, which answers what the test has it say.
    private final class Decoder: IntegrityTokenDecoder {
        let body = Mutex<[UInt8]>([])

        func decode(
            token: String, packageName: String, form: IntegrityTokenForm
        ) async throws(IntegrityDecoderOutage) -> [UInt8] { body.withLock { $0 } }
    }

    /// - Parameters:
    ///   - tokens: further lines of the section; nil for an app without the section.
    ///   - answers: a line of `playIntegrity`.
    ///   - nonce: `requests.nonce` of each section.
    ///   - hasClassicKeys: whether the app opens classic tokens with keys.
    ///   - certificates: a field of `certificates`.
    init(
        tokens: String?, answers: String = "answers: caller", nonce: String = "ledger", hasClassicKeys: Bool,
        hasDecoder: Bool = true, certificates: String = "required: no"
    ) async throws {
        store = try TokenWorld.keyStore()
        decoder = Decoder()
        let section = tokens.map {
            let rule = $0.contains("testAuthorities") ? "" : "testAuthorities: allow, "
            return "    tokens: { issuer: \(TokenWorld.issuer), audiences: [\(TokenWorld.audience)], \(rule)\($0) }"
        }
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(TokenWorld.appID)]
                  environments: [production]
                  challenge: ledger
                  clientData: { challengeAt: /challenge }
                  requests: { nonce: \(nonce) }
                  testRoots: ["file:apple.pem"]
                androidKey:
                  packages: [\(Self.packageName)]
                  certificateDigests: [\(Base64.encode(Self.digest, .url))]
                  challenge: ledger
                  statusList: none
                  requests: { nonce: \(nonce) }
                  testRoots: ["file:android.pem"]
                playIntegrity:
                  packageName: \(Self.packageName)
                  certificateDigests: [\(Base64.encode(Self.digest, .url))]
                  requests: { nonce: \(nonce) }
                  \(answers)
                approov: { format: jws }
                noEvidence: { reasons: [unsupported] }
                certificates:
                  hosts: { \(Self.host): { leaves: [\(Digest.sha256(try Self.leaf("host")).hexadecimal)] } }
                  \(certificates)
            \(section ?? "")
            """
        let policy = try PolicyFile.parse(text, file: nil, files: Roots())
        var keys = [
            NamedKey(
                name: "account", scope: "shop",
                material: try ApproovKey(parts: ["secret": try Self.secret])),
            NamedKey(name: "issuer", material: try ApproovTokenSecret(parts: ["secret": try Self.secret])),
        ]
        if hasClassicKeys {
            keys.append(
                NamedKey(
                    name: "play", scope: Self.packageName,
                    material: try PlayIntegrityKeys(parts: [
                        "decryptionKey": SecretBytes(Array(Self.integrityKeys.decryptionKeyFile.utf8)),
                        "verificationKey": SecretBytes(Array(Self.integrityKeys.verificationKeyFile.utf8)),
                    ])))
        }
        verifier = Verifier(
            policy: policy, ledger: ledger, keyStores: [store, StaticKeyStore(keys)],
            services: hasDecoder ? [decoder] : [])
        try await TokenKeyRotation(store).run(at: Self.now)
    }

    private static var secret: SecretBytes {
        get throws { SecretBytes(Array(Base64.encode(try approovKeys.get().secret, .standard).utf8)) }
    }

    private struct Roots: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
            do {
                let text = try node.text()
                return Array(
                    (text.hasSuffix("apple.pem")
                        ? try TokenWorld.authority.get().rootPEM : try androidAuthority.get().rootPEM).utf8)
            } catch { throw node.error("\(error)") }
        }
    }

    /// A challenge for a kind, with the value that evidence for a token contains.
    ///
    /// - Parameter isIssued: whether the ledger has issued it; nil for the kinds that carry one.
    func binding(_ kind: EvidenceKind, client: TestKey?, isIssued: Bool? = nil) async throws -> Binding {
        let hasChallenge = isIssued ?? Verifier.challengeKinds.contains(kind)
        let carried = kind == .mitmCertificate ? EvidenceKind.appAttestAttestation : kind
        let challenge =
            hasChallenge || carried != kind
            ? try await verifier.issueChallenge(app: "shop", for: carried, at: Self.now).text
            : Base64.encode([UInt8](repeating: 9, count: 32), .url)
        return Binding(
            challengeText: challenge,
            derived: TokenRequest.evidenceChallenge(
                challenge, audience: TokenWorld.audience,
                keyThumbprint: client.map { JWKThumbprint.p256($0.publicPoint) }))
    }

    // MARK: App Attest

    func attestation(_ binding: Binding) throws -> EvidenceRecord { try attestation(over: binding.derived) }

    private func attestation(over challenge: [UInt8]) throws -> EvidenceRecord {
        try AttestationBlueprint(
            authority: TokenWorld.authority.get(), key: Self.key, appID: TokenWorld.appID,
            clientData: .bytes(challenge), issuedAt: Self.now
        ).mint().record(id: "attestation", app: "shop", receivedAt: Self.now)
    }

    private static let host = "api.example.com"

    /// The certificate of a host, or of a proxy.
    static func leaf(_ label: String) throws -> [UInt8] {
        try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, label)]),
            key: TestKey(.p256, seed: "evidence world", label: label), notBefore: now.addingTimeInterval(-86_400),
            notAfter: now.addingTimeInterval(86_400)
        ).certificate
    }

    /// An attestation that carries the certificate of a host.
    ///
    /// - Parameters:
    ///   - seen: what the record has; nil for that of the host.
    ///   - covered: what the attestation covers; nil for the same.
    func certificate(
        _ binding: Binding, seen: [UInt8]? = nil, covering covered: [UInt8]? = nil
    ) throws -> EvidenceRecord {
        let leaf = try seen ?? Self.leaf("host")
        let certificate = SeenCertificate(host: Self.host, chain: [leaf], challenge: binding.text)
        let derived = SeenCertificate.evidenceChallenge(
            certificate.challenge, host: certificate.host, leaf: covered ?? leaf)
        return EvidenceRecord(certificate, carriedBy: try attestation(over: derived))
    }

    /// Attests the key without a token.
    func enrol() async throws {
        let challenge = try await verifier.issueChallenge(app: "shop", for: .appAttestAttestation, at: Self.now)
        let verdict = try await verifier.verify(
            try attestation(over: Base64.decode(challenge.text, .url)), at: Self.now)
        guard verdict.outcome == .accept else { throw MintingError("not enrolled: \(verdict.failed)") }
    }

    /// - Parameter consumes: the challenge in the client data; nil for that of a token.
    func assertion(
        _ binding: Binding, isSupplied: Bool, counter: UInt32 = 1, consumes challenge: [UInt8]? = nil
    ) throws -> EvidenceRecord {
        let data = #"{"challenge":"\#(Base64.encode(challenge ?? binding.derived, .url))"}"#
        return try AssertionBlueprint(
            key: Self.key, appID: TokenWorld.appID, counter: counter, clientData: .bytes(Array(data.utf8))
        ).mint().record(
            id: "assertion", app: "shop", receivedAt: Self.now, storedCounter: isSupplied ? 0 : nil)
    }

    private func request(_ evidence: SignedRequestBlueprint.Evidence, _ binding: Binding) throws -> MintedRequest {
        try SignedRequestBlueprint(
            method: "GET", targetURI: "https://api.example.com/items", evidence: evidence, nonce: binding.text,
            createdAt: Self.now
        ).mint()
    }

    func assertedRequest(_ binding: Binding, isSupplied: Bool) throws -> EvidenceRecord {
        let key = RecordObject([("publicKey", .base64(Self.key.publicPoint)), ("counter", .number("0"))])
        return try request(.assertion(Self.key, appID: TokenWorld.appID, counter: 1), binding).record(
            id: "request", app: "shop", receivedAt: Self.now, with: isSupplied ? [("key", .object(key))] : [],
            expect: nil)
    }

    // MARK: Android

    func keyAttestation(_ binding: Binding) throws -> EvidenceRecord { try keyAttestation(over: binding.derived) }

    private func keyAttestation(over challenge: [UInt8]) throws -> EvidenceRecord {
        try AndroidKeyAttestationBlueprint(
            authority: Self.androidAuthority.get(), key: Self.androidKey.get(), packageName: Self.packageName,
            certificateDigest: Self.digest, challenge: challenge, issuedAt: Self.now
        ).mint().record(id: "key", app: "shop", receivedAt: Self.now)
    }

    /// Attests the key of Android without a token.
    func enrolAndroidKey() async throws {
        let challenge = try await verifier.issueChallenge(app: "shop", for: .androidKeyAttestation, at: Self.now)
        let verdict = try await verifier.verify(
            try keyAttestation(over: Base64.decode(challenge.text, .url)), at: Self.now)
        guard verdict.outcome == .accept else { throw MintingError("not enrolled: \(verdict.failed)") }
    }

    func signedRequest(_ binding: Binding, isSupplied: Bool) throws -> EvidenceRecord {
        let key = try Self.androidKey.get()
        return try request(.androidKey(key), binding).record(
            id: "request", app: "shop", receivedAt: Self.now,
            with: isSupplied ? [("publicKey", .base64(key.publicKey))] : [], expect: nil)
    }

    // MARK: Play Integrity

    func classicToken(_ binding: Binding) throws -> EvidenceRecord {
        try ClassicTokenBlueprint(
            keys: Self.integrityKeys, packageName: Self.packageName, nonce: binding.derived,
            certificateDigests: [Self.digest], issuedAt: Self.now
        ).mint().record(id: "classic", app: "shop")
    }

    /// The same evidence as the answer of the decode call, which the record's writer may have made up.
    func classicAnswer(_ binding: Binding) throws -> EvidenceRecord {
        let payload = PlayIntegrityPayloadBlueprint(
            classic: binding.derived, packageName: Self.packageName, certificateDigests: [Self.digest],
            issuedAt: Self.now)
        let answer: JSONItem = ["tokenPayloadExternal": payload.json]
        return EvidenceRecord(
            id: "classic", kind: .playIntegrityClassic, app: "shop", receivedAt: Self.now,
            evidence: RecordObject([
                ("packageName", .text(Self.packageName)), ("nonce", .text(binding.text)),
                ("decoded", answer.recordContent ?? .null),
            ]), expect: nil)
    }

    private func answer(_ requestHash: String) -> MintedStandardAnswer {
        StandardAnswerBlueprint(
            packageName: Self.packageName, requestHash: requestHash, certificateDigests: [Self.digest],
            issuedAt: Self.now
        ).mint()
    }

    func standard(_ binding: Binding, isDecoded: Bool) throws -> EvidenceRecord {
        let answer = answer(binding.text)
        if isDecoded { return try answer.record(id: "standard", app: "shop") }
        decoder.body.withLock { $0 = answer.body }
        return EvidenceRecord(
            id: "standard", kind: .playIntegrityStandard, app: "shop", receivedAt: Self.now,
            evidence: RecordObject([
                ("packageName", .text(Self.packageName)), ("requestHash", .text(binding.text)),
                ("token", .text("bm90IGEgdG9rZW4")),
            ]), expect: nil)
    }

    func integrityRequest(_ binding: Binding, isDecoded: Bool) throws -> EvidenceRecord {
        let request = try request(.integrityToken("bm90IGEgdG9rZW4"), binding)
        let answer = answer(request.requestHash)
        decoder.body.withLock { $0 = answer.body }
        return request.record(
            id: "request", app: "shop", receivedAt: Self.now,
            with: isDecoded ? [("decoded", answer.answer.recordContent ?? .null)] : [], expect: nil)
    }

    // MARK: Approov

    func approovToken() throws -> EvidenceRecord {
        try ApproovTokenBlueprint(
            keys: Self.approovKeys.get(), claims: ApproovClaimsBlueprint(expiresAt: Self.now.addingTimeInterval(300))
        ).mint().record(id: "approov", app: "shop", receivedAt: Self.now)
    }
}

/// Requests with tokens.
enum SignedRequestFixture {
    static func bearer(_ token: String) -> SignedRequest {
        SignedRequest(
            method: "GET", targetURI: "https://api.example.com/items",
            fields: [SignedRequest.Field("Authorization", "Bearer \(token)")], body: .bytes([]))
    }
}
