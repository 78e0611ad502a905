import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import PlayIntegrity
import Testing

/// What the policy lets an issuer put into tokens, how long they live, and how many a device gets.
struct IssuerRuleTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")
    private static let osVersion = "app-attest.attestation.os-version"
    private static let secret = Base64.encode((0..<64).map { UInt8($0) }, .standard)
    private static let messageSecret = Base64.encode((0..<32).map { UInt8($0 &+ 100) }, .standard)

    /// A world in which every attestation is annotated: the system is too old.
    private static func world(
        _ tokens: String, mode: String = "annotate", messageKey: Bool = true
    ) async throws -> (world: TokenWorld, verifier: Verifier) {
        let world = try await TokenWorld(
            tokens: "testAuthorities: allow, \(tokens)", appAttest: "minimumOSVersion: { iOS: 99.0 }",
            checks: "\(osVersion): \(mode)")
        func part(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
        var keys = [NamedKey(name: "account", material: try ApproovTokenSecret(parts: ["secret": part(secret)]))]
        if messageKey {
            keys.append(
                NamedKey(
                    name: "messages",
                    material: try ApproovMessageSecret(parts: [
                        "secret": part(messageSecret), "keyID": part("messages-1"),
                    ])))
        }
        let verifier = Verifier(
            policy: world.policy, ledger: world.ledger, keyStores: [world.store, StaticKeyStore(keys)])
        return (world, verifier)
    }

    private static func claims(_ token: String) throws -> [String: Any] {
        let payload = try CompactJWS(Array(token.utf8), limit: 8192).payload
        return try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    private static func code(_ request: TokenRequest, _ verifier: Verifier, at time: Date = TokenWorld.now) async throws
        -> String
    {
        do {
            switch try await verifier.issueToken(request, at: time) {
            case .issued: return "issued"
            case .decoy: return "decoy"
            case .concealed(_, let error): return "concealed \(error.code)"
            case .rejected: return "rejected"
            }
        } catch VerificationError.request(let error) { return error.code }
    }

    // MARK: Audiences

    /// A request for several audiences; `covered` are those that the evidence has.
    private func request(
        _ audiences: [String], covered: [String]? = nil, label: String, in world: TokenWorld
    ) async throws -> TokenRequest {
        let thumbprint = JWKThumbprint.p256(client.publicPoint)
        let one = try await world.attestation(
            AttestedKey(seed: "issuer rules", label: label), client: client, namesKey: true,
            evidence: {
                TokenRequest.evidenceChallenge($0, audiences: covered ?? audiences, keyThumbprint: thumbprint)
            })
        return TokenRequest(
            record: one.record, challenge: one.challenge, audiences: audiences, publicKey: client.publicPoint)
    }

    @Test("one piece of evidence gives a token for each audience, and covers the list as a whole")
    func audiences() async throws {
        let world = try await TokenWorld()
        let both = [TokenWorld.audience, "other"]
        let request = try await request(both, label: "both", in: world)
        guard case .issued(let grant, _) = try await world.verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no tokens")
        }
        let claims = try grant.tokens.map { try Self.claims($0.text) }
        #expect(grant.tokens.map(\.audience) == both && claims.map { $0["aud"] as? String } == both)
        #expect(
            Set(claims.map { $0["jti"] as? String }).count == 2 && Set(claims.map { $0["sub"] as? String }).count == 1)
        for token in grant.tokens {
            #expect(outcome(try await world.judge(token.text, client: client, proofID: token.audience)) == "accept")
        }
        // A relay can neither add an audience, nor drop or exchange one.
        for (index, covered) in [[both[0]], both.reversed(), ["\(both[0]) other", "x"], [both.joined()]].enumerated() {
            let forged = try await self.request(both, covered: covered, label: "forged \(index)", in: world)
            #expect(try await Self.code(forged, world.verifier) == "evidence-not-bound", "\(covered)")
        }
        let fewer = try await self.request([both[0]], covered: both, label: "fewer", in: world)
        #expect(try await Self.code(fewer, world.verifier) == "evidence-not-bound")
        for wrong in [[], [both[0], both[0]], [both[0], "stranger"], [both.joined(separator: " ")]] {
            let refused = try await self.request(wrong, label: "wrong \(wrong.count)", in: world)
            #expect(try await Self.code(refused, world.verifier) == "unknown-audience", "\(wrong)")
        }
    }

    @Test("a format without an audience gives the same token for each")
    func sameToken() async throws {
        let (world, verifier) = try await Self.world("format: approov")
        let request = try await request([TokenWorld.audience, "other"], label: "same", in: world)
        guard case .issued(let grant, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no tokens")
        }
        #expect(grant.tokens.map(\.audience) == [TokenWorld.audience, "other"])
        #expect(Set(grant.tokens.map(\.text)).count == 1)
    }

    // MARK: Annotations, lifetimes, limits

    struct Annotation: Sendable, CustomTestStringConvertible {
        let tokens: String
        let isNamed: Bool
        var testDescription: String { tokens }
    }

    @Test(
        "tokens name the annotated checks that the policy lets them name",
        arguments: [
            Annotation(tokens: "format: approov", isNamed: false),
            Annotation(tokens: "format: approov, annotations: none", isNamed: false),
            Annotation(tokens: "format: approov, annotations: all", isNamed: true),
            Annotation(tokens: "format: approov, annotations: [\(osVersion)]", isNamed: true),
            Annotation(tokens: "format: approov, annotations: [device-check.ban]", isNamed: false),
            Annotation(tokens: "format: assay", isNamed: true),
            Annotation(tokens: "format: assay, annotations: none", isNamed: false),
        ])
    func annotations(_ rule: Annotation) async throws {
        let (world, verifier) = try await Self.world(rule.tokens)
        let request = try await world.attestation(client: client, namesKey: true)
        guard case .issued(let grant, let verdict) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        #expect(verdict.annotated.map(\.name) == [Self.osVersion])
        let claims = try Self.claims(grant.text)
        let named = claims["anno"] as? [String] ?? (claims["att"] as? [String: Any])?["annotated"] as? [String] ?? []
        #expect(named.contains(Self.osVersion) == rule.isNamed, "\(named)")
        // What marks a token that no genuine device stands behind is in every one.
        #expect(named.contains("test-authority") || claims["env"] as? String == "test")
    }

    @Test(
        "evidence with an annotation that the policy lists gives a short-lived token, and no failure shortens a decoy's life",
        arguments: [
            ("riskLife: 2m", 120, 300), ("riskLife: 2m, riskChecks: [\(osVersion)]", 120, 300),
            ("riskLife: 2m, riskChecks: [device-check.ban]", 300, 300), ("life: 4m", 240, 240),
        ])
    func life(_ tokens: String, _ annotated: Int, _ failed: Int) async throws {
        for (mode, expected, seconds) in [("annotate", "issued", annotated), ("enforce", "decoy", failed)] {
            let (world, verifier) = try await Self.world("format: approov, refused: token, \(tokens)", mode: mode)
            let request = try await world.attestation(client: client, namesKey: true)
            switch try await verifier.issueToken(request, at: TokenWorld.now) {
            case .issued(let grant, _), .decoy(let grant, _):
                #expect(grant.expiresIn == seconds && grant.tokens.count == 1, "\(expected)")
                #expect(try Self.claims(grant.text)["exp"] as? Int == 1_790_000_000 + seconds)
            case .rejected, .concealed: Issue.record("no token")
            }
        }
    }

    @Test("a device that has used up its tokens is refused before its evidence is used, until the hour is over")
    func hourlyByDevice() async throws {
        let world = try await EvidenceWorld(tokens: "format: assay, hourlyTokens: 2", hasClassicKeys: true)
        func code(_ client: TestKey, at time: Date = TokenWorld.now) async throws -> String {
            let binding = try await world.binding(.playIntegrityClassic, client: client)
            let request = TokenRequest(
                record: try world.classicToken(binding), challenge: binding.challengeText,
                audiences: [TokenWorld.audience], publicKey: client.publicPoint)
            return try await Self.code(request, world.verifier, at: time)
        }
        let other = TestKey(.p256, seed: "token tests", label: "thief")
        #expect(try await [code(client), code(client), code(client)] == ["issued", "issued", "token-limit"])
        #expect(try await code(other) == "issued")
    }

    @Test(
        "requests at the same time get no more tokens than one after the other, and evidence that counts no more costs none"
    )
    func hourlyAtOnce() async throws {
        let world = try await EvidenceWorld(tokens: "format: assay, hourlyTokens: 3", hasClassicKeys: true)
        let verifier = world.verifier
        var requests: [TokenRequest] = []
        for _ in 0..<9 {
            let binding = try await world.binding(.playIntegrityClassic, client: client)
            requests.append(
                TokenRequest(
                    record: try world.classicToken(binding), challenge: binding.challengeText,
                    audiences: [TokenWorld.audience], publicKey: client.publicPoint))
        }
        #expect(try await Self.code(requests[0], verifier) == "issued")
        for _ in 0..<3 { #expect(try await Self.code(requests[0], verifier) == "rejected") }
        let codes = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
            for request in requests.dropFirst() { group.addTask { try await Self.code(request, verifier) } }
            var codes: [String] = []
            for try await code in group { codes.append(code) }
            return codes.sorted()
        }
        #expect(codes == ["issued", "issued"] + [String](repeating: "token-limit", count: 6))
    }

    @Test("the count of a device begins anew with each hour, and apps count apart")
    func hours() {
        let rates = DeviceTokenRates()
        let device = LedgerSubject(.key, "key")
        for _ in 0..<3 { rates.take(device, app: "shop", at: TokenWorld.now) }
        #expect(rates.count(of: device, app: "shop", at: TokenWorld.now) == 3)
        #expect(rates.count(of: device, app: "other", at: TokenWorld.now) == 0)
        #expect(rates.count(of: LedgerSubject(.device, "key"), app: "shop", at: TokenWorld.now) == 0)
        let next = TokenWorld.now.addingTimeInterval(3600)
        #expect(rates.count(of: device, app: "shop", at: next) == 0)
        rates.take(device, app: "shop", at: next)
        #expect(rates.count(of: device, app: "shop", at: next) == 1)
        #expect(rates.take(device, app: "shop", atMost: 2, at: next))
        #expect(!rates.take(device, app: "shop", atMost: 2, at: next))
        // The hour of the count is over.
        rates.giveBack(device, app: "shop", at: TokenWorld.now)
        #expect(rates.count(of: device, app: "shop", at: next) == 2)
        for _ in 0..<3 { rates.giveBack(device, app: "shop", at: next) }
        #expect(rates.count(of: device, app: "shop", at: next) == 0)
        #expect(rates.take(device, app: "shop", atMost: 2, at: next))
    }

    // MARK: Approov's claims

    @Test("for evidence that names no device, did is that of the installation's key, equal in each token")
    func device() async throws {
        let world = try await EvidenceWorld(tokens: "format: approov", hasClassicKeys: true)
        func device(_ client: TestKey) async throws -> String? {
            let binding = try await world.binding(.playIntegrityClassic, client: client)
            let request = TokenRequest(
                record: try world.classicToken(binding), challenge: binding.challengeText,
                audiences: [TokenWorld.audience], publicKey: client.publicPoint)
            guard case .issued(let grant, _) = try await world.verifier.issueToken(request, at: TokenWorld.now) else {
                return nil
            }
            return try Self.claims(grant.text)["did"] as? String
        }
        let first = try #require(try await device(client))
        #expect(try await device(client) == first)
        #expect(try await device(TestKey(.p256, seed: "token tests", label: "thief")) != first)
        #expect(try Base64.decode(first, .standard).count == 16)
    }

    @Test("the issuer reads from a response code what the checks found, and nobody else does")
    func responseCode() async throws {
        let catalogue = EngineRegistry.standard.catalogue
        let groups = Dictionary(grouping: catalogue) { $0.id.name.split(separator: ".").prefix(2).joined() }.values.map(
            \.self)
        for (mode, isFailure) in [("annotate", false), ("enforce", true)] {
            let (world, verifier) = try await Self.world("format: approov, refused: token", mode: mode)
            let request = try await world.attestation(client: client, namesKey: true)
            guard let grant = try await verifier.issueToken(request, at: TokenWorld.now).grant else {
                return #expect(Bool(false), "no token")
            }
            let code = try #require(grant.responseCode)
            #expect(try Self.claims(grant.text)["arc"] as? String == code && ResponseCode.isCode(code))
            let secrets = try await world.store.keys(for: TokenSecret.purpose).compactMap {
                $0.material as? TokenSecret
            }
            let found = try #require(ResponseCode.findings(in: code, groups, under: secrets))
            #expect(found.map(\.check.name) == [Self.osVersion] && found.map(\.isFailure) == [isFailure])
            let stranger = try TokenSecret(parts: [
                TokenSecret.secretPart: SecretBytes(
                    Array(Base64.encode([UInt8](repeating: 3, count: 32), .standard).utf8))
            ])
            let attestation = groups.filter { $0.contains { $0.id.name == Self.osVersion } }
            #expect(ResponseCode.findings(in: code, attestation, under: [stranger]) == nil)
        }
        #expect(
            !ResponseCode.isCode("rmpakmhi") && !ResponseCode.isCode("RMPAKMH1") && !ResponseCode.isCode("RMPAKMHII"))
    }

    @Test("the account's key for message signing comes after an acceptance, and a random one of the same ID otherwise")
    func messageKey() async throws {
        let known = Self.messageSecret
        func key(_ grant: TokenGrant) -> String? {
            grant.messageKey.map { $0.withUnsafeBytes { Base64.encode(Array($0), .standard) } }
        }
        for (mode, isKnown) in [("annotate", true), ("enforce", false)] {
            let (world, verifier) = try await Self.world(
                "format: approov, refused: token, messageKey: deliver", mode: mode)
            let request = try await world.attestation(client: client, namesKey: true)
            let grant = try #require(try await verifier.issueToken(request, at: TokenWorld.now).grant)
            #expect(try Self.claims(grant.text)["mskid"] as? String == "messages-1")
            #expect((key(grant) == known) == isKnown && key(grant)?.utf8.count == known.utf8.count)
        }
        let (world, verifier) = try await Self.world("format: approov")
        let grant = try #require(
            try await verifier.issueToken(
                try await world.attestation(client: client, namesKey: true), at: TokenWorld.now
            ).grant)
        #expect(try Self.claims(grant.text)["mskid"] == nil && grant.messageKey == nil)
        let (other, without) = try await Self.world("format: approov, messageKey: deliver", messageKey: false)
        #expect(
            try await Self.code(try await other.attestation(client: client, namesKey: true), without) == "no-key")
    }

    @Test("ip is the address that the caller names, unless the policy wants none")
    func address() async throws {
        for (rule, expected) in [("token", "192.0.2.7"), ("none", nil)] as [(String, String?)] {
            let (world, verifier) = try await Self.world("format: approov, address: \(rule)")
            let one = try await world.attestation(client: client, namesKey: true)
            let request = TokenRequest(
                record: one.record, challenge: one.challenge, audiences: one.audiences, publicKey: client.publicPoint,
                address: "192.0.2.7")
            let grant = try #require(try await verifier.issueToken(request, at: TokenWorld.now).grant)
            #expect(try Self.claims(grant.text)["ip"] as? String == expected)
        }
    }

    // MARK: Policies

    @Test(
        "rules that cannot be meant are errors that name the field",
        arguments: [
            ("annotations: some", "annotations"), ("annotations: [no.such.check]", "annotations"),
            ("annotations: []", "annotations"), ("riskLife: 5m", "riskLife"), ("riskLife: 30s", "riskLife"),
            ("riskChecks: [\(osVersion)]", "riskChecks"), ("riskLife: 2m, riskChecks: [x]", "riskChecks"),
            ("hourlyTokens: 0", "hourlyTokens"), ("address: full", "address"), ("messageKey: yes", "messageKey"),
        ])
    func policies(_ tokens: String, _ field: String) async throws {
        let error = await #expect(throws: PolicyError.self) { _ = try await TokenWorld(tokens: tokens) }
        #expect(error?.field.contains("tokens.\(field)") == true && error?.line != nil, "\(error as Any)")
    }
}

extension TokenAnswer {
    /// The tokens, if there are any.
    fileprivate var grant: TokenGrant? {
        switch self {
        case .issued(let grant, _), .decoy(let grant, _), .concealed(let grant, _): grant
        case .rejected: nil
        }
    }
}
