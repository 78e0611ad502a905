import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Accepted evidence brings the signed configuration of the app, and nothing else does.
struct ConfigurationTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")

    private static func world(_ tokens: String = "testAuthorities: allow, configuration: pins") async throws
        -> TokenWorld
    {
        let world = try await TokenWorld(tokens: tokens)
        try await TokenKeyRotation(world.store).makeConfigurationKey(at: TokenWorld.now)
        return world
    }

    /// The configuration in the answer to an attestation.
    private func configuration(
        _ world: TokenWorld, _ key: AttestedKey = AttestedKey(), held: HeldConfiguration?,
        at time: Date = TokenWorld.now
    ) async throws -> String? {
        let request = try await world.attestation(key, client: client, at: time).holding(held)
        guard case .issued(let grant, _) = try await world.verifier.issueToken(request, at: time) else {
            throw MintingError("no token was issued")
        }
        #expect(grant.tokens.count == 1)
        return grant.configuration
    }

    private static func payload(_ text: String?) throws -> String {
        let jws = try CompactJWS(Array(try #require(text).utf8), limit: AppConfigurationClaims.maximumLength)
        #expect(jws.header.type == AppConfigurationClaims.type)
        return String(decoding: jws.payload, as: UTF8.self)
    }

    @Test("It comes with the token if the app asks and has an older one, and the policy gives it one")
    func accepted() async throws {
        let world = try await Self.world()
        let text = try await configuration(world, held: HeldConfiguration(version: 0))
        #expect(
            try Self.payload(text).contains(#""aud":"shop","iat":1790000000,"version":1,"force":0,"pins":{},"keys":[{"#)
        )
        #expect(try await configuration(world, held: HeldConfiguration(version: 1)) == nil)
        #expect(try await configuration(world, held: nil) == nil)
        // Signed once.
        #expect(try await configuration(world, held: HeldConfiguration(version: 0)) == text)
        let off = try await Self.world("testAuthorities: allow")
        #expect(try await configuration(off, held: HeldConfiguration(version: 0)) == nil)
        #expect(off.verifier.configuredApps.isEmpty && world.verifier.configuredApps == ["shop"])
        // Without a key for configurations, there are tokens all the same.
        let keyless = try await TokenWorld(tokens: "testAuthorities: allow, configuration: pins")
        #expect(try await configuration(keyless, held: HeldConfiguration(version: 0)) == nil)
    }

    @Test(
        "A rejection brings none, by a verdict, an error or a decoy",
        arguments: ["", ", format: approov, refused: token, key: optional"])
    func rejected(format: String) async throws {
        let world = try await Self.world("testAuthorities: allow, configuration: pins\(format)")
        let held = HeldConfiguration(version: 0)
        let account = NamedKey(
            name: "issuer",
            material: try ApproovTokenSecret(parts: [
                "secret": SecretBytes(Array(Base64.encode([UInt8](repeating: 5, count: 64), .standard).utf8))
            ]))
        let verifier = Verifier(
            policy: world.policy, ledger: world.ledger, keyStores: [world.store, StaticKeyStore([account])])
        // Evidence of another app, and evidence that does not cover the request.
        let forged = try await world.attestation(client: client, environment: .development).holding(held)
        let unbound = try await world.attestation(client: client, evidence: { Array($0.utf8) }).holding(held)
        for request in [forged, unbound] {
            do {
                switch try await verifier.issueToken(request, at: TokenWorld.now) {
                case .rejected: #expect(format.isEmpty)
                case .decoy(let grant, _), .concealed(let grant, _):
                    #expect(!format.isEmpty && grant.configuration == nil)
                case .issued: Issue.record("a token for \(request.record.id ?? "")")
                @unknown default: Issue.record("an unknown answer")
                }
            } catch VerificationError.request(let error) {
                #expect(format.isEmpty && error.code == "evidence-not-bound", "\(error)")
            }
        }
        let genuine = try await world.attestation(client: client).holding(held)
        guard case .issued(let grant, _) = try await verifier.issueToken(genuine, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        #expect(grant.configuration != nil)
    }

    @Test("The mode of an attested key reaches this device alone")
    func mode() async throws {
        let world = try await Self.world()
        let device = AttestedKey()
        _ = try await LedgerRegister<AppConfigurationState>(in: world.ledger).change(at: TokenWorld.now) { state in
            let mode = DevicePinMode(
                LedgerSubject(keyID: device.keyID), .unpin, until: TokenWorld.now + 3600, setBy: nil)
            return (state.set(mode, at: TokenWorld.now), [])
        }
        let held = HeldConfiguration(version: 1)
        let text = try Self.payload(try await configuration(world, device, held: held))
        let name = Base64.encode(device.keyID, .standard)
        #expect(text.hasSuffix(#","mode":"unpin","did":"\#(name)","exp":1790003600}"#), "\(text)")
        #expect(try await configuration(world, held: held) == nil)
        let all = try Self.payload(try await configuration(world, held: HeldConfiguration(version: 0)))
        // With quotes: the names and points of random keys are base64url.
        #expect(!all.contains(#""mode":"#) && !all.contains(#""did":"#))
        // The thumbprint is the name of devices without an attested key alone.
        _ = try await LedgerRegister<AppConfigurationState>(in: world.ledger).change(at: TokenWorld.now) { state in
            let thumbprint = JWKThumbprint.p256(client.publicPoint)
            let mode = DevicePinMode(
                LedgerSubject(keyThumbprint: thumbprint), .block, until: TokenWorld.now + 3600, setBy: nil)
            return (state.set(mode, at: TokenWorld.now), [])
        }
        let later = Verifier(policy: world.policy, ledger: world.ledger, keyStores: [world.store])
        let request = try await world.attestation(AttestedKey(), client: client).holding(held)
        guard case .issued(let grant, _) = try await later.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        #expect(grant.configuration == nil)
    }

    @Test("One key is made for configurations, by one of several servers, and none after an operator retired it")
    func key() async throws {
        let storage = MemoryKeyStorage()
        let stores = try (0..<4).map { _ in try TokenWorld.keyStore(storage) }
        let made = try await withThrowingTaskGroup(of: String?.self) { group in
            for store in stores {
                group.addTask { try await TokenKeyRotation(store).makeConfigurationKey(at: TokenWorld.now) }
            }
            return try await group.reduce(into: [String]()) { names, name in if let name { names.append(name) } }
        }
        #expect(made == ["configuration-1"])
        try await stores[0].retire("configuration-1", at: TokenWorld.now, now: TokenWorld.now)
        #expect(try await TokenKeyRotation(stores[0]).makeConfigurationKey(at: TokenWorld.now + 1) == nil)
    }

    @Test("A key is read from PEM or from its scalar, and other text is refused without being shown")
    func parts() throws {
        let key = TestKey(.p256, seed: "configurations", label: "key")
        let id = JWKThumbprint.p256(key.publicPoint)
        func read(_ text: String) throws -> ConfigurationKey {
            try ConfigurationKey(parts: ["privateKey": SecretBytes(Array(text.utf8))])
        }
        #expect(try read(key.pem).signer.keyID == id && read(key.pem).summary == "ES256 \(id)")
        let scalar = [UInt8](repeating: 7, count: 32)
        #expect(try read(Base64.encode(scalar, .standard)).signer.keyID != id)
        let p384 = TestKey(.p384, seed: "configurations", label: "key").pem
        for wrong in ["", "secret-text", Base64.encode([UInt8](repeating: 0, count: 32), .standard), p384] {
            let error = #expect(throws: KeyError.self) { try read(wrong) }
            #expect(error?.part == "privateKey" && error.map { !"\($0)".contains("secret-text") } == true)
        }
        #expect(throws: KeyError.self) { try ConfigurationKey(parts: [:]) }
    }
}

extension TokenRequest {
    /// The request of an app that has a configuration.
    fileprivate func holding(_ held: HeldConfiguration?) -> TokenRequest {
        TokenRequest(
            record: record, challenge: challenge, audiences: audiences, keyThumbprint: keyThumbprint,
            publicKey: publicKey, keyProof: keyProof, binding: binding, configuration: held)
    }
}
