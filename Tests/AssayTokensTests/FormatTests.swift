import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Tokens in formats besides `assay+jwt`: of Approov, of OAuth, and with the claims of EAR.
struct FormatTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")
    private static let secret = Base64.encode((0..<64).map { UInt8($0) }, .standard)

    /// A world, and a verifier that has the secret of an Approov account besides.
    private static func world(_ tokens: String) async throws -> (world: TokenWorld, verifier: Verifier) {
        let world = try await TokenWorld(tokens: "testAuthorities: allow, \(tokens)")
        let account = try ApproovTokenSecret(parts: [ApproovTokenSecret.secretPart: SecretBytes(Array(secret.utf8))])
        let keys = StaticKeyStore([NamedKey(name: "account", material: account)])
        return (world, Verifier(policy: world.policy, ledger: world.ledger, keyStores: [world.store, keys]))
    }

    private static func members(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private static func code(_ request: TokenRequest, _ verifier: Verifier) async throws -> String {
        do {
            _ = try await verifier.issueToken(request, at: TokenWorld.now)
            return "issued"
        } catch VerificationError.request(let error) { return error.code }
    }

    // MARK: OAuth

    @Test("a client attestation names the client and its whole key, and is no token of requests")
    func clientAttestation() async throws {
        let (world, verifier) = try await Self.world("format: oauth-client-attestation, clientID: shop-app")
        let request = try await world.attestation(client: client, namesKey: true)
        guard case .issued(let token, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        #expect(token.scheme == .clientAttestation && token.expiresIn == 300)
        let jws = try CompactJWS(Array(token.text.utf8), limit: 4096)
        #expect(jws.header.type == "oauth-client-attestation+jwt")
        try JWKSet(Array(try await verifier.tokenKeys(at: TokenWorld.now).keySet.utf8)).key(for: jws.header).verify(jws)
        let claims = try Self.members(jws.payload)
        // The evidence is of a test authority, and the attestation says so.
        #expect(Set(claims.keys) == ["iss", "sub", "iat", "exp", "cnf", "env"] && claims["env"] as? String == "test")
        #expect(claims["sub"] as? String == "shop-app" && claims["exp"] as? Int == 1_790_000_300)
        let key = try #require((claims["cnf"] as? [String: Any])?["jwk"] as? [String: String])
        let (x, y) = JWKThumbprint.coordinates(client.publicPoint)
        // Keycloak reads the algorithm of the key from `alg`; the drafts -07 to -11 have no `nbf` that all agree on.
        #expect(key == ["kty": "EC", "crv": "P-256", "x": x, "y": y, "alg": "ES256"])
        #expect(outcome(try await world.judge(token.text, client: nil)).hasPrefix("decode "))

        // The thumbprint alone does not name the key.
        let unnamed = try await world.attestation(AttestedKey(seed: "other", label: "a"), client: client)
        #expect(try await Self.code(unnamed, verifier) == "binding-required")
        // The evidence covers another key than the one that is named.
        let swapped = try await world.attestation(
            AttestedKey(seed: "other", label: "b"), client: client, namesKey: true,
            evidence: { TokenRequest.evidenceChallenge($0, audience: TokenWorld.audience, keyThumbprint: "other") })
        #expect(try await Self.code(swapped, verifier) == "evidence-not-bound")
        let metadata = try #require(world.policy.apps.first?.configuration(TokenConfiguration.self)).metadata
        // No draft has metadata of an attester.
        #expect(
            Set(try Self.members(Array(metadata.utf8)).keys) == [
                "issuer", "jwks_uri", "response_types_supported", "subject_types_supported",
                "id_token_signing_alg_values_supported", "dpop_signing_alg_values_supported",
            ])
    }

    @Test("a client attestation needs a proof that the client has the private key")
    func keyPossession() async throws {
        let (world, verifier) = try await Self.world("format: oauth-client-attestation, clientID: shop-app")
        let stranger = TestKey(.p256, seed: "token tests", label: "another client")
        typealias Change = (inout JSONItem) -> Void
        func proof(_ change: @escaping Change) -> (String) throws -> String? {
            { try TokenWorld.keyProof(client, challenge: $0, change) }
        }
        let time = TokenWorld.now.timeIntervalSince1970
        let cases: [(name: String, expected: String, proof: (String) throws -> String?)] = [
            ("none", "invalid-key-proof", { _ in nil }),
            ("of another key", "invalid-key-proof", { try TokenWorld.keyProof(stranger, challenge: $0) }),
            ("of another challenge", "invalid-key-proof", proof { $0["nonce"] = "other" }),
            ("without a nonce", "invalid-key-proof", proof { $0["nonce"] = nil }),
            ("for another target", "invalid-key-proof", proof { $0["htu"] = "https://other.example/v1/tokens" }),
            ("for another method", "invalid-key-proof", proof { $0["htm"] = "GET" }),
            ("too old", "invalid-key-proof", proof { $0["iat"] = .integer(Int64(time) - 61) }),
            ("not signed", "invalid-key-proof", { String(try TokenWorld.keyProof(client, challenge: $0).dropLast(8)) }),
            ("no JWS", "invalid-key-proof", { _ in "proof" }),
            (
                "with a fraction and dot segments", "issued",
                proof {
                    $0["iat"] = .number("\(time - 0.5)")
                    $0["htu"] = .text("\(TokenWorld.issuer)/v1/./tokens")
                }
            ),
        ]
        for (index, example) in cases.enumerated() {
            let request = try await world.attestation(
                AttestedKey(seed: "possession", label: "\(index)"), client: client, namesKey: true,
                keyProof: example.proof)
            #expect(try await Self.code(request, verifier) == example.expected, "\(example.name)")
        }
        // Other formats are presented with a proof; one in the request is checked all the same.
        let assay = try await Self.world("key: required")
        for (expected, label, proof) in [
            ("invalid-key-proof", "a", { _ in "proof" }), ("issued", "b", { _ in nil }),
        ] as [(String, String, (String) throws -> String?)] {
            let request = try await assay.world.attestation(
                AttestedKey(seed: "possession", label: label), client: client, namesKey: true, keyProof: proof)
            #expect(try await Self.code(request, assay.verifier) == expected)
        }
    }

    // MARK: Approov

    @Test("a backend that checks Approov's tokens accepts ours", arguments: ["jws", "jwe"])
    func approov(form: String) async throws {
        let (world, verifier) = try await Self.world("format: approov, approovForm: \(form)")
        let pay = Base64.encode(Digest.sha256(Array("Bearer myauth_token".utf8)), .standard)
        let request = try await world.attestation(client: client, namesKey: true, binding: pay)
        guard case .issued(let token, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        #expect(token.scheme == .approov)
        let verdict = try await Self.judge(token.text, form: form)
        #expect(verdict.outcome == .accept, "\(verdict.failed)")
        let fields = try #require(verdict.subject?.fields)
        func text(_ name: String) -> String? {
            if case .text(let text)? = fields.first(where: { $0.name == name })?.value { text } else { nil }
        }
        #expect(text("deviceId").map { $0.utf8.count == 24 } == true, "\(fields)")
        let later = try await Self.judge(token.text, form: form, at: TokenWorld.now.addingTimeInterval(300))
        #expect(later.failed.map(\.name) == ["approov.token.expiry"])
        let unbound = try await Self.judge(token.text, form: form, authorization: "Bearer other")
        #expect(unbound.failed.map(\.name) == ["approov.token.binding"])
        #expect(try await Self.judge(token.text, form: form == "jws" ? "jwe" : "jws").outcome == .reject)

        // What the evidence does not cover is not bound.
        let other = try await world.attestation(AttestedKey(seed: "other", label: "a"), client: client, namesKey: true)
        let added = TokenRequest(
            record: other.record, challenge: other.challenge, audience: other.audience, publicKey: client.publicPoint,
            binding: pay)
        #expect(try await Self.code(added, verifier) == "evidence-not-bound")
        #expect(try await Self.code(request, world.verifier) == "no-key", "without the account's secret")
    }

    @Test("rejected evidence gets a token of the same shape that no backend accepts, where the policy says so")
    func decoy() async throws {
        for (rule, form) in [("token", "jws"), ("token", "jwe"), ("verdict", "jws")] {
            let (world, verifier) = try await Self.world("format: approov, approovForm: \(form), refused: \(rule)")
            let request = try await world.attestation(client: client, namesKey: true)
            guard case .issued(let genuine, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
                return #expect(Bool(false), "no token")
            }
            let late = try await world.attestation(
                AttestedKey(seed: "other", label: "a"), client: client, namesKey: true, keyProof: { _ in nil },
                at: TokenWorld.now.addingTimeInterval(-86_400 * 30))
            switch try await verifier.issueToken(late, at: TokenWorld.now) {
            case .issued, .concealed: Issue.record("rejected evidence gives a token, or none of its own verdict")
            case .rejected(let verdict): #expect(rule == "verdict" && verdict.outcome == .reject)
            case .decoy(let token, let verdict):
                #expect(rule == "token" && verdict.outcome == .reject)
                #expect(token.scheme == genuine.scheme && token.expiresIn == genuine.expiresIn)
                #expect(abs(token.text.utf8.count - genuine.text.utf8.count) < 40)
                let judged = try await Self.judge(token.text, form: form, authorization: nil)
                #expect(judged.outcome == .reject, "\(judged.failed)")
                if form == "jws" {
                    let (own, other) = (
                        try Self.members(CompactJWS(Array(genuine.text.utf8), limit: 4096).payload),
                        try Self.members(CompactJWS(Array(token.text.utf8), limit: 4096).payload)
                    )
                    #expect(Set(own.keys) == Set(other.keys))
                    #expect(own["arc"] as? String != other["arc"] as? String)
                }
            }
        }
    }

    /// The verdict of a backend that has the account's secret.
    private static func judge(
        _ token: String, form: String, authorization: String? = "Bearer myauth_token", at time: Date = TokenWorld.now
    ) async throws -> Verdict {
        let secret = Self.secret
        let binding = authorization == nil ? "" : ", binding: [Authorization], failover: reject"
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - { name: api, approov: { keys: [account], format: \(form)\(binding) } }
            """, file: nil, files: NoFiles())
        let key = NamedKey(
            name: "account", material: try ApproovKey(parts: ["secret": SecretBytes(Array(secret.utf8))]))
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), keyStores: [StaticKeyStore([key])])
        return try await verifier.verify(
            ApproovTokenInput(token: token, binding: authorization.map { [$0] } ?? []), at: time)
    }

    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("no files") }
    }

    @Test(
        "a failover token contains only exp, and a backend accepts it if its policy allows failover",
        arguments: ["jws", "jwe"])
    func failover(form: String) async throws {
        let (_, verifier) = try await Self.world("format: approov, approovForm: \(form), failover: issue")
        let (token, app) = try await verifier.issueFailoverToken(
            app: nil, audience: TokenWorld.audience, at: TokenWorld.now)
        #expect(app == "shop" && token.scheme == .approov && token.expiresIn == 300)
        #expect(try await Self.judge(token.text, form: form, authorization: nil).outcome == .accept)
        let bound = try await Self.judge(token.text, form: form)
        #expect(
            bound.outcome == .reject && bound.failed.map(\.name).contains("approov.token.failover"), "\(bound.failed)")
        let late = try await Self.judge(
            token.text, form: form, authorization: nil, at: TokenWorld.now.addingTimeInterval(300))
        #expect(late.failed.map(\.name) == ["approov.token.expiry"])
        let strict = try await Self.world("format: approov, approovForm: \(form)").verifier
        for (verifier, app) in [(strict, "shop"), (strict, nil), (verifier, "other")] as [(Verifier, String?)] {
            do {
                _ = try await verifier.issueFailoverToken(
                    app: app, audience: TokenWorld.audience, at: TokenWorld.now)
                Issue.record("a failover token that the policy does not allow")
            } catch VerificationError.request(let error) { #expect(error.code == "unknown-app", "\(error)") }
        }
    }

    // MARK: EAR

    @Test("a token has the claims of EAR if it is asked for them and the policy allows it")
    func ear() async throws {
        let (world, verifier) = try await Self.world("ear: allow")
        let request = try await world.attestation(client: client, hasEAR: true)
        guard case .issued(let token, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        let claims = try Self.members(CompactJWS(Array(token.text.utf8), limit: 4096).payload)
        #expect(claims["eat_profile"] as? String == "tag:ietf.org,2026:rats/ear#04")
        #expect(claims["eat_nonce"] as? String == request.challenge)
        #expect(
            claims["ear_verifier_id"] as? [String: String]
                == ["developer": "Assay", "build": "assay/\(AssayRelease.version)"])
        #expect(claims["ear_status"] as? String == "affirming")
        let app = try #require((claims["submods"] as? [String: Any])?["app"] as? [String: Any])
        #expect(app["ear_status"] as? String == "affirming")
        // The digest that metrics, logs and the audit trail have, too.
        let digest = try #require(world.policy.digest)
        #expect(digest.utf8.count == 64)
        #expect(app["ear_appraisal_policy_ids"] as? [String] == ["\(TokenWorld.issuer)#policy-sha256-\(digest)"])
        // A test authority proves no hardware.
        #expect(
            app["ear_trustworthiness_vector"] as? [String: Int] == ["instance-identity": 2, "executables": 3])
        #expect(outcome(try await world.judge(token.text, client: client)) == "accept")

        let strict = try await Self.world("ear: refuse")
        #expect(
            try await Self.code(strict.world.attestation(client: client, hasEAR: true), strict.verifier)
                == "not-exchangeable")
    }

    // MARK: Development builds

    @Test("tokens for evidence of App Attest's development environment say so, in every format and in EAR")
    func development() async throws {
        let environments = "production, development"
        let world = try await TokenWorld(tokens: "testAuthorities: allow, ear: allow", environments: environments)
        let request = try await world.attestation(client: client, hasEAR: true, environment: .development)
        guard case .issued(let token, _) = try await world.verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        let members = try Self.members(CompactJWS(Array(token.text.utf8), limit: 4096).payload)
        #expect((members["att"] as? [String: Any])?["environment"] as? String == "development")
        let app = try #require((members["submods"] as? [String: Any])?["app"] as? [String: Any])
        #expect(app["ear_status"] as? String == "warning")
        #expect((app["ear_trustworthiness_vector"] as? [String: Int])?["executables"] == 33)

        let account = try ApproovTokenSecret(parts: [
            ApproovTokenSecret.secretPart: SecretBytes(Array(Self.secret.utf8))
        ])
        let approov = try await TokenWorld(
            tokens: "testAuthorities: allow, format: approov", environments: environments)
        let verifier = Verifier(
            policy: approov.policy, ledger: approov.ledger,
            keyStores: [approov.store, StaticKeyStore([NamedKey(name: "account", material: account)])])
        let second = try await approov.attestation(client: client, namesKey: true, environment: .development)
        guard case .issued(let other, _) = try await verifier.issueToken(second, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token of Approov's format")
        }
        let claims = try Self.members(CompactJWS(Array(other.text.utf8), limit: 4096).payload)
        #expect(claims["anno"] as? [String] == ["development-environment", "test-authority"])
        #expect(try await Self.judge(other.text, form: "jws", authorization: nil).outcome == .accept)
    }

    @Test(
        "a token of the development environment is accepted where the app lists it, and nowhere else",
        .produces("assay.token.claims", "development-environment"))
    func developmentAccepted() async throws {
        let world = try await TokenWorld()
        let token = try await world.token(client: client)
        var claims = try TokenClaims(CompactJWS(Array(token.utf8), limit: 4096).payload)
        // As for a genuine device, which no test has.
        claims.environment = "development"
        let text = try #require(try await world.verifier.tokenKeys(at: TokenWorld.now).signer?.sign(claims.json))
        for (tokens, environments, expected) in [
            ("testAuthorities: refuse", "production, development", "accept"),
            ("testAuthorities: allow", "production", "accept"),
            ("testAuthorities: refuse", "production", "claims development-environment"),
            ("callerEvidence: allow", "production", "claims development-environment"),
        ] {
            let other = try await TokenWorld(tokens: tokens, environments: environments)
            let verifier = Verifier(policy: other.policy, ledger: MemoryLedger(), keyStores: [world.store])
            let verdict = try await verifier.verifyTokenRequest(
                try world.request(text, client: client), at: TokenWorld.now)
            #expect(outcome(verdict) == expected, "\(tokens) \(environments)")
            #expect(verdict.testAuthority == nil)
            #expect(verdict.subject?.fields.contains(SubjectField("env", .text("development"))) == true)
            #expect(verdict.assayToken?.environment == "development")
            #expect(verdict.assayToken?.issuedAt == TokenWorld.now && verdict.assayToken?.attestedAt == TokenWorld.now)
        }
    }

    // MARK: Policies

    @Test(
        "policies that contradict themselves are refused",
        arguments: [
            ("format: oauth-client-attestation", "clientID"),
            ("format: oauth-client-attestation, clientID: \"a b\"", "clientID"),
            ("format: oauth-client-attestation, clientID: a, key: optional", "key"),
            ("format: jwt", "format"), ("approovForm: signed", "approovForm"), ("refused: no", "refused"),
            ("ear: yes", "ear"), ("callerEvidence: yes", "callerEvidence"), ("failover: issue", "failover"),
            ("failover: accept, format: approov", "failover"),
        ])
    func contradictions(tokens: String, field: String) async throws {
        do {
            _ = try await TokenWorld(tokens: tokens)
            Issue.record("\(tokens) is read")
        } catch let error as PolicyError {
            #expect(error.field.hasSuffix("tokens.\(field)"), "\(error)")
        }
    }
}
